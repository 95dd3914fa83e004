"""Tests of mood by user: split, vocabulary, bins and sequences."""

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.data import examples, mood, vocabulary

_PARTS = ('train', 'validation', 'test')


class LoadMoodTest(parameterized.TestCase):
  def _load(self, *rows, **options):
    content = '\n'.join(['user,text,score', *(','.join(map(str, row)) for row in rows)])
    return mood.load_mood(self.create_tempfile(content=content).full_path, **options)

  def _words(self, data, part):
    return [[data.vocabulary[i] for i in row if i] for row in part.x]

  @parameterized.parameters(
    (10, 0.1, (8, 1, 1)),
    (26, 0.1, (20, 3, 3)),
    (3, 0.1, (1, 1, 1)),
    (10, 0.3, (6, 3, 1)),
    (2, 0.0, (1, 0, 1)),
  )
  def test_sizes_of_a_split(self, num_texts, fraction, sizes):
    data = self._load(
      *(('al', f'w{i}', i) for i in range(num_texts)),
      score_range=(0, 1),
      validation_fraction=fraction,
    )
    (client,) = data.clients
    self.assertEqual(tuple(len(getattr(client, part)) for part in _PARTS), sizes)
    self.assertLen(data.test, sizes[2])

  def test_every_text_is_in_one_part_and_the_seed_decides_which(self):
    rows = [(user, f'{user} {"ab"[i % 2] * i}', i) for user in ('bo', 'al') for i in range(1, 21)]
    one, same, other = (self._load(*rows, seed=seed) for seed in (0, 0, 1))
    self.assertEqual([client.client_id for client in one.clients], ['al', 'bo'])
    for client, again, another in zip(one.clients, same.clients, other.clients, strict=True):
      for part in _PARTS:
        np.testing.assert_array_equal(getattr(client, part).x, getattr(again, part).x)
      self.assertFalse(
        np.array_equal(client.test.y, another.test.y)
        and np.array_equal(client.train.y, another.train.y)
      )
      # 'al b' and 20 scores in five bins of training scores.
      self.assertEqual(sum(len(getattr(client, part)) for part in _PARTS), 20)

  def test_vocabulary_is_of_training_texts_only(self):
    rows = [('al', f'own{i} common', i) for i in range(10)]
    data = self._load(*rows)
    (client,) = data.clients
    own = set(data.vocabulary[3:]) - {'common'}
    self.assertEqual(data.vocabulary[3], 'common')
    self.assertLen(own, 8)
    self.assertEqual({words[0] for words in self._words(data, client.train)}, own)
    for part in (client.validation, client.test):
      self.assertEqual(part.x[:, 0].tolist(), [vocabulary.UNKNOWN])
      self.assertEqual(part.x[:, 1].tolist(), [3])

  def test_vocabulary_size(self):
    data = self._load(*(('al', f'own{i} common', i) for i in range(10)), vocabulary_size=5)
    self.assertLen(data.vocabulary, 5)
    self.assertLess(data.clients[0].train.x.max(), 5)

  def test_known_words_decide_vocabulary_and_length(self):
    known = ('<pad>', '<unk>', '\n', 'common')
    data = self._load(*(('al', f'own{i} common', i) for i in range(10)), known_words=known)
    self.assertEqual(data.vocabulary, known)
    self.assertEqual(data.test.x.tolist(), [[1, 3] + [0] * 28])

  def test_texts_are_cut_and_padded(self):
    data = self._load(*(('al', 'A b! C', i) for i in range(9)), ('al', '', 3), sequence_length=3)
    (client,) = data.clients
    rows = np.concatenate([getattr(client, part).x for part in _PARTS])
    self.assertEqual((rows.dtype, rows.shape), (np.int32, (10, 3)))
    words = [[data.vocabulary[i] for i in row] for row in rows]
    self.assertEqual(words.count(['a', 'b', '!']), 9)
    self.assertEqual(words.count(['<pad>'] * 3), 1)
    longer = self._load(*(('al', 'a ' * i, i) for i in range(1, 10)), sequence_length=30)
    self.assertEqual(longer.test.x.shape, (1, 9))
    # 'c' is behind the third word.
    self.assertEqual(set(data.vocabulary[3:]), {'a', 'b', '!'})

  def test_bins_of_a_given_range(self):
    scores = (-5, 0, 19.9, 20, 39, 40, 60, 80, 99, 100, 150)
    data = self._load(*(('al', f't{i}', s) for i, s in enumerate(scores)), score_range=(0, 100))
    (client,) = data.clients
    labels = np.concatenate([getattr(client, part).y for part in _PARTS])
    self.assertEqual(sorted(labels), [0, 0, 0, 1, 1, 2, 3, 4, 4, 4, 4])
    self.assertEqual(data.num_classes, 5)
    self.assertEqual(data.class_names, ('0 to 20', '20 to 40', '40 to 60', '60 to 80', '80 to 100'))

  def test_bins_of_the_training_scores(self):
    # One text of each user is for testing, one for training: the range is that of the latter.
    rows = [(f'u{user}', f't{score}', score) for user in range(6) for score in (user, 100 + user)]
    data = self._load(*rows, validation_fraction=0)
    trained_on = [int(words[0][1:]) for c in data.clients for words in self._words(data, c.train)]
    low, high = min(trained_on), max(trained_on)
    self.assertEqual(data.class_names[0].split(' to ')[0], f'{low}')
    self.assertEqual(data.class_names[-1].split(' to ')[1], f'{high}')
    expected = [min(int(5 * (score - low) / (high - low)), 4) for score in trained_on]
    self.assertEqual([int(client.train.y[0]) for client in data.clients], expected)

  def test_users_with_too_few_texts_are_left_out(self):
    rows = [('al', 'a', i) for i in range(3)] + [('bo', 'b', 500), ('bo', 'b', 600)]
    with self.assertLogs(level='WARNING') as logs:
      data = self._load(*rows, score_range=(0, 9))
    self.assertIn('1 of 2 users have too few texts to be split and are left out', logs.output[0])
    self.assertEqual([client.client_id for client in data.clients], ['al'])
    self.assertNotIn('b', data.vocabulary)

  def test_held_out_users_are_in_neither_vocabulary_nor_range(self):
    rows = [
      (user, f'{user} x', i * size) for user, size in (('al', 1), ('bo', 9)) for i in range(9)
    ]
    data = self._load(*rows, choose_held_out=lambda ids: ('bo',))
    self.assertEqual([c.client_id for c in (*data.clients, *data.held_out)], ['al', 'bo'])
    self.assertNotIn('bo', data.vocabulary)
    self.assertLessEqual(float(data.class_names[-1].split(' to ')[1]), 8)
    self.assertLen(data.test, 1)

  def test_generated_corpus(self):
    data = mood.load_mood()
    self.assertLen(data.clients, 14)
    sizes = [sum(len(getattr(client, part)) for client in data.clients) for part in _PARTS]
    self.assertEqual(sum(sizes), 572)
    for size, share in zip(sizes, (0.8, 0.1, 0.1), strict=True):
      self.assertAlmostEqual(size / 572, share, delta=0.02)
    self.assertEqual(data.label_counts().sum(), sum(sizes[:2]))
    # 16 signals and 26 others; every class is there.
    self.assertLen(data.vocabulary, 3 + 16 + 26)
    self.assertGreater(data.label_counts().sum(axis=0).min(), 0)
    self.assertFalse(data.has_sequences)

  @parameterized.parameters(
    ([('al', 'a', 1)] * 9, {}, 'scores from 1 to 1 found, expected a range'),
    (
      [('al', 'a', '1e308'), ('al', 'b', '-1e308')] * 9,
      {},
      'scores from -1e.308 to 1e.308 found, expected a range that a float can hold',
    ),
    ([('al', 'a', 1), ('bo', 'b', 2)], {}, 'no user of 2 has enough texts'),
  )
  def test_refuses_data(self, rows, options, sentence):
    with self.assertRaisesRegex(examples.DataError, sentence):
      self._load(*rows, **options)

  @parameterized.parameters({'sequence_length': 0}, {'validation_fraction': 1.0})
  def test_refuses_options(self, **options):
    with self.assertRaisesRegex(ValueError, 'expected 1 or more and in'):
      mood.load_mood(**options)


if __name__ == '__main__':
  absltest.main()
