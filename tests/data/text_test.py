"""Tests of text as sequences: the split in time, the vocabulary, the padding, by hand."""

import json
from unittest import mock

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import data
from tff_lg.data import tff_text, vocabulary


class LoadTextTest(parameterized.TestCase):
  def _load(self, users, **options):
    lines = [json.dumps({'user': user, 'lines': lines}) for user, lines in users.items()]
    path = self.create_tempfile('users.jsonl', '\n'.join(lines)).full_path
    return data.load_text(path, **options)

  def _text(self, examples, known):
    """Returns the targets as text, padding left out."""
    return ' '.join(known[token] for token in examples.y[examples.y != vocabulary.PADDING])

  def test_split_is_in_time(self):
    numbers = [f'w{number}' for number in range(20)]
    (client,) = self._load({'al': numbers}, validation_fraction=0.1).clients
    known = self._load({'al': numbers}, validation_fraction=0.1).class_names
    # 2 of 20 lines for testing, 2 of the other 18 for validation.
    self.assertEqual(self._text(client.train, known).split(), numbers[:16])
    self.assertEqual(self._text(client.validation, known), '<unk> \n <unk> \n')
    self.assertEqual(self._text(client.test, known), '<unk> \n <unk> \n')

  def test_vocabulary_and_test_text_are_without_held_out_users(self):
    users = {'al': ['a b'] * 4, 'bo': ['c d'] * 4, 'cy': ['a e'] * 4}
    loaded = self._load(users, choose_held_out=lambda names: names[1:2])
    self.assertEqual([client.client_id for client in loaded.clients], ['al', 'cy'])
    self.assertEqual(loaded.class_names[3:], ('a', 'b', 'e'))
    (held_out,) = loaded.held_out
    self.assertEqual(held_out.client_id, 'bo')
    self.assertEqual(self._text(held_out.test, loaded.class_names), '<unk> <unk> \n')
    self.assertNotIn('<unk>', self._text(loaded.test, loaded.class_names))

  @parameterized.parameters(
    (2, 0.1, (1, 0, 1)),
    (3, 0.1, (1, 1, 1)),
    (14, 0.1, (12, 1, 1)),
    (15, 0.1, (12, 1, 2)),
    (100, 0.2, (72, 18, 10)),
    (100, 0.0, (90, 0, 10)),
    (3, 0.9, (1, 1, 1)),
  )
  def test_lines_of_each_part(self, num_lines, fraction, expected):
    (client,) = self._load(
      {'al': ['a'] * num_lines}, validation_fraction=fraction, sequence_length=3
    ).clients
    parts = (client.train, client.validation, client.test)
    self.assertEqual(tuple((part.y == 2).sum() for part in parts), expected)

  @parameterized.parameters((0.2, (14, 2, 4)), (0.5, (9, 1, 10)), (0.99, (1, 0, 19)))
  def test_share_of_lines_for_testing(self, test_fraction, expected):
    (client,) = self._load(
      {'al': ['a'] * 20}, test_fraction=test_fraction, validation_fraction=0.1
    ).clients
    parts = (client.train, client.validation, client.test)
    self.assertEqual(tuple((part.y == 2).sum() for part in parts), expected)

  def test_users_with_a_number_of_lines_in_range(self):
    users = {name: ['a'] * number for name, number in (('al', 3), ('bo', 4), ('cy', 5), ('di', 6))}
    loaded = self._load(users, min_lines=4, max_lines=5)
    self.assertEqual([client.client_id for client in loaded.clients], ['bo', 'cy'])
    with self.assertRaisesRegex(data.DataError, 'no user of 4 has 7 to 9 lines'):
      self._load(users, min_lines=7, max_lines=9)

  def test_words_of_later_text_are_unknown(self):
    loaded = self._load({'al': ['a b', 'c', 'd'], 'bo': ['b', 'e d', 'a']})
    self.assertEqual(loaded.class_names, ('<pad>', '<unk>', '\n', 'b', 'a'))
    self.assertEqual(loaded.num_classes, 5)
    al, bo = loaded.clients
    np.testing.assert_array_equal(al.validation.y[0, :3], [1, 2, 0])
    np.testing.assert_array_equal(al.test.y[0, :3], [1, 2, 0])
    np.testing.assert_array_equal(bo.test.y[0, :3], [4, 2, 0])

  def test_sequences_run_over_the_ends_of_lines_and_end_in_padding(self):
    (client,) = self._load(
      {'al': ['a b', 'c', 'z']}, validation_fraction=0, sequence_length=3
    ).clients
    # a b \n c \n, where a, b, c are 3, 4, 5.
    np.testing.assert_array_equal(client.train.x, [[2, 3, 4], [2, 5, 0]])
    np.testing.assert_array_equal(client.train.y, [[3, 4, 2], [5, 2, 0]])
    self.assertEqual((client.train.x.dtype, client.train.y.dtype), (np.int32, np.int32))
    self.assertEqual(client.validation.x.shape, (0, 3))

  def test_vocabulary_size(self):
    loaded = self._load({'al': ['a a b', 'z'], 'bo': ['a b c', 'z']}, vocabulary_size=5)
    self.assertEqual(loaded.class_names[3:], ('a', 'b'))
    np.testing.assert_array_equal(loaded.clients[1].train.y[0, :5], [3, 4, 1, 2, 0])

  def test_known_tokens_are_the_vocabulary(self):
    known = ('<pad>', '<unk>', '\n', 'z', 'b')
    loaded = self._load({'al': ['a b b', 'z']}, known_tokens=known)
    self.assertEqual((loaded.class_names, loaded.num_classes), (known, 5))
    np.testing.assert_array_equal(loaded.clients[0].train.y[0, :5], [1, 4, 4, 2, 0])

  def test_characters(self):
    loaded = self._load({'al': ['Ab a', 'B']}, tokenize=vocabulary.characters)
    self.assertEqual(loaded.class_names[3:], (' ', 'A', 'a', 'b'))
    np.testing.assert_array_equal(loaded.clients[0].train.y[0, :6], [4, 6, 3, 5, 2, 0])

  def test_users_with_few_lines_are_left_out_and_counted(self):
    with self.assertLogs(level='INFO') as logs:
      loaded = self._load({'cy': ['a'], 'bo': ['a', 'b'], 'al': ['a', ' ', 'b'], 'di': []})
    self.assertEqual([client.client_id for client in loaded.clients], ['al', 'bo'])
    self.assertIn('2 of 4 users have fewer than 2 lines', logs.output[0])

  def _users(self, *names, **options):
    loaded = self._load({name: ['a'] * (1 + ord(name) % 2) for name in names}, **options)
    return ''.join(client.client_id for client in loaded.clients)

  def test_users_are_drawn_from_those_with_enough_lines(self):
    # Of every second letter, a, c, e, ..., there are two lines.
    drawn = [self._users(*'abcdefghij', max_users=3, seed=seed) for seed in range(40)]
    self.assertEqual(drawn[0], self._users(*'jihgfedcba', max_users=3, seed=0))
    # All ten sets of three of five, and each user in about three of five of the draws.
    self.assertLen(set(drawn), 10)
    counts = [sum(letter in users for users in drawn) for letter in 'acegi']
    self.assertEqual(sum(counts), 3 * 40)
    self.assertBetween(min(counts), 16, 24)
    self.assertEqual(self._users(*'abcdefghij', max_users=9), 'acegi')

  def test_users_that_are_not_needed_are_not_read(self):
    users = mock.MagicMock()
    users.__iter__.side_effect = lambda: iter('abcdefgh')
    users.__len__.return_value = 8
    users.__getitem__.side_effect = lambda name: [name, 'z']
    with mock.patch.object(tff_text, 'read_users', return_value=users) as read:
      loaded = data.load_text('cache', source='tff_stackoverflow', max_users=2)
    read.assert_called_once_with('tff_stackoverflow', 'cache')
    self.assertEqual(users.__getitem__.call_count, 2)
    self.assertLen(loaded.clients, 2)

  def test_common_test_set_is_everybodys_test_text(self):
    loaded = data.load_text()
    self.assertLen(loaded.clients, 20)
    self.assertLen(loaded.test, sum(len(client.test) for client in loaded.clients))
    np.testing.assert_array_equal(
      loaded.test.y[: len(loaded.clients[0].test)], loaded.clients[0].test.y
    )

  def test_there_is_no_table_of_labels(self):
    loaded = self._load({'al': ['a a b', 'c', 'd'], 'bo': ['a', 'b']})
    self.assertTrue(loaded.has_sequences)
    self.assertIsNone(loaded.label_counts())
    # a, b, the end of a line, unknown c of validation; a and the end.
    np.testing.assert_array_equal(loaded.num_classes_of_clients(), [4, 2])

  def test_refuses(self):
    with self.assertRaisesRegex(data.DataError, 'no user of 1 has 3 lines or more'):
      self._load({'al': ['a', 'b']}, min_lines=3)
    for options in (
      {'min_lines': 1},
      {'sequence_length': 0},
      {'validation_fraction': 1},
      {'max_users': 0},
    ):
      with self.assertRaisesRegex(ValueError, f'{next(iter(options))}'):
        data.load_text(**options)


if __name__ == '__main__':
  absltest.main()
