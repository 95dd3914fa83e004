"""Tests of clients in TFF's own forms: its SQLite database, and any `ClientData`."""

import collections
import os
import sqlite3

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg import data
from tff_lg.compatibility import tff

_X, _Y = 'pixels', 'label'


def _rows(client, size):
  """Returns the elements of a client: x [2, 2] and a label."""
  x = np.arange(4.0 * size, dtype=np.float32).reshape(size, 2, 2) + 100 * client
  return collections.OrderedDict(pixels=x, label=np.arange(size, dtype=np.int32) % 3)


def _all_of(client):
  """Returns all examples of a client, in the order of their numbers."""
  parts = (client.train, client.validation, client.test)
  x, y = (np.concatenate([getattr(part, name) for part in parts]) for name in 'xy')
  order = np.argsort(x[:, 0, 0])
  return x[order], y[order]


class ClientDatabaseTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.path = os.path.join(self.create_tempdir().full_path, 'clients.sqlite')

  def _save(self, rows, splits=None):
    tff.simulation.datasets.save_to_sql_client_data(
      list(rows),
      lambda name: tf.data.Dataset.from_tensor_slices(rows[name]),
      self.path,
      True,
      splits,
    )

  def _load(self, **options):
    return data.load_client_database(
      self.path, 3, **{'keys': (_X, _Y), 'example_shape': (2, 2), **options}
    )

  def _loosen(self, connection, table, columns='*'):
    """Makes a table that takes values of any kind."""
    connection.execute(f'CREATE TABLE new AS SELECT {columns} FROM {table}')
    connection.execute(f'DROP TABLE {table}')
    connection.execute(f'ALTER TABLE new RENAME TO {table}')

  def test_all_examples_are_split(self):
    rows = {"o'neil": _rows(0, 10), 'b': _rows(1, 3)}
    self._save(rows)
    with self.assertLogs(level='WARNING') as logs:
      loaded = self._load()
    self.assertIn('has no index on client_id', logs.output[0])
    self.assertEqual([client.client_id for client in loaded.clients], ['b', "o'neil"])
    for client in loaded.clients:
      x, y = _all_of(client)
      np.testing.assert_array_equal(x, rows[client.client_id][_X])
      np.testing.assert_array_equal(y, rows[client.client_id][_Y])
    self.assertEqual([loaded.clients[1].size(part) for part in ('train', 'test')], [7, 2])
    self.assertEqual(self._load(example_shape=None).test.x.shape, (0, 4))

  def test_crc_tells_of_changed_examples(self):
    self._save({'a': _rows(0, 4), 'b': _rows(1, 3)}, {'a': 'train', 'b': 'train'})
    first = self._load().reader.data_crc32
    self.assertEqual(self._load().reader.data_crc32, first)
    with sqlite3.connect(self.path) as connection:
      proto = 'serialized_example_proto'
      (one,) = connection.execute(f'SELECT {proto} FROM examples WHERE client_id = "b"').fetchone()
      connection.execute(f'UPDATE examples SET {proto} = ? WHERE client_id = "a"', (one,))
    self.assertNotEqual(self._load().reader.data_crc32, first)

  def test_splits_of_the_database_are_kept(self):
    self._save({'a': _rows(0, 4), 'b': _rows(1, 5)}, {'a': 'train', 'b': 'test'})
    with sqlite3.connect(self.path) as connection:
      # The database's writer has one split a client; TFF's data sets have both of a client.
      for table in ('examples', 'client_metadata'):
        connection.execute(f"UPDATE {table} SET client_id = 'a'")
      connection.execute('CREATE INDEX by_client ON examples (client_id)')
    with self.assertNoLogs(level='WARNING'):
      (client,) = self._load().clients
    self.assertEqual([client.size(p) for p in ('train', 'validation', 'test')], [3, 1, 5])
    np.testing.assert_array_equal(client.test.x, _rows(1, 5)[_X])

  def test_clients_without_training_examples_are_left_out(self):
    self._save({'a': _rows(0, 4), 'b': _rows(1, 5)}, {'a': 'train', 'b': 'test'})
    with self.assertLogs(level='WARNING') as logs:
      (client,) = self._load().clients
    self.assertEqual(client.client_id, 'a')
    self.assertIn('1 of 2 clients have no training examples and are left out', logs.output[1])

  def test_refuses(self):
    with self.assertRaisesRegex(data.DataError, 'no such file'):
      self._load()
    with open(self.path, 'w', encoding='utf-8') as file:
      file.write('no database, but longer than the header of one ' * 20)
    with self.assertRaisesRegex(data.DataError, 'clients.sqlite: .* cannot be read'):
      self._load()
    os.remove(self.path)
    self._save({'a': _rows(0, 4)})
    with self.assertRaisesRegex(data.DataError, 'label .int64_list., pixels .float_list.; exp'):
      self._load(keys=('x', 'y'))
    clients = self._load(cache_size=0).clients
    with sqlite3.connect(self.path) as connection:
      connection.execute("UPDATE examples SET serialized_example_proto = X'FF'")
    with self.assertRaisesRegex(data.DataError, r'clients.sqlite \(client a\): an example cannot'):
      _ = clients[0].train
    with sqlite3.connect(self.path) as connection:
      connection.execute('DELETE FROM examples')
    with self.assertRaisesRegex(data.DataError, r'\(client a\): no examples found'):
      _ = clients[0].train

  @parameterized.parameters(
    ("client_metadata SET client_id = X'00'", r"a row \(b'.x00', 'train', 4\), expected texts"),
    ('client_metadata SET client_id = NULL', r"a row \(None, 'train', 4\), expected texts"),
    ("client_metadata SET client_id = ''", r"a row \('', 'train', 4\), expected texts"),
    ('client_metadata SET split_name = NULL', r"a row \('a', None, 4\), expected texts"),
    ('client_metadata SET num_examples = NULL', r"a row \('a', 'train', None\), expected texts"),
    ('client_metadata SET num_examples = -1', r"a row \('a', 'train', -1\), expected texts"),
    ("client_metadata SET num_examples = 'x'", r"a row \('a', 'train', 'x'\), expected texts"),
  )
  def test_refuses_other_types(self, update, sentence):
    self._save({'a': _rows(0, 4)}, {'a': 'train'})
    with sqlite3.connect(self.path) as connection:
      self._loosen(connection, 'client_metadata')
      connection.execute(f'UPDATE {update}')
    with self.assertRaisesRegex(data.DataError, f'clients.sqlite: client_metadata has {sentence}'):
      self._load()

  def test_refuses_integers_as_ids(self):
    self._save({'a': _rows(0, 4)})
    with sqlite3.connect(self.path) as connection:
      self._loosen(connection, 'client_metadata', '7 AS client_id, split_name, num_examples')
    with self.assertRaisesRegex(data.DataError, r'a row \(7, .*, 4\), expected texts'):
      self._load()

  def test_refuses_views_which_may_have_no_end(self):
    self._save({'a': _rows(0, 4)})
    with sqlite3.connect(self.path) as connection:
      connection.execute('DROP TABLE client_metadata')
      connection.execute(
        'CREATE VIEW client_metadata AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 '
        "FROM n) SELECT 'c' || i AS client_id, 'train' AS split_name, 1 AS num_examples FROM n"
      )
    with self.assertRaisesRegex(data.DataError, 'client_metadata is a view, expected a table'):
      self._load()

  def test_refuses_examples_without_features_or_bytes(self):
    rows = _rows(0, 4)
    self._save({'a': collections.OrderedDict(pixels=rows[_X][:, :, :0], label=rows[_Y])})
    with self.assertRaisesRegex(data.DataError, 'pixels of an example has no numbers'):
      self._load(example_shape=None)
    os.remove(self.path)
    self._save({'a': rows})
    (client,) = self._load().clients
    with sqlite3.connect(self.path) as connection:
      self._loosen(connection, 'examples')
      connection.execute('UPDATE examples SET serialized_example_proto = NULL')
    with self.assertRaisesRegex(data.DataError, 'client a has the example None, expected bytes'):
      _ = client.train


