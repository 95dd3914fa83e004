"""Tests of the clients file."""

import os
from unittest import mock

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import heterogeneity
from tff_lg.data import bounded


def _assignment(**changes):
  arguments = {
    'ids': np.array(['c.wav', 'a.wav', 'b.wav']),
    'client': np.array([2, 0, 1], np.int32),
    'split': np.array(['train', 'test', 'train']),
    'num_clients': 3,
    'shuffled_share': 0.2,
    'seed': 7,
    'provenance': '{"made_by": "a test"}',
  }
  return heterogeneity.ClientAssignment(**{**arguments, **changes})


class ClientAssignmentTest(parameterized.TestCase):
  def test_looks_up_by_id(self):
    client = _assignment().clients_of(np.array(['a.wav', 'c.wav', 'a.wav']))
    np.testing.assert_array_equal(client, [0, 2, 0])
    self.assertEqual(client.dtype, np.int32)
    self.assertEmpty(_assignment().clients_of(np.array([], str)))

  @parameterized.parameters('', 'aa.wav', 'z.wav')
  def test_unknown_id(self, name):
    with self.assertRaisesRegex(ValueError, f'1 of 2 examples have no client.* {name};'):
      _assignment().clients_of(np.array(['a.wav', name]))

  def test_from_simulation(self):
    x, y = np.arange(8.0).reshape(4, 2), np.zeros(4, int)
    split, ids = np.full(4, 'train'), np.array(['a', 'b', 'c', 'd'])
    clients = heterogeneity.simulate_clients(x, y, split, 2, 0.5, 3)
    assignment = heterogeneity.ClientAssignment.from_simulation(clients, ids, split)
    np.testing.assert_array_equal(assignment.client, clients.client)
    self.assertEqual(
      (assignment.num_clients, assignment.shuffled_share, assignment.seed), (2, 0.5, 3)
    )

  @parameterized.named_parameters(
    ('lengths', {'split': np.array(['train'])}, r'ids \[3\], client \[3\], split \[1\] found'),
    ('dtype', {'client': np.zeros(3)}, 'client float64'),
    ('twice', {'ids': np.array(['a', 'b', 'a'])}, 'ids has a 2 times'),
    ('range', {'num_clients': 2}, r'value 2, expected \[0, 2\)'),
    ('negative', {'client': np.array([0, -1, 1], np.int32)}, 'value -1'),
    ('provenance', {'provenance': 'by me'}, 'provenance is not JSON'),
  )
  def test_refuses(self, changes, message):
    with self.assertRaisesRegex(ValueError, message):
      _assignment(**changes)


class FileTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    self.path = os.path.join(self.folder, 'made', 'clients.npz')

  def test_round_trip(self):
    saved = _assignment()
    self.assertEqual(heterogeneity.save_clients(self.path, saved), self.path)
    loaded = heterogeneity.load_clients(self.path)
    for name in ('ids', 'client', 'split'):
      np.testing.assert_array_equal(getattr(loaded, name), getattr(saved, name))
      self.assertEqual(getattr(loaded, name).dtype, getattr(saved, name).dtype)
    for name in ('num_clients', 'shuffled_share', 'seed', 'provenance'):
      self.assertEqual(getattr(loaded, name), getattr(saved, name))
    self.assertEqual(os.listdir(os.path.dirname(self.path)), ['clients.npz'])

  def test_arrays_of_the_file(self):
    heterogeneity.save_clients(self.path, _assignment())
    with np.load(self.path) as arrays:
      self.assertCountEqual(
        arrays.files,
        ['ids', 'client', 'split', 'num_clients', 'shuffled_share', 'seed', 'provenance'],
      )
      self.assertEqual(arrays['provenance'].shape, ())

  def test_same_bytes(self):
    contents = set()
    for _ in range(2):
      heterogeneity.save_clients(self.path, _assignment())
      with open(self.path, 'rb') as file:
        contents.add(file.read())
    self.assertLen(contents, 1)

  def test_no_file(self):
    with self.assertRaises(FileNotFoundError):
      heterogeneity.load_clients(self.path)

  @parameterized.named_parameters(('text', b'hello'), ('empty', b''), ('zip', b'PK\x03\x04 half'))
  def test_damaged(self, content):
    path = self.create_tempfile(content=content, mode='wb').full_path
    with self.assertRaisesRegex(ValueError, f'^{path}: cannot be read as an npz file'):
      heterogeneity.load_clients(path)

  def test_too_large_for_the_memory(self):
    heterogeneity.save_clients(self.path, _assignment())
    with mock.patch.object(bounded, 'room', return_value=100):
      with self.assertRaisesRegex(ValueError, f'^{self.path}: .* found once unpacked, expected'):
        heterogeneity.load_clients(self.path)

  def test_other_arrays(self):
    path = os.path.join(self.folder, 'other.npz')
    np.savez(path, ids=np.array(['a']))
    with self.assertRaisesRegex(ValueError, r"arrays \['ids'\] found, expected ids, client"):
      heterogeneity.load_clients(path)

  @parameterized.parameters(({'client': np.array([0, 5, 1], np.int32)},), ({'seed': [1, 2]},))
  def test_wrong_values(self, changes):
    names = ('ids', 'client', 'split', 'num_clients', 'shuffled_share', 'seed', 'provenance')
    path = os.path.join(self.folder, 'wrong.npz')
    np.savez(path, **{name: getattr(_assignment(), name) for name in names} | changes)
    with self.assertRaisesRegex(ValueError, f'^{path}: '):
      heterogeneity.load_clients(path)


if __name__ == '__main__':
  absltest.main()
