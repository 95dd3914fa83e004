"""Tests of the School data: the MATLAB file, the split and the scales."""

import pathlib

import numpy as np
from absl.testing import absltest, parameterized
from scipy import io

from tff_lg.data import examples, school


def _cells(*arrays):
  cells = np.empty((1, len(arrays)), object)
  for number, array in enumerate(arrays):
    cells[0, number] = array
  return cells


class LoadSchoolTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.file = pathlib.Path(self.create_tempdir().full_path) / 'school.mat'

  def _load(self, **options):
    fractions = {'test_fraction': 0.15, 'validation_fraction': 0.15 / 0.85}
    return school.load_school(str(self.file.parent), **{**fractions, **options})

  def _write(self, *sizes):
    """Writes schools whose pupils have the features (i, i², 1) and the score 10 * school + i."""
    numbers = [np.arange(size) for size in sizes]
    x = [np.stack([i, i**2, np.ones_like(i)], axis=1).astype(np.uint8) for i in numbers]
    y = [(10 * k + i)[:, None].astype(np.uint8) for k, i in enumerate(numbers)]
    io.savemat(self.file, {'X': _cells(*x), 'Y': _cells(*y)})

  def test_a_school_is_a_client_split_70_15_15(self):
    self._write(10, 12)
    data = self._load()
    self.assertEqual([client.client_id for client in data.clients], ['school_1', 'school_2'])
    sizes = [(len(c.train), len(c.validation), len(c.test)) for c in data.clients]
    self.assertEqual(sizes, [(7, 1, 2), (8, 2, 2)])
    self.assertEqual((data.objective, data.num_classes, len(data.test)), ('regression', 1, 4))

  def test_scores_are_in_0_1_and_features_of_own_training_pupils(self):
    self._write(10, 12)
    # Scores are 0 to 9 and 10 to 21.
    for number, client in enumerate(self._load().clients):
      parts = [client.train, client.validation, client.test]
      i = [part.y * 21 - 10 * number for part in parts]
      size = (10, 12)[number]
      np.testing.assert_allclose(np.sort(np.concatenate(i)), np.arange(size), atol=1e-5)
      for part, of_part in zip(parts, i, strict=True):
        expected = (of_part - i[0].mean()) / i[0].std()
        np.testing.assert_allclose(part.x[:, 0], expected, atol=1e-5)
        # A feature without deviation is only centred.
        np.testing.assert_array_equal(part.x[:, 2], 0)
      np.testing.assert_allclose(client.train.x.mean(axis=0), 0, atol=1e-6)
      np.testing.assert_allclose(client.train.x[:, :2].std(axis=0), 1, atol=1e-5)

  def test_seed_decides_the_split(self):
    self._write(10, 12)
    one, same, other = (self._load(seed=seed).clients[1].train.y for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    self.assertFalse(np.array_equal(one, other))

  def test_held_out_schools_are_not_clients(self):
    self._write(10, 12, 14)
    data = self._load(choose_held_out=lambda names: names[:1])
    self.assertEqual([client.client_id for client in data.clients], ['school_2', 'school_3'])
    self.assertEqual([client.client_id for client in data.held_out], ['school_1'])
    self.assertLen(data.test, 4)

  def test_generated_schools(self):
    data = school.load_school(test_fraction=0.15, validation_fraction=0.2)
    self.assertLen(data.clients, 12)
    self.assertEqual(data.test.x.shape[1], 6)
    for part in (data.test, data.clients[0].train):
      self.assertBetween(part.y.min(), 0, 1)
      self.assertBetween(part.y.max(), 0, 1)

  @parameterized.parameters(
    ({'Y': _cells(np.ones((2, 1)))}, 'school.mat: X not found, expected cells'),
    ({'X': np.ones((2, 2)), 'Y': _cells(np.ones((2, 1)))}, 'X not found, expected cells'),
    (
      {'X': _cells(np.ones((2, 3))), 'Y': _cells(np.ones(2), np.ones(2))},
      'X has 1 cells and Y 2, expected one per school',
    ),
    (
      {'X': _cells(np.ones((2, 3))), 'Y': _cells(np.ones((3, 1)))},
      r'school 1 has features \[2, 3\] and 3 scores, expected finite',
    ),
    (
      {'X': _cells(np.ones((1, 3)), np.ones((1, 2))), 'Y': _cells(np.ones(1), np.zeros(1))},
      'schools with 2 and 3 features, expected the same for all',
    ),
    (
      {'X': _cells(np.full((2, 3), np.nan)), 'Y': _cells(np.ones((2, 1)))},
      'school 1 has features .* expected finite',
    ),
    (
      {'X': _cells(np.ones((2, 3))), 'Y': _cells(np.ones((2, 1)))},
      'every score is 1, expected scores that differ',
    ),
  )
  def test_refuses_impossible_values(self, content, sentence):
    io.savemat(self.file, content)
    with self.assertRaisesRegex(examples.DataError, sentence):
      self._load()

  def test_no_file_and_no_matlab_file(self):
    with self.assertRaisesRegex(examples.DataError, 'school.mat not found, expected school.mat'):
      self._load()
    self.file.write_text('<html>')
    with self.assertRaisesRegex(examples.DataError, 'school.mat: cannot be read as a MATLAB file'):
      self._load()


if __name__ == '__main__':
  absltest.main()