class FromClientDataTest(absltest.TestCase):
  def test_of_any_client_data(self):
    rows = {'a': _rows(0, 10), 'b': _rows(1, 5)}
    client_data = tff.simulation.datasets.TestClientData(rows)
    options = {'keys': (_X, _Y)}
    counted = data.from_client_data(client_data, 3, **options)
    given = data.from_client_data(client_data, 3, num_examples={'a': 10, 'b': 5}, **options)
    for one, other in zip(counted.clients, given.clients, strict=True):
      self.assertEqual(one.size('train'), other.size('train'))
      np.testing.assert_array_equal(one.test.x, other.test.x)
      np.testing.assert_array_equal(_all_of(one)[0], rows[one.client_id][_X])
    self.assertEqual(counted.test.x.shape, (0, 2, 2))

  def test_training_and_test_examples(self):
    train = tff.simulation.datasets.TestClientData({'a': _rows(0, 10), 'b': _rows(1, 5)})
    test = tff.simulation.datasets.TestClientData({'a': _rows(2, 3)})
    a, b = data.from_client_data(train, 3, test=test, keys=(_X, _Y)).clients
    np.testing.assert_array_equal(a.test.x, _rows(2, 3)[_X])
    self.assertEqual([a.size('train'), b.size('train'), b.size('test')], [9, 4, 0])

  def test_tuples_that_a_pipeline_makes(self):
    client_data = tff.simulation.datasets.TestClientData({'a': _rows(0, 10)}).preprocess(
      lambda dataset: dataset.filter(lambda row: row[_Y] > 0).map(lambda row: (row[_X], row[_Y]))
    )
    (client,) = data.from_client_data(client_data, 3, keys=(0, 1)).clients
    np.testing.assert_array_equal(_all_of(client)[1], [1, 2, 1, 2, 1, 2])

  def test_refuses_elements_without_x_and_y(self):
    client_data = tff.simulation.datasets.TestClientData({'a': _rows(0, 2)})
    with self.assertRaisesRegex(ValueError, "keys is .'x', 'y'., but an element is"):
      data.from_client_data(client_data, 3)


if __name__ == '__main__':
  absltest.main()
