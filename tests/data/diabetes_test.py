"""Tests of labels that are numbers: the embedded data with a number, and files."""

import pathlib

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import data
from tff_lg.data import arrays, diabetes, examples

_X = np.arange(8, dtype=np.float64).reshape(4, 2)
_NUMBERS = np.array([0.5, -1.0, 2.0, 70.0])
_LABELS = np.array([[0, 1, 1], [1, 0, 0], [0, 0, 0], [1, 1, 1]])


class DiabetesTest(absltest.TestCase):
  def test_standardised_on_training_patients(self):
    source = diabetes.load()
    self.assertEqual((len(source.train), len(source.test)), (354, 88))
    self.assertEqual(source.train.objective, 'regression')
    np.testing.assert_allclose(source.train.x.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose([source.train.y.mean(), source.train.y.std()], [0, 1], atol=1e-5)
    self.assertLen(set(source.train.users), 10)

  def test_clients_by_age_share_no_patient(self):
    federated = data.partition_clients(
      diabetes.load(), data.partitioners.natural(), validation_fraction=0.2, seed=0
    )
    self.assertEqual(federated.clients[0].client_id, 'age_0')
    self.assertEqual(sum(client.size('test') for client in federated.clients), 88)
    trained = [len(client.train) + len(client.validation) for client in federated.clients]
    self.assertEqual(sum(trained), 354)
    self.assertIsNone(federated.label_counts())
    self.assertIsNone(federated.num_classes_of_clients())
    self.assertFalse(federated.has_sequences or federated.has_plain_labels)

  def test_iid_clients_have_test_patients_in_proportion(self):
    federated = data.partition_clients(
      diabetes.load(), data.partitioners.iid(4), validation_fraction=0.1, seed=0
    )
    self.assertEqual([client.size('test') for client in federated.clients], [22, 22, 22, 22])


class LabelsOfFilesTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)

  def test_numbers_of_train_npz(self):
    np.savez(self.folder / 'train.npz', x=_X, y=_NUMBERS[:, np.newaxis])
    source = arrays.load(str(self.folder), objective='regression')
    self.assertEqual((source.num_classes, len(source.train), len(source.test)), (1, 3, 1))
    self.assertCountEqual([*source.train.y, *source.test.y], _NUMBERS)

  def test_several_labels_of_train_npz(self):
    np.savez(self.folder / 'train.npz', x=_X, y=_LABELS)
    source = arrays.load(str(self.folder), objective='multilabel')
    self.assertEqual((source.num_classes, source.train.objective), (3, 'multilabel'))
    self.assertEqual(source.train.y.dtype, np.float32)

  @parameterized.parameters(('regression', _NUMBERS, 1), ('multilabel', _LABELS, 3))
  def test_client_files(self, objective, y, num_classes):
    np.savez(self.folder / 'ann.npz', x=_X, y=y)
    found = data.load_client_folder(str(self.folder), num_classes, objective=objective)
    self.assertEqual(found.objective, objective)
    self.assertLen(found.clients[0].train.y, 2)
    np.testing.assert_array_equal(found.clients[0].train.y.dtype, np.float32)

  @parameterized.parameters(
    ('regression', np.array([0, np.inf, 0, 0]), 'y has inf in row 1, expected a finite float32'),
    ('regression', np.array(list('abcd')), 'expected 4 numbers'),
    ('regression', _LABELS, r'y is int64 \[4, 3\], expected 4 numbers'),
    ('multilabel', _NUMBERS, r'expected 0 and 1 \[4, 2\]'),
    ('multilabel', 2 * _LABELS[:, :2], r'expected 0 and 1 \[4, 2\]'),
  )
  def test_labels_that_cannot_be(self, objective, y, message):
    np.savez(self.folder / 'ann.npz', x=_X, y=y)
    found = data.load_client_folder(str(self.folder), 2, objective=objective)
    with self.assertRaisesRegex(examples.DataError, f'ann.npz: .*{message}'):
      _ = found.clients[0].train


if __name__ == '__main__':
  absltest.main()
