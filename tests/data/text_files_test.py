"""Tests of reading text by user: all formats, folders, and files that are broken."""

import gzip
import json
from unittest import mock

from absl.testing import absltest, parameterized

from tff_lg.data import bounded, examples, text_files


def _windows(text, length):
  starts = range(len(text) - length)
  return [text[i : i + length] for i in starts], [text[i + length] for i in starts]


class ReadUsersTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir()

  def _write(self, name, content):
    return self.folder.create_file(name, content, mode='wb').full_path

  def test_json_lines(self):
    content = '{"user": "bo", "lines": ["Ü b", "", " "]}\n\n{"user": "al", "lines": ["c"]}\n'
    expected = {'bo': ['Ü b'], 'al': ['c']}
    path = self._write('a.jsonl', content.encode())
    self.assertEqual(text_files.read_users(path), expected)
    packed = self._write('packed.jsonl.gz', gzip.compress(content.encode()))
    self.assertEqual(text_files.read_users(packed), expected)

  def test_folder_of_several_files(self):
    self._write('b.jsonl', b'{"user": "bo", "lines": ["b"]}')
    self._write('a.json', b'{"users": ["al"], "user_data": {"al": {"x": ["a"], "y": ["b"]}}}')
    self._write('README.md', b'# not text by user')
    self.assertEqual(text_files.read_users(self.folder.full_path), {'al': ['ab'], 'bo': ['b']})

  def test_windows_of_leaf_become_sentences_again(self):
    text = 'To be, or not. To be? That is the question!'
    windows, targets = _windows(text, 5)
    apart, after = _windows('Words, words.', 5)
    leaf = {'user_data': {'HAMLET': {'x': windows + apart, 'y': targets + after}}}
    path = self._write('leaf.json', json.dumps(leaf).encode())
    self.assertEqual(
      text_files.read_users(path),
      {'HAMLET': ['To be, or not.', 'To be?', 'That is the question!', 'Words, words.']},
    )

  def test_comments_of_leafs_reddit_in_the_order_of_time(self):
    comments = [[['<BOS>', 'later', 'on'], ['.', '<EOS>', '<PAD>']], [['<BOS>', 'first', '<EOS>']]]
    about = [{'created_utc': '20', 'target_tokens': [], 'score': 1}, {'created_utc': 10}]
    train = {'users': ['al'], 'user_data': {'al': {'x': comments, 'y': about}}}
    test = {'user_data': {'al': {'x': [[['<BOS>', 'last', '<EOS>']]], 'y': [{'created_utc': 30}]}}}
    self._write('a_test.json', json.dumps(test).encode())
    self._write('a_train.json', json.dumps(train).encode())
    found = text_files.read_users(self.folder.full_path)
    self.assertEqual(found, {'al': ['first', 'later on .', 'last']})

  def test_tweets_of_leafs_sent140_in_the_order_of_their_ids(self):
    rows = [
      [n, 'Mon Apr 06', 'NO_QUERY', 'al', text, 'training'] for n, text in (('9', 'b'), ('7', 'a'))
    ]
    leaf = {'user_data': {'al': {'x': rows, 'y': [0, 1]}}}
    path = self._write('sent140.json', json.dumps(leaf).encode())
    self.assertEqual(text_files.read_users(path), {'al': ['a', 'b']})

  @parameterized.parameters('000.json', '000.jsonl', '000.json.gz')
  def test_rows_of_bigquery(self, name):
    rows = [
      {'author': 'bo', 'body': 'one\n\ntwo', 'created_utc': '9'},
      {'author': 'al', 'body': 'x', 'created_utc': 5},
      {'author': '[deleted]', 'body': 'gone', 'created_utc': 6},
      {'author': 'bo', 'body': '[removed]', 'created_utc': 6},
      {'author': 'bo', 'body': 'zero', 'created_utc': 3},
    ]
    content = '\n'.join(map(json.dumps, rows)).encode()
    path = self._write(name, gzip.compress(content) if name.endswith('.gz') else content)
    self.assertEqual(text_files.read_users(path), {'bo': ['zero', 'one two'], 'al': ['x']})

  def test_rows_without_times_keep_their_order(self):
    content = b'{"author": "al", "body": "b"}\n{"author": "al", "body": "a"}\n'
    path = self._write('0.json', content)
    self.assertEqual(text_files.read_users(path), {'al': ['b', 'a']})
    self._write('1.json', content)
    with self.assertRaisesRegex(examples.DataError, "'al' found twice, expected once, or a time"):
      text_files.read_users(self.folder.full_path)

  @parameterized.parameters(
    (
      'a.json',
      b'{"author": "al", "body": "b"}\n{"author": "al", "body": 3}',
      'line 2: .* found, exp',
    ),
    (
      'a.json',
      b'{"author": "al", "body": "b", "created_utc": "noon"}',
      'line 1: .* found, could not',
    ),
    (
      'a.jsonl',
      b'{"author": "al", "body": "b", "created_utc": 1}\n{"author": "al", "body": "c"}',
      'line 2: some posts of .al. have "created_utc", expected all or none',
    ),
    ('a.jsonl', b'{"user": "al", "lines": []}\n{"user": ', r'a\.jsonl, line 2: is not JSON'),
    ('a.jsonl', b'\n{"user": 3, "lines": []}', r'a\.jsonl, line 2: {"user": 3.* found, expected'),
    ('a.jsonl', b'{"user": "al", "lines": "one"}', 'line 1: .* found, expected {"user"'),
    ('a.jsonl', b'["al"]', 'line 1: .* found, expected {"user"'),
    (
      'a.jsonl',
      b'{"user": "al", "lines": []}\n{"user": "al", "lines": []}',
      "line 2: user 'al' found twice",
    ),
    ('a.jsonl', b'\xff\xfe', r'a\.jsonl: cannot be read as UTF-8 text'),
    ('a.jsonl.gz', gzip.compress(b'{}' * 99)[:-9], r'a\.jsonl\.gz: cannot be read'),
    ('a.json', b'{"users": [1,\n', r'a\.json: is not JSON \(.*line 2'),
    ('a.json', b'{"users": ["al"]}', 'no "user_data" found'),
    ('a.json', b'{"user_data": {"al": {"x": ["a"], "y": []}}}', "user 'al' has other data"),
    ('a.json', b'{"user_data": {"al": {"x": [[1]], "y": [2]}}}', "user 'al' has other data"),
    ('a.txt', b'text', 'no text found, expected a file'),
  )
  def test_refuses(self, name, content, sentence):
    for path in (self._write(name, content), self.folder.full_path):
      with self.assertRaisesRegex(examples.DataError, sentence):
        text_files.read_users(path)

  def test_more_than_there_is_memory_for(self):
    path = self._write('a.jsonl.gz', gzip.compress(bytes(5000)))
    with mock.patch.object(bounded, 'room', return_value=4000):
      with self.assertRaisesRegex(examples.DataError, 'a.jsonl.gz: .* GB found once unpacked'):
        text_files.read_users(path)

  def test_path_that_is_not_there(self):
    with self.assertRaisesRegex(examples.DataError, 'data_dir: /nowhere found, expected'):
      text_files.read_users('/nowhere')


if __name__ == '__main__':
  absltest.main()
