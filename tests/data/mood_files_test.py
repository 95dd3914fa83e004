"""Tests of reading scored texts: the columns, and files that are broken."""

import gzip
from unittest import mock

from absl.testing import absltest, parameterized

from tff_lg.data import bounded, examples, mood_files

_PACKED = gzip.compress(b'user,text,score\nal,hi,1\n' * 9, mtime=0)


class ReadScoredTextsTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir()

  def _write(self, content, name='mood.csv'):
    return self.folder.create_file(name, content, mode='wb').full_path

  def test_users_in_order_with_columns_by_name(self):
    path = self._write(
      'score,day,text,user\n70,1,"Fine, thanks",bo\n\n-2.5,1,Ü,al\n1e2,2,,bo\n'.encode()
    )
    users = mood_files.read_scored_texts(path)
    self.assertEqual(list(users), ['bo', 'al'])
    self.assertEqual(users['bo'].texts, ('Fine, thanks', ''))
    self.assertEqual(users['bo'].scores.tolist(), [70, 100])
    self.assertEqual(users['al'].scores.tolist(), [-2.5])

  def test_text_is_text(self):
    users = mood_files.read_scored_texts(self._write(b'user,text,score\n007,NA,1\n'))
    self.assertEqual((list(users), users['007'].texts), (['007'], ('NA',)))

  def test_folder(self):
    self._write(b'user,text,score\nal,hi,1\n')
    self.assertEqual(list(mood_files.read_scored_texts(self.folder.full_path)), ['al'])

  @parameterized.parameters(
    (b'', r'mood\.csv: cannot be read as UTF-8 CSV \(No columns'),
    (b'user,text,score,text\nal,a,1,b\n', r'mood\.csv, line 1: 2 columns text found'),
    (b'user,text,score\n\xff,a,1\n', r'mood\.csv: cannot be read as UTF-8 CSV'),
    (b'user,text\nal,a\n', r'mood\.csv, line 1: columns user, text found, expected user, text, sc'),
    (b'user,text,score\n', r'mood\.csv: no rows found'),
    (b'user,text,score\n\n\n', r'mood\.csv: no rows found'),
    (b'user,text,score\nal,a,1\nal,b,high\n', r"mood\.csv, line 3: score is 'high', expected a fi"),
    (b'user,text,score\nal,a,inf\n', r"mood\.csv, line 2: score is 'inf'"),
    (b'user,text,score\nal,a,nan\n', r"mood\.csv, line 2: score is 'nan'"),
    (b'user,text,score\nal,a\n', r"mood\.csv, line 2: score is ''"),
    (b'user,text,score\nal,a,1,2,3\nal,a,1\n', r'mood\.csv, line 2: 5 cells found, expected 3'),
    (b'user,text,score\nal,a,1\nal,a,1,2\n', r'mood\.csv: cannot be read .*line 3'),
    (b'user,text,score\nal,"a\nb\n",1\n\n ,c,2\n', r"mood\.csv, line 6: user is ' ', expected a n"),
  )
  def test_refuses(self, content, sentence):
    path = self._write(content)
    with self.assertRaisesRegex(examples.DataError, sentence):
      mood_files.read_scored_texts(path)

  def test_packed_file(self):
    packed = gzip.compress(b'user,text,score\nal,hi,1\n')
    self.assertEqual(list(mood_files.read_scored_texts(self._write(packed, 'a.csv.gz'))), ['al'])

  @parameterized.parameters(
    ('a.csv.gz', _PACKED[:-9]),
    ('a.csv.gz', _PACKED[:10] + b'\xff' * 9),
    ('a.zip', b'PK\3\4 half\xff'),
    ('a.csv.xz', b'\xfd7zXZ\0 half'),
    ('a.csv.zst', b'\x28\xb5\x2f\xfd half'),
  )
  def test_refuses_damaged_archives(self, name, content):
    with self.assertRaisesRegex(examples.DataError, f'{name}: cannot be read as UTF-8 CSV'):
      mood_files.read_scored_texts(self._write(content, name))

  def test_refuses_what_is_too_large_once_unpacked(self):
    path = self._write(gzip.compress(b'user,text,score\n' + b'al,a,1\n' * 10_000), 'a.csv.gz')
    with mock.patch.object(bounded, 'room', return_value=1000):
      with self.assertRaisesRegex(examples.DataError, 'found once unpacked, expected at most'):
        mood_files.read_scored_texts(path)

  def test_refuses_no_file(self):
    with self.assertRaisesRegex(examples.DataError, r'mood\.csv not found, expected a CSV file'):
      mood_files.read_scored_texts(self.folder.full_path)


if __name__ == '__main__':
  absltest.main()
