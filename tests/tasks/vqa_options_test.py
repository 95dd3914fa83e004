"""Tests of the options of visual question answering: their defaults, and what is refused."""

from absl.testing import absltest, parameterized

from tff_lg import config
from tff_lg.config import TrainConfig

_FILES = {'data_dir': 'vqa', 'embeddings': 'pictures.npz'}


class VqaOptionsTest(parameterized.TestCase):
  def test_defaults_with_files(self):
    resolved = config.resolve(TrainConfig(task='vqa', **_FILES))
    self.assertEqual((resolved.num_answers, resolved.max_questions), (1000, None))
    self.assertEqual((resolved.embedding_units, resolved.lstm_units), (300, (512, 512)))
    self.assertEqual((resolved.hidden_units, resolved.sequence_length), ((1024, 1024, 1000), 14))
    self.assertEqual((resolved.partition, resolved.clients_per_round), ('iid', 10))
    self.assertIsNone(resolved.dropout_rate)
    self.assertEqual(config.resolve(resolved), resolved)

  def test_dealt_by_answers(self):
    resolved = config.resolve(TrainConfig(task='vqa', partition='dirichlet', channel_layers=1))
    self.assertEqual((resolved.dirichlet_alpha, resolved.channel_layers), (0.9, 1))

  def test_generated_questions_have_a_smaller_network(self):
    resolved = config.resolve(TrainConfig(task='vqa', lstm_units=(3,)))
    self.assertEqual((resolved.lstm_units, resolved.hidden_units), ((3,), (128, 128, 128)))
    self.assertIsNone(resolved.embeddings)

  def test_public_answers_are_taken_whole(self):
    resolved = config.resolve(TrainConfig(task='vqa', answers_file='answers.txt'))
    self.assertEqual((resolved.num_answers, resolved.vocabulary_size), (None, 10_000))
    self.assertEqual(config.resolve(resolved), resolved)
    self.assertIsNone(config.fast(resolved).answers_file)

  def test_other_tasks_have_none_of_them(self):
    resolved = config.resolve(TrainConfig())
    self.assertEqual((resolved.num_answers, resolved.max_questions), (None, None))

  def test_fast_stays_with_questions_but_makes_them_few(self):
    small = config.resolve(config.fast(TrainConfig(task='vqa', num_answers=9, rounds=20, **_FILES)))
    self.assertEqual((small.task, small.data_dir, small.embeddings), ('vqa', None, None))
    self.assertEqual((small.num_clients, small.rounds, small.max_questions), (10, 3, 1000))
    self.assertEqual((small.hidden_units, small.num_answers), ((16, 16, 16), 1000))

  @parameterized.parameters(
    ({'task': 'digits', 'num_answers': 2}, '--num_answers is given, but --task is digits'),
    ({'task': 'text', 'answers_file': 'x'}, '--answers_file is given, but --task is text'),
    ({'task': 'mood', 'lstm_units': (2,)}, '--lstm_units is given, but --task is mood'),
    ({'num_answers': 0}, '--num_answers is 0, expected 1 or more'),
    ({'max_questions': 0}, '--max_questions is 0, expected 1 or more'),
    ({'partition': 'shards'}, '--partition is shards, but --task=vqa deals pictures'),
    ({'channel_layers': 3}, '--channel_layers is 3, expected 1 or 2'),
    ({'data_dir': 'vqa'}, '--task=vqa needs both --data_dir.* and --embeddings'),
    ({'embeddings': 'x.npz'}, '--task=vqa needs both --data_dir.* and --embeddings'),
    ({'held_out_clients': 2}, '--held_out_clients and --held_out_ids do not fit --task=vqa'),
    ({'auxiliary': 'supervised'}, '--auxiliary is supervised, but --task=vqa has two channels'),
    ({'hidden_units': (1, 2)}, '--hidden_units has 2 numbers, but --task=vqa needs three'),
    ({'lstm_units': (0,)}, '--lstm_units is 0, expected at least one layer'),
    ({'protocol': 'reference'}, 'does not fit --task=vqa'),
    ({'attack': 'backdoor', 'method': 'fedavg'}, 'but --task=vqa has none'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**{'task': 'vqa', **changes}))


if __name__ == '__main__':
  absltest.main()
