"""Tests of the CRCs that a run's data are known by."""

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import data_fingerprint

_X = np.array([[1.0, 2.0]], np.float32)


class DataFingerprintTest(parameterized.TestCase):
  def test_names_and_sizes(self):
    one, same, other = (
      data_fingerprint.of_list(ids, [sizes, (1, 0)])
      for ids, sizes in ((['a', 'b'], (3, 2)), (['a', 'b'], np.array([3, 2])), (['a', 'b'], (2, 3)))
    )
    self.assertEqual(one, {'num_clients': 2, 'crc32': 1277359049})
    self.assertEqual(one, same)
    self.assertNotEqual(one, other)

  @parameterized.parameters(
    ('y', _X), ('x', -_X), ('x', _X.T), ('x', _X.view(np.int32)), ('x', _X.astype(object))
  )
  def test_what_arrays_are_known_by(self, name, array):
    crc = data_fingerprint.crc_of_arrays([('x', _X)])
    self.assertEqual(crc, data_fingerprint.crc_of_arrays([('x', np.asfortranarray(_X))]))
    self.assertNotEqual(crc, data_fingerprint.crc_of_arrays([(name, array)]))

  def test_texts(self):
    one, same, other = (
      data_fingerprint.crc_of_arrays([('x', np.array([text], object))]) for text in ('a', 'a', 'b')
    )
    self.assertEqual(one, same)
    self.assertNotEqual(one, other)


if __name__ == '__main__':
  absltest.main()
