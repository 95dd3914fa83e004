"""Tests of the iid partitioner."""

import doctest
import importlib

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.data import examples, partitioners


def _data(labels) -> examples.Examples:
  return examples.Examples(np.zeros([len(labels), 1], np.float32), np.array(labels, np.int32))


class IidTest(parameterized.TestCase):
  def test_sizes_differ_by_at_most_one(self):
    parts = partitioners.iid(5)(_data([0] * 12), 1, np.random.default_rng(0))
    self.assertEqual([len(part) for part in parts], [3, 3, 2, 2, 2])
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(12))

  def test_every_client_has_about_the_same_mix(self):
    data = _data(np.repeat([0, 1], [4000, 2000]))
    for part in partitioners.iid(10)(data, 2, np.random.default_rng(0)):
      self.assertLen(part, 600)
      # Four standard deviations of a sample without replacement, sqrt(600 * 2/9 * 0.9) = 11.
      self.assertBetween(np.sum(data.y[part] == 1), 156, 244)

  def test_generator_decides(self):
    first, again, other = (
      partitioners.iid(2)(_data([0] * 50), 1, np.random.default_rng(seed))[0] for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    self.assertFalse(np.array_equal(first, other))

  def test_more_clients_than_examples(self):
    parts = partitioners.iid(3)(_data([0, 0]), 1, np.random.default_rng(0))
    self.assertEqual([len(part) for part in parts], [1, 1, 0])

  @parameterized.parameters(0, -1, 2.5, True)
  def test_refuses(self, num_clients):
    with self.assertRaisesRegex(ValueError, f'num_clients: {num_clients} found, expected'):
      partitioners.iid(num_clients)

  def test_docstring(self):
    module = importlib.import_module('tff_lg.data.partitioners.iid')
    self.assertEqual(doctest.testmod(module, extraglobs={'np': np, 'examples': examples}), (0, 2))


if __name__ == '__main__':
  absltest.main()
