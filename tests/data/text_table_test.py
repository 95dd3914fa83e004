"""Tests of reading text by user from tables with a post in each row."""

import pathlib

import pandas as pd
from absl.testing import absltest, parameterized

from tff_lg.data import examples, text_files

_POSTS = """author,body,created_utc
bo,"one

two",9
al,x,5
[deleted],gone,6
bo,[removed],6
bo,zero,3
cy,,1
"""


class ReadUsersTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)

  def _write(self, name, content):
    path = self.folder / name
    path.write_text(content, encoding='utf-8')
    return str(path)

  def test_posts_in_the_order_of_time(self):
    expected = {'bo': ['zero', 'one two'], 'al': ['x'], 'cy': []}
    path = self._write('posts.csv', _POSTS)
    self.assertEqual(text_files.read_users(path), expected)
    pd.read_csv(path).to_parquet(self.folder / 'posts.parquet')
    self.assertEqual(text_files.read_users(str(self.folder / 'posts.parquet')), expected)

  def test_rows_without_times_keep_their_order_over_files(self):
    self._write('a.csv', 'author,body\nal,b\nbo,c\n')
    self._write('b.csv', 'author,body\nal,a\n')
    self.assertEqual(text_files.read_users(str(self.folder)), {'al': ['b', 'a'], 'bo': ['c']})

  def test_columns_by_name(self):
    path = self._write('a.tsv', 'day\twho\tsaid\n2024-02-01\t7\tlater\n2023-12-31\t7\tfirst, yes\n')
    by_name = text_files.read_users(path, ('who', 'said'))
    self.assertEqual(by_name, {'7': ['later', 'first, yes']})
    by_time = text_files.read_users(path, ('who', 'said', 'day'))
    self.assertEqual(by_time, {'7': ['first, yes', 'later']})

  def test_json_beside_a_table_is_the_text(self):
    self._write('users.jsonl', '{"user": "al", "lines": ["a"]}')
    self._write('about.csv', 'user,age\nal,7\n')
    self.assertEqual(text_files.read_users(str(self.folder)), {'al': ['a']})
    for read in (text_files.read_users, text_files.check_files):
      with self.assertRaisesRegex(
        examples.DataError, r'users.jsonl: JSON found, expected a table with the columns who, said'
      ):
        read(str(self.folder), ('who', 'said'))

  @parameterized.parameters(
    ('author,body\n,a\n', (), r'author is missing in row 1 \(1 such rows\), expected a user'),
    ('author,body,created_utc\nal,a,\n', (), 'created_utc is missing in row 1, expected a time'),
    ('author,body,t\nal,a,x\n', ('author', 'body', 't'), 't has values that are not dates'),
  )
  def test_refuses(self, content, columns, sentence):
    with self.assertRaisesRegex(examples.DataError, sentence):
      text_files.read_users(self._write('a.csv', content), columns)

  @parameterized.parameters(
    ('who,body\nal,a\n', (), 'column author not found; it has who, body'),
    ('author,body\nal,a\n', ('author', 'said'), 'column said not found; it has author, body'),
    ('', (), 'cannot be read as a table'),
  )
  def test_refuses_before_it_reads_rows(self, content, columns, sentence):
    path = self._write('a.csv', content)
    for read in (text_files.read_users, text_files.check_files):
      with self.assertRaisesRegex(examples.DataError, sentence):
        read(path, columns)


if __name__ == '__main__':
  absltest.main()
