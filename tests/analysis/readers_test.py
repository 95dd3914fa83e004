"""Tests that a file is read exactly, or refused in one sentence that names it."""

import math
import os
import re

import pandas as pd
from absl.testing import absltest, parameterized

from tff_lg import checksums
from tff_lg.analysis import readers


class ReadersTest(parameterized.TestCase):
  def _file(self, name, content):
    path = os.path.join(self.create_tempdir().full_path, name)
    with open(path, 'wb') as file:
      file.write(content if isinstance(content, bytes) else content.encode())
    return path

  def _refuses(self, read, path, expected):
    with self.assertRaises(readers.RunFolderError) as raised:
      read(path)
    self.assertEqual(str(raised.exception), f'{path}: {expected}')

  def test_rounds(self):
    path = self._file('m.csv', 'round_num,method,a/b,c\r\n2,lg_fedavg,,nan\r\n1,fedavg,0.5,1\r\n')
    table = readers.read_rounds(path)
    self.assertEqual(list(table.index), [1, 2])
    self.assertEqual(list(table['method']), ['fedavg', 'lg_fedavg'])
    self.assertEqual(table.loc[1, 'a/b'], 0.5)
    self.assertTrue(math.isnan(table.loc[2, 'a/b']))
    self.assertEqual(table['c'].dtype, 'float64')

  def test_no_rounds(self):
    self.assertEmpty(readers.read_rounds(self._file('m.csv', 'round_num,train/loss\n')))

  @parameterized.parameters(
    ('', 'the file is empty, expected a table with a column round_num.'),
    ('round,loss\n1,2\n', 'there is no column round_num; the columns are round, loss.'),
    ('round_num,loss\n1,2\n2\n', 'row 3 has 1 fields, expected 2 as in the header.'),
    ('round_num,loss\n1,2\n1,3\n', 'round_num 1 comes twice, expected one row each.'),
    ('round_num,loss\n1,x\n', "loss of round_num 1 is 'x', expected a number."),
    (
      'round_num,loss\none,2\n',
      "round_num of row 2 is 'one', expected a number.",
    ),
    (
      'round_num,loss\n1.5,2\n',
      "round_num of row 2 is '1.5', expected a whole number that is not negative.",
    ),
    (b'\xff\xfe', 'byte 0 is not UTF-8, expected a text file.'),
  )
  def test_damaged_rounds(self, content, expected):
    self._refuses(readers.read_rounds, self._file('m.csv', content), expected)

  def test_label_counts(self):
    path = self._file('l.csv', 'client_id,cat,"dog, big"\n007,3,0\n8,0,4\n')
    table = readers.read_label_counts(path)
    self.assertEqual(list(table.index), ['007', '8'])
    self.assertEqual(list(table.columns), ['cat', 'dog, big'])
    self.assertEqual(table.to_numpy().tolist(), [[3, 0], [0, 4]])

  def test_names_that_a_spreadsheet_would_run(self):
    path = self.create_tempfile(content="client_id,'=1+1,b\n'-a,1,2\n").full_path
    table = readers.read_label_counts(path)
    self.assertEqual((list(table.columns), list(table.index)), (['=1+1', 'b'], ['-a']))

  def test_file_that_is_not_as_the_run_wrote_it(self):
    folder = self.create_tempdir()
    path = folder.create_file('metrics.csv', 'round_num,loss\n1,0.5\n2,0.25\n').full_path
    clients = os.path.join(folder.full_path, 'clients.parquet')
    pd.DataFrame({'client_id': ['a'], 'loss': [1.0]}).to_parquet(clients)
    checksums.write(folder.full_path, '{}')
    folder.create_file('summary.json', '{}')
    self.assertLen(readers.read_rounds(path), 2)
    self.assertLen(readers.read_clients(clients), 1)
    os.truncate(path, len('round_num,loss\n1,0.5\n'))
    pd.DataFrame({'client_id': ['a'], 'loss': [2.0]}).to_parquet(clients)
    for read, damaged in ((readers.read_rounds, path), (readers.read_clients, clients)):
      with self.assertRaisesRegex(readers.RunFolderError, f'{damaged} is damaged: its CRC-32'):
        read(damaged)

  def test_negative_count(self):
    path = self._file('l.csv', 'client_id,cat\na,-1\n')
    self._refuses(
      readers.read_label_counts,
      path,
      "cat of client_id a is '-1', expected a whole number that is not negative.",
    )

  @parameterized.parameters(
    ('{"a": 1,\n', 'line 2 is not JSON, expected one object of names and values.'),
    ('[' * 200_000, 'its values are nested too deeply, expected one object of names and values.'),
    ('[1]', 'found a JSON list, expected one object of names and values.'),
    ('{"a": {"b": 1}}', 'a is {"b": 1}, expected a number or text.'),
  )
  def test_damaged_objects(self, content, expected):
    self._refuses(readers.read_flat_object, self._file('s.json', content), expected)

  def test_null_is_not_a_number(self):
    values = readers.read_flat_object(self._file('s.json', '{"a": null, "b": "text", "c": NaN}'))
    self.assertTrue(math.isnan(values['a']) and math.isnan(values['c']))
    self.assertEqual(values['b'], 'text')

  @parameterized.parameters(readers.read_text, readers.read_clients)
  def test_missing(self, read):
    path = os.path.join(self.create_tempdir().full_path, 'x')
    self._refuses(
      read,
      path,
      'the file is missing; either the run has not finished or this is not a run folder.',
    )

  def test_if_present(self):
    self.assertIsNone(readers.if_present(readers.read_text, 'nowhere/x.txt'))


