"""Tests of the School data: scores from the MATLAB file, and generated schools."""

import pathlib

import numpy as np
from absl.testing import absltest
from scipy import io

from tff_lg.data import examples, school

_FRACTIONS = {'test_fraction': 0.15, 'validation_fraction': 0.15 / 0.85}


class LoadSchoolTest(absltest.TestCase):
  def _load(self, *scores):
    """Loads schools whose pupils have these scores."""
    file = pathlib.Path(self.create_tempdir().full_path) / 'school.mat'
    cells = {name: np.empty((1, len(scores)), object) for name in 'XY'}
    for number, of_school in enumerate(scores):
      cells['Y'][0, number] = np.array(of_school, np.uint8)[:, None]
      cells['X'][0, number] = np.ones((len(of_school), 2))
    io.savemat(file, cells)
    return school.load_school(str(file), **_FRACTIONS)

  def test_scores_are_in_0_1_by_those_of_all_schools(self):
    data = self._load(range(10, 20), range(20, 32))
    self.assertEqual([client.client_id for client in data.clients], ['school_1', 'school_2'])
    for client, least, most in zip(data.clients, (10, 20), (20, 32), strict=True):
      scores = np.concatenate([part.y for part in (client.train, client.validation, client.test)])
      expected = (np.arange(least, most) - 10) / 21
      np.testing.assert_allclose(np.sort(scores), expected, atol=1e-6)

  def test_refuses_scores_that_are_all_the_same(self):
    with self.assertRaisesRegex(examples.DataError, 'every score is 1, expected scores that diff'):
      self._load([1, 1], [1])

  def test_generated_schools(self):
    data = school.load_school(**_FRACTIONS)
    self.assertLen(data.clients, 12)
    self.assertEqual(data.test.x.shape[1], 6)
    self.assertEqual((data.objective, data.num_classes), ('regression', 1))
    for part in (data.test, data.clients[0].train):
      self.assertBetween(part.y.min(), 0, 1)
      self.assertBetween(part.y.max(), 0, 1)


if __name__ == '__main__':
  absltest.main()
