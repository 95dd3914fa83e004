"""Tests of reading tables from files."""

import gzip
import pathlib
from unittest import mock

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from absl.testing import absltest, parameterized

from tff_lg.data import bounded, examples, table_files

_TABLE = pd.DataFrame({'age': [1, 2], 'name': ['a', 'b']})


class TableFilesTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)

  def test_each_kind_of_file(self):
    _TABLE.to_csv(self.folder / 'a.csv', index=False)
    _TABLE.to_csv(self.folder / 'b.csv.gz', index=False)
    _TABLE.to_parquet(self.folder / 'c.parquet', index=False)
    for name in ('a.csv', 'b.csv.gz', 'c.parquet'):
      pd.testing.assert_frame_equal(table_files.read_table(str(self.folder / name)), _TABLE)

  @parameterized.parameters(
    ('a.csv', 'age;"name; of"\n1,5;x\n2,5;y\n', [1.5, 2.5]),
    ('a.csv', 'age;"name; of"\n1.5;x\n2.5;y\n', [1.5, 2.5]),
    ('a.tsv', 'age\tname; of\n1,5\tx\n2\ty\n', [1.5, 2.0]),
    ('a.csv', 'age,name; of\n1.5,"x;y\tz"\n2.5,y\n', [1.5, 2.5]),
  )
  def test_delimiter_is_that_of_the_header(self, name, content, ages):
    (self.folder / name).write_text(content)
    table = table_files.read_table(str(self.folder / name))
    self.assertEqual(table['age'].tolist(), ages)
    self.assertLen(table['name; of'], 2)
    self.assertEqual(table_files.read_columns(str(self.folder / name)), ['age', 'name; of'])

  def test_folder_is_joined_by_name(self):
    _TABLE.to_csv(self.folder / 'b.csv', index=False)
    _TABLE[['name', 'age']].iloc[::-1].to_parquet(self.folder / 'a.parquet', index=False)
    (self.folder / 'README').write_text('no table')
    (self.folder / 'c.csv').write_text('age,name\n')
    joined = table_files.read_table(str(self.folder))
    self.assertEqual(joined['age'].dtype, 'int64')
    self.assertEqual(joined['age'].tolist(), [2, 1, 1, 2])
    self.assertEqual(joined.index.tolist(), [0, 1, 2, 3])

  def test_file_column_names_each_rows_file(self):
    _TABLE.to_csv(self.folder / 'North.1.csv.gz', index=False)
    _TABLE.to_parquet(self.folder / 'South.parquet', index=False)
    table = table_files.read_table(str(self.folder), 'hospital')
    self.assertEqual(table['hospital'].tolist(), ['North.1', 'North.1', 'South', 'South'])
    self.assertEqual(table_files.read_columns(str(self.folder), 'hospital'), list(table.columns))
    for read in (table_files.read_table, table_files.read_columns):
      with self.assertRaisesRegex(
        examples.DataError, 'North.1.csv.gz: column age found, expected another name for the'
      ):
        read(str(self.folder), 'age')

  @parameterized.parameters(
    ('missing.csv', None, 'nothing found at .*missing.csv, expected a file that ends in .csv'),
    ('a.txt', b'age\n1\n', 'another file found at .*a.txt'),
    ('a.csv', b'', 'cannot be read as a table'),
    ('a.csv', b'age,name\n', 'no rows found'),
    ('a.csv', b'\xff\xfe', 'table: byte 0xff found where UTF-8 has none; save it as UTF-8'),
    ('a.csv', b'age,ill,ill\n1,0,0\n', 'a.csv: 2 columns ill found, expected each name once'),
    ('a.csv', b'\xef\xbb\xbf\nage,"age"\n1,2\n', '2 columns age found'),
    ('a.csv', b'PAR1....', 'a Parquet file found, expected what its name says'),
    ('a.parquet', b'age\n1\n', 'no Parquet file found'),
    ('a.parquet', b'PAR1....PAR1', 'cannot be read as a table'),
    ('a.csv.gz', gzip.compress(b'age\n1\n', mtime=0)[:-6], 'cannot be read as a table'),
    (
      'a.csv.gz',
      gzip.compress(b'age\n1\n', mtime=0)[:10] + b'\xff' * 9,
      'cannot be read as a table',
    ),
  )
  def test_refuses(self, name, content, sentence):
    if content is not None:
      (self.folder / name).write_bytes(content)
    with self.assertRaisesRegex(examples.DataError, sentence):
      table_files.read_table(str(self.folder / name))

  def test_parquet_file_of_several_batches_and_dictionaries(self):
    texts = [f'text {row % 9}' for row in range(10_000)]
    table = pd.DataFrame({'text': texts, 'row': range(10_000), 'group': pd.Categorical(texts)})
    table.to_parquet(self.folder / 'a.parquet', index=False, row_group_size=6000)
    found = table_files.read_table(str(self.folder / 'a.parquet'))
    pd.testing.assert_frame_equal(found, table)

  def test_refuses_a_parquet_file_that_names_a_column_twice(self):
    ages = pa.array([1, 2])
    pq.write_table(pa.table([ages, ages], names=['age', 'age']), self.folder / 'a.parquet')
    for read in (table_files.read_table, table_files.read_columns):
      with self.assertRaisesRegex(examples.DataError, 'a.parquet: 2 columns age found'):
        read(str(self.folder / 'a.parquet'))

  def test_columns_without_a_name(self):
    (self.folder / 'a.csv').write_bytes(b',age,\n1,2,3\n')
    found = table_files.read_table(str(self.folder / 'a.csv'))
    self.assertEqual(found.to_numpy().tolist(), [[1, 2, 3]])

  def test_parquet_file_of_a_value_that_repeats_itself(self):
    path = self.folder / 'a.parquet'
    pd.DataFrame({'text': ['long' * 1000] * 10_000}).to_parquet(path)
    self.assertLess(path.stat().st_size, 100_000)
    with mock.patch.object(bounded, 'room', return_value=1_000_000):
      with self.assertRaisesRegex(examples.DataError, 'GB found once unpacked'):
        table_files.read_table(str(path))

  def test_columns_are_those_of_the_whole_table(self):
    indexed = _TABLE.set_index(pd.Index(['x', 'y']))
    indexed.to_parquet(self.folder / 'index.parquet')
    _TABLE.set_index('name').to_parquet(self.folder / 'named.parquet')
    _TABLE.to_csv(self.folder / 'plain.csv.gz', index=False)
    for name, content in (
      ('surplus.csv', b'age,name\nx,1,a\ny,2,b\n'),
      ('long.csv', b'age,"na\nme"\n' + b'1,a\n' * 30),
      ('wide.csv', b'column_of_a_long_name,another\n1,2\n'),
    ):
      (self.folder / name).write_bytes(content)
    for file in self.folder.iterdir():
      with mock.patch.object(table_files, '_HEAD', 20):
        found = table_files.read_columns(str(file))
      self.assertEqual(found, list(table_files.read_table(str(file)).columns), file.name)

  def test_first_column_without_a_name_even_if_it_counts(self):
    path = self.folder / 'a.csv'
    for cells in ((0, 1, 2), (3, 5, 7), (5, 9, 2), ('a', 'b', 'c')):
      path.write_text('x,y\n' + ''.join(f'{cell},1,2\n' for cell in cells))
      table = table_files.read_table(str(path))
      self.assertEqual(table.columns.tolist(), ['index', 'x', 'y'])
      self.assertEqual(table['index'].tolist(), list(cells))
      self.assertEqual(table_files.read_columns(str(path)), ['index', 'x', 'y'])

  def test_columns_need_no_more_than_the_first_lines(self):
    (self.folder / 'a.csv').write_bytes(b'age,name\n1,a\n' + b'2,b\n' * 100)
    with (
      mock.patch.object(table_files, '_HEAD', 20),
      mock.patch.object(bounded, 'room', return_value=100),
    ):
      self.assertEqual(table_files.read_columns(str(self.folder / 'a.csv')), ['age', 'name'])

  def test_refuses_files_of_other_columns_and_folders_without_any(self):
    with self.assertRaisesRegex(examples.DataError, 'has no file that ends in'):
      table_files.find_files(str(self.folder))
    _TABLE.to_csv(self.folder / 'a.csv', index=False)
    _TABLE.rename(columns={'age': 'years'}).to_csv(self.folder / 'b.csv', index=False)
    with self.assertRaisesRegex(examples.DataError, 'b.csv: .* those of a.csv in age, years'):
      table_files.read_table(str(self.folder))


if __name__ == '__main__':
  absltest.main()
