"""Tests of silos from MATLAB files: cells, the split and the features."""

import pathlib

import numpy as np
from absl.testing import absltest, parameterized
from scipy import io

from tff_lg.data import examples, silos

_KIND = silos.Kind('farm.mat', 'farm', 'yields')


def _cells(*arrays):
  row = np.empty((1, len(arrays)), object)
  for number, array in enumerate(arrays):
    row[0, number] = array
  return row


def _silo(size):
  """Returns a silo whose examples have the features (i, i², 1) and the value i."""
  i = np.arange(size, dtype=np.float64)
  return silos.Silo(np.stack([i, i**2, np.ones_like(i)], axis=1), i)


def _to_clients(*sizes, **options):
  fractions = {'test_fraction': 0.15, 'validation_fraction': 0.15 / 0.85}
  values = {'target': np.float32, 'class_names': ['yield'], **fractions, **options}
  return silos.to_clients([_silo(size) for size in sizes], _KIND, **values)


class ToClientsTest(absltest.TestCase):
  def test_a_silo_is_a_client_split_70_15_15(self):
    data = _to_clients(10, 12)
    self.assertEqual([client.client_id for client in data.clients], ['farm_1', 'farm_2'])
    sizes = [(len(c.train), len(c.validation), len(c.test)) for c in data.clients]
    self.assertEqual(sizes, [(7, 1, 2), (8, 2, 2)])
    self.assertEqual((data.objective, data.num_classes, len(data.test)), ('regression', 1, 4))

  def test_features_are_standardised_by_own_training_examples(self):
    for client, size in zip(_to_clients(10, 12).clients, (10, 12), strict=True):
      parts = [client.train, client.validation, client.test]
      i = [part.y for part in parts]
      np.testing.assert_array_equal(np.sort(np.concatenate(i)), np.arange(size))
      for part, of_part in zip(parts, i, strict=True):
        expected = (of_part - i[0].mean()) / i[0].std()
        np.testing.assert_allclose(part.x[:, 0], expected, atol=1e-5)
        # A feature without deviation is only centred.
        np.testing.assert_array_equal(part.x[:, 2], 0)
      np.testing.assert_allclose(client.train.x.mean(axis=0), 0, atol=1e-6)
      np.testing.assert_allclose(client.train.x[:, :2].std(axis=0), 1, atol=1e-5)

  def test_seed_decides_the_split(self):
    one, same, other = (_to_clients(10, 12, seed=seed).clients[1].train.y for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    self.assertFalse(np.array_equal(one, other))

  def test_held_out_silos_are_not_clients(self):
    data = _to_clients(10, 12, 14, choose_held_out=lambda names: names[:1])
    self.assertEqual([client.client_id for client in data.clients], ['farm_2', 'farm_3'])
    self.assertEqual([client.client_id for client in data.held_out], ['farm_1'])
    self.assertLen(data.test, 4)


class ReadSilosTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.file = pathlib.Path(self.create_tempdir().full_path) / 'farm.mat'

  def test_rows_and_columns_of_cells(self):
    x = [np.array([[1, 2], [3, 4]], np.uint8), np.array([[5, 6]], np.uint8)]
    y = [np.array([[7], [8]], np.int16), np.array([[9]], np.int16)]
    for shape in ((1, 2), (2, 1)):
      io.savemat(self.file, {'X': _cells(*x).reshape(shape), 'Y': _cells(*y).reshape(shape)})
      one, other = silos.read_silos(str(self.file.parent), _KIND)
      np.testing.assert_array_equal(one.x, [[1, 2], [3, 4]])
      np.testing.assert_array_equal(one.y, [7, 8])
      np.testing.assert_array_equal(other.y, [9])

  @parameterized.parameters(
    ({'Y': _cells(np.ones((2, 1)))}, 'farm.mat: X not found, expected cells, one per farm'),
    ({'X': np.ones((2, 2)), 'Y': _cells(np.ones((2, 1)))}, 'X not found, expected cells'),
    (
      {'X': _cells(np.ones((2, 3))), 'Y': _cells(np.ones(2), np.ones(2))},
      'X has 1 cells and Y 2, expected one per farm',
    ),
    (
      {'X': _cells(np.ones((2, 3))), 'Y': _cells(np.ones((3, 1)))},
      r'farm 1 has features \[2, 3\] and 3 yields, expected finite .* as many yields',
    ),
    (
      {'X': _cells(np.ones((1, 3)), np.ones((1, 2))), 'Y': _cells(np.ones(1), np.zeros(1))},
      'farms with 2 and 3 features, expected the same for all',
    ),
    (
      {'X': _cells(np.full((2, 3), np.nan)), 'Y': _cells(np.ones((2, 1)))},
      'farm 1 has features .* expected finite',
    ),
    (
      {'X': _cells(np.array([['a']], object)), 'Y': _cells(np.ones((1, 1)))},
      'farm 1 has cells that are not numbers',
    ),
  )
  def test_refuses_impossible_values(self, content, sentence):
    io.savemat(self.file, content)
    with self.assertRaisesRegex(examples.DataError, sentence):
      silos.read_silos(str(self.file), _KIND)

  def test_no_file_and_no_matlab_file(self):
    with self.assertRaisesRegex(examples.DataError, 'farm.mat not found, expected farm.mat'):
      silos.read_silos(str(self.file.parent), _KIND)
    self.file.write_text('<html>')
    with self.assertRaisesRegex(examples.DataError, 'farm.mat: cannot be read as a MATLAB file'):
      silos.read_silos(str(self.file), _KIND)


if __name__ == '__main__':
  absltest.main()
