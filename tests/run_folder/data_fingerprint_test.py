"""Tests that a run's data are known again."""

import dataclasses
import json
import os

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import data
from tff_lg.run_folder import data_fingerprint


def _examples(*values) -> data.Examples:
  return data.Examples(np.array(values, np.float32).reshape(-1, 1), np.zeros(len(values), np.int32))


def _data(first=(1, 2), ids=('a', 'b'), test=(7,), held_out=(5,)) -> data.FederatedData:
  def client(client_id, train):
    return data.ClientExamples(client_id, _examples(*train), _examples(), _examples(4))

  return data.FederatedData(
    (client(ids[0], first), client(ids[1], (3,))),
    _examples(*test),
    1,
    ('class',),
    held_out=(client('c', held_out),),
  )


class DataFingerprintTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.run_dir = self.create_tempdir().full_path
    self.path = os.path.join(self.run_dir, 'client_list.json')

  def test_same_data_are_accepted(self):
    data_fingerprint.write_fingerprint(self.run_dir, _data())
    data_fingerprint.check_data(self.run_dir, _data())

  @parameterized.named_parameters(
    ('negated', {'first': (-1, -2)}, 'examples'),
    ('other_order', {'first': (2, 1)}, 'examples'),
    ('one_more', {'first': (1, 2, 3)}, "clients' ids or sizes"),
    ('renamed', {'ids': ('a', 'd')}, "clients' ids or sizes"),
    ('test_set', {'test': (8,)}, 'examples'),
    ('held_out', {'held_out': (6,)}, 'examples'),
  )
  def test_other_data_are_refused(self, changes, what):
    data_fingerprint.write_fingerprint(self.run_dir, _data())
    with self.assertRaisesRegex(ValueError, f'--from_run={self.run_dir} .*: the {what} differ'):
      data_fingerprint.check_data(self.run_dir, _data(**changes), '--from_run')

  def test_another_client_is_counted(self):
    data_fingerprint.write_fingerprint(self.run_dir, _data())
    both = _data()
    more = dataclasses.replace(both, clients=(*both.clients, *both.held_out), held_out=())
    with self.assertRaisesRegex(ValueError, r'number of clients differ .* has 2, found 3'):
      data_fingerprint.check_data(self.run_dir, more)

  def test_folder_without_a_fingerprint_is_not_checked(self):
    data_fingerprint.check_data(self.run_dir, _data())
    self.assertEqual(os.listdir(self.run_dir), [])

  def test_older_fingerprint_knows_no_examples(self):
    data_fingerprint.write_fingerprint(self.run_dir, _data())
    with open(self.path) as file:
      older = {name: value for name, value in json.load(file).items() if name != 'data_crc32'}
    with open(self.path, 'w') as file:
      json.dump(older, file)
    data_fingerprint.check_data(self.run_dir, _data(first=(8, 9)))
    with self.assertRaisesRegex(ValueError, 'ids or sizes'):
      data_fingerprint.check_data(self.run_dir, _data(first=(1,)))

  def test_what_a_run_began_with_stays(self):
    data_fingerprint.write_fingerprint(self.run_dir, _data())
    data_fingerprint.write_fingerprint(self.run_dir, _data(first=(8, 9)))
    data_fingerprint.check_data(self.run_dir, _data())

  @parameterized.parameters(
    '', '{"num_clients"', '7', '[1]', '{}', '{"num_clients": 2, "crc32": "a"}'
  )
  def test_damaged_file_is_named(self, content):
    with open(self.path, 'w') as file:
      file.write(content)
    with self.assertRaisesRegex(ValueError, f'{self.path} is damaged .*: delete it'):
      data_fingerprint.check_data(self.run_dir, _data())

  @parameterized.parameters(None, 7)
  def test_examples_of_clients_that_are_read_when_needed_are_not_read(self, crc):
    class Reader:
      num_examples = {'train': np.array([3]), 'validation': np.array([0]), 'test': np.array([1])}
      data_crc32 = crc

    reader = Reader()
    unread = data.UnreadClient('a', 0, reader)
    found = data_fingerprint.fingerprint(
      data.FederatedData((unread,), _examples(), 1, ('class',), reader=reader)
    )
    self.assertEqual(found.get('data_crc32'), crc)
    self.assertContainsSubset(['num_clients', 'crc32'], found)


if __name__ == '__main__':
  absltest.main()
