"""Tests of the options of text: their defaults by task, and what is refused."""

from absl.testing import absltest, parameterized

from tff_lg import config
from tff_lg.config import TrainConfig


class TextOptionsTest(parameterized.TestCase):
  def test_defaults_of_words(self):
    resolved = config.resolve(TrainConfig(task='text'))
    self.assertEqual((resolved.vocabulary_size, resolved.sequence_length), (10_000, 20))
    self.assertEqual((resolved.embedding_units, resolved.lstm_units), (200, (200, 200)))
    self.assertEqual((resolved.min_lines, resolved.tied_embeddings), (2, False))
    # The data decide the number of clients.
    self.assertEqual((resolved.partition, resolved.num_clients), ('natural', None))
    self.assertIsNone(resolved.clients_per_round)
    self.assertIsNone(resolved.classes_per_client)

  def test_defaults_of_characters(self):
    resolved = config.resolve(TrainConfig(task='chars', partition='natural_iid'))
    self.assertEqual((resolved.vocabulary_size, resolved.sequence_length), (None, 80))
    self.assertEqual((resolved.embedding_units, resolved.lstm_units), (8, (256, 256)))
    self.assertEqual((resolved.batch_size, resolved.client_epochs), (10, 1))
    self.assertIsNone(resolved.num_clients)

  @parameterized.parameters('text', 'chars', 'mood', 'vqa')
  def test_a_public_vocabulary_is_taken_whole(self, task):
    resolved = config.resolve(TrainConfig(task=task, vocabulary_file='words.txt'))
    self.assertIsNone(resolved.vocabulary_size)
    self.assertEqual(config.resolve(resolved), resolved)
    self.assertIsNone(config.fast(resolved).vocabulary_file)

  @parameterized.parameters('text', 'chars')
  def test_resolving_again_changes_nothing(self, task):
    resolved = config.resolve(TrainConfig(task=task))
    self.assertEqual(config.resolve(resolved), resolved)

  def test_other_tasks_have_none_of_them(self):
    resolved = config.resolve(TrainConfig())
    for name in 'vocabulary_size sequence_length min_lines lstm_units tied_embeddings'.split():
      self.assertIsNone(getattr(resolved, name))

  def test_iid_twin_of_other_data_with_users(self):
    resolved = config.resolve(
      TrainConfig(task='arrays', data_dir='folder', partition='natural_iid')
    )
    self.assertIsNone(resolved.num_clients)

  @parameterized.parameters('text', 'chars')
  def test_fast_stays_with_text_but_makes_it_small(self, task):
    small = config.resolve(
      config.fast(
        TrainConfig(
          task=task,
          data_dir='folder',
          text_source='tff_stackoverflow',
          max_users=3,
          partition='natural_iid',
          min_lines=9,
        )
      )
    )
    self.assertEqual((small.task, small.data_dir, small.min_lines), (task, None, 2))
    self.assertEqual((small.text_source, small.max_users), (None, None))
    self.assertEqual((small.partition, small.num_clients), ('natural_iid', None))
    self.assertEqual((small.lstm_units, small.rounds), ((16, 16), 3))

  def test_fast_leaves_text_options_of_other_tasks_away(self):
    small = config.resolve(config.fast(TrainConfig(task='arrays', partition='natural_iid')))
    self.assertEqual((small.task, small.partition), ('digits', 'classes_per_client'))

  @parameterized.parameters(
    ({'task': 'digits', 'lstm_units': (2,)}, '--lstm_units is given, but --task is digits'),
    ({'task': 'mnist', 'tied_embeddings': False}, '--tied_embeddings is given, .*text and chars'),
    ({'task': 'chars', 'vocabulary_size': 50}, '--vocabulary_size .* belongs to --task=text'),
    ({'partition': 'iid'}, '--partition is iid, but --task=text makes each user a client'),
    ({'num_clients': 5}, '--num_clients is given, but --partition=natural takes'),
    ({'partition': 'natural_iid', 'num_clients': 5}, '--partition=natural_iid takes'),
    ({'protocol': 'reference'}, 'does not fit --task=text'),
    ({'task': 'digits', 'vocabulary_file': 'x'}, '--vocabulary_file is given, but --task is'),
    ({'vocabulary_size': 3}, '--vocabulary_size is 3, expected 4 or more'),
    ({'text_source': 'reddit'}, '--text_source is reddit, expected one of files, tff_shakespeare'),
    ({'task': 'digits', 'text_source': 'files'}, '--text_source is given, but --task is digits'),
    ({'task': 'mnist', 'max_users': 9}, '--max_users is given, but --task is mnist'),
    ({'max_users': 0}, '--max_users is 0, expected 1 or more'),
    ({'min_lines': 1}, '--min_lines is 1, expected 2 or more'),
    ({'min_lines': 9, 'max_lines': 5}, '--max_lines is 5, expected --min_lines=9 or more'),
    ({'text_columns': ('who',), 'data_dir': 'x'}, '--text_columns has who, expected two or three'),
    ({'text_columns': ('a', 'a'), 'data_dir': 'x'}, 'has a,a, expected two or three different'),
    ({'text_columns': ('a', 'b')}, '--text_columns names columns of a table: give the table by'),
    ({'test_fraction': 1.0}, '--test_fraction is 1.0, expected'),
    ({'dropout_rate': 1.0}, '--dropout_rate is 1.0, expected'),
    ({'sequence_length': 0}, '--sequence_length is 0'),
    ({'lstm_units': ()}, '--lstm_units is empty'),
    ({'lstm_units': (5, 0)}, '--lstm_units is 5,0'),
    ({'tied_embeddings': True, 'lstm_units': (9,)}, '--embedding_units is 200 .* 9: expected the'),
    ({'task': 'chars', 'tied_embeddings': True}, '--embedding_units is 8 .* 256'),
    ({'hidden_units': (3,)}, '--hidden_units is given, but --task is text'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**{'task': 'text', **changes}))


if __name__ == '__main__':
  absltest.main()