class ReadClientsTest(absltest.TestCase):
  def _file(self, **columns):
    path = os.path.join(self.create_tempdir().full_path, 'clients.parquet')
    pd.DataFrame(columns).to_parquet(path)
    return path

  def test_client_ids_are_text(self):
    table = readers.read_clients(self._file(client_id=[7, 8], num_test=[1, 0]))
    self.assertEqual(list(table.index), ['7', '8'])
    self.assertEqual(list(table['num_test']), [1.0, 0.0])

  def test_texts(self):
    path = self._file(client_id=['a', 'b'], name=['ewc', None])
    table = readers.read_clients(path, is_text=('name', 'another').__contains__)
    self.assertEqual(list(table['name']), ['ewc', None])
    with self.assertRaisesRegex(readers.RunFolderError, "name of client_id a is 'ewc'"):
      readers.read_clients(path)

  def test_accuracy_in_per_cent(self):
    path = self._file(client_id=['a', 'b'], **{'local_test/accuracy': [math.nan, 98.2]})
    with self.assertRaisesRegex(
      readers.RunFolderError,
      r'clients.parquet: local_test/accuracy of client b is 98.2, expected a share in \[0, 1\]',
    ):
      readers.read_clients(path)

  def test_curves_of_clients(self):
    path = self._file(round_num=[1, 1, 2, 2], client_id=[7, 8, 7, 8], loss=[4.0, 3.0, 2.0, 1.0])
    curves = readers.read_client_curves(path)
    self.assertEqual(curves['7']['loss'].to_dict(), {1: 4, 2: 2})
    self.assertEqual(curves['8']['loss'].to_dict(), {1: 3, 2: 1})
    self.assertEqual(list(curves['8']), ['loss'])
    with self.assertRaisesRegex(
      readers.RunFolderError, 'there is no column round_num; the columns'
    ):
      readers.read_client_curves(self._file(client_id=[7]))

  def test_validation_curves(self):
    path = os.path.join(self.create_tempdir().full_path, 'curves.csv')
    for text, sentence in (
      ('', f'{path}: the file is damaged, expected a CSV table.'),
      ('epoch,loss\n0,1\n', f'{path}: there is no column model; the columns are epoch, loss.'),
    ):
      with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
      with self.assertRaisesRegex(readers.RunFolderError, f'^{re.escape(sentence)}$'):
        readers.read_validation_curves(path)
    with self.assertRaisesRegex(readers.RunFolderError, 'missing'):
      readers.read_validation_curves(f'{path}.gone')

  def test_cut_off(self):
    path = self._file(client_id=['a'])
    with open(path, 'rb+') as file:
      file.truncate(20)
    with self.assertRaisesRegex(readers.RunFolderError, 'clients.parquet: the file is damaged'):
      readers.read_clients(path)


if __name__ == '__main__':
  absltest.main()
