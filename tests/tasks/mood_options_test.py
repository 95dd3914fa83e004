"""Tests of the options of the task on mood: their defaults, and what is refused."""

from absl.testing import absltest, parameterized

from tff_lg import config
from tff_lg.config import TrainConfig


class MoodOptionsTest(parameterized.TestCase):
  def test_defaults_are_the_papers(self):
    resolved = config.resolve(TrainConfig(task='mood'))
    self.assertEqual((resolved.bilstm_units, resolved.hidden_units), (128, (512, 512)))
    self.assertEqual((resolved.embedding_units, resolved.sequence_length), (100, 30))
    self.assertEqual((resolved.vocabulary_size, resolved.device_variance), (10_000, 0.25))
    self.assertEqual((resolved.selection_metric, resolved.selection_scope), ('loss', 'pooled'))
    # The data decide who is a client, and all take part in a round.
    self.assertEqual((resolved.partition, resolved.num_clients), ('natural', None))
    self.assertIsNone(resolved.clients_per_round)
    self.assertEqual(config.resolve(resolved), resolved)

  def test_own_choices_stay(self):
    choices = {
      'bilstm_units': 3,
      'hidden_units': (4,),
      'sequence_length': 5,
      'vocabulary_size': 6,
      'embedding_units': 7,
      'score_range': (0.0, 100.0),
      'data_dir': 'mood.csv',
      'partition': 'natural_iid',
      'selection_metric': 'accuracy',
    }
    resolved = config.resolve(TrainConfig(task='mood', **choices))
    self.assertEqual({name: getattr(resolved, name) for name in choices}, choices)
    self.assertIsNone(resolved.device_variance)

  def test_other_tasks_have_none_of_them(self):
    resolved = config.resolve(TrainConfig())
    for name in ('bilstm_units', 'score_range', 'device_variance'):
      self.assertIsNone(getattr(resolved, name), name)

  def test_fast_stays_with_mood_but_makes_it_small(self):
    small = config.resolve(
      config.fast(
        TrainConfig(
          task='mood',
          data_dir='mood.csv',
          score_range=(0.0, 10.0),
          bilstm_units=99,
          local_layer_share=0.4,
          partition='natural_iid',
        )
      )
    )
    self.assertEqual((small.task, small.data_dir, small.partition), ('mood', None, 'natural_iid'))
    self.assertEqual((small.bilstm_units, small.hidden_units, small.rounds), (8, (16, 16), 3))
    self.assertEqual((small.score_range, small.local_layer_share), (None, 0.4))
    other = config.resolve(config.fast(TrainConfig(task='mood', device_variance=1.0)))
    self.assertEqual(other.device_variance, 1)

  @parameterized.parameters(
    ({'task': 'digits', 'bilstm_units': 2}, '--bilstm_units is given, but --task is digits'),
    ({'task': 'text', 'score_range': (0.0, 1.0)}, '--score_range is given, but --task is text'),
    ({'lstm_units': (8,)}, '--lstm_units is given, but --task is mood: .*text, chars and vqa'),
    ({'dropout_rate': 0.1}, '--dropout_rate is given, but --task is mood'),
    ({'partition': 'iid'}, '--partition is iid, but --task=mood makes each user a client'),
    ({'num_clients': 5}, '--num_clients is given, but --partition=natural takes'),
    ({'protocol': 'reference'}, 'does not fit --task=mood'),
    ({'auxiliary': 'autoencoder'}, '--task=mood has no numbers as inputs'),
    (
      {'device_variance': 0.5, 'data_dir': 'x'},
      '--device_variance belongs to the generated corpus',
    ),
    ({'device_variance': 1.5}, r'--device_variance is 1.5, expected in \[0, 1\]'),
    ({'bilstm_units': 0}, '--bilstm_units is 0, expected 1 or more'),
    ({'sequence_length': 0}, '--sequence_length is 0, expected 1 or more'),
    ({'hidden_units': (0,)}, '--hidden_units has 0'),
    ({'score_range': (5.0,)}, '--score_range is 5.0, expected two numbers'),
    ({'score_range': (5.0, 5.0)}, '--score_range is 5.0,5.0, expected two numbers'),
    ({'score_range': (0.0, float('inf'))}, '--score_range is inf, expected a finite number'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**{'task': 'mood', **changes}))


if __name__ == '__main__':
  absltest.main()
