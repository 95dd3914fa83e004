"""Tests of the options of the task on embeddings."""

from absl.testing import absltest, parameterized

from tff_lg import config, tasks
from tff_lg.config import TrainConfig

_EMBEDDINGS = {'task': 'embeddings', 'embeddings': 'set.npz'}


class EmbeddingsTest(parameterized.TestCase):
  def test_defaults(self):
    resolved = config.resolve(TrainConfig(**_EMBEDDINGS))
    self.assertEqual((resolved.model, resolved.hidden_units), ('dense', (64, 64)))
    self.assertEqual(resolved.dropout_rate, 0.5)
    self.assertEqual((resolved.partition, resolved.shuffled_share), ('clusters', 0.0))
    self.assertEqual((resolved.selection_metric, resolved.selection_scope), ('loss', 'pooled'))
    self.assertEqual(resolved.num_clients, 10)
    # All that the data turn out to have: a client may get no example.
    self.assertIsNone(resolved.clients_per_round)
    self.assertIsNone(resolved.classes_per_client)

  def test_other_tasks_have_none_of_it(self):
    resolved = config.resolve(TrainConfig())
    for name in ('model', 'dropout_rate', 'shuffled_share', 'clients'):
      self.assertIsNone(getattr(resolved, name), name)
    self.assertEqual((resolved.selection_metric, resolved.selection_scope), ('accuracy', 'client'))

  def test_own_choices_stay(self):
    choices = {
      'model': 'cgau_local',
      'hidden_units': (128,),
      'dropout_rate': 0.0,
      'shuffled_share': 1.0,
      'num_clients': 5,
      'clients_per_round': 2,
      'selection_metric': 'accuracy',
      'selection_scope': 'client',
    }
    resolved = config.resolve(TrainConfig(**_EMBEDDINGS, **choices))
    self.assertEqual({name: getattr(resolved, name) for name in choices}, choices)

  def test_iid(self):
    resolved = config.resolve(TrainConfig(**_EMBEDDINGS, partition='iid'))
    self.assertEqual((resolved.num_clients, resolved.shuffled_share), (10, None))

  def test_file_of_clients_leaves_them_to_the_data(self):
    resolved = config.resolve(TrainConfig(**_EMBEDDINGS, clients='clients.npz'))
    for name in ('partition', 'num_clients', 'shuffled_share', 'clients_per_round'):
      self.assertIsNone(getattr(resolved, name), name)

  @parameterized.parameters({}, {'clients': 'clients.npz'}, {'partition': 'iid'})
  def test_resolving_again_changes_nothing(self, **changes):
    for model in tasks.networks_of('embeddings'):
      resolved = config.resolve(TrainConfig(**_EMBEDDINGS, model=model, **changes))
      self.assertEqual(config.resolve(resolved), resolved)
      baseline = config.as_baseline(resolved, 'local_only')
      self.assertEqual(config.resolve(baseline), baseline)

  @parameterized.parameters({}, {'clients': 'clients.npz'}, {'shuffled_share': 0.2})
  def test_fast_is_on_digits(self, **changes):
    slow = TrainConfig(**_EMBEDDINGS, model='gated', hidden_units=(8,), dropout_rate=0.1, **changes)
    fast = config.resolve(config.fast(slow))
    self.assertEqual((fast.task, fast.partition), ('digits', 'classes_per_client'))
    for name in ('embeddings', 'clients', 'model', 'dropout_rate'):
      self.assertIsNone(getattr(fast, name), name)
    self.assertEqual(fast.hidden_units, config.resolve(TrainConfig()).hidden_units)

  @parameterized.parameters(
    ({'embeddings': None}, '--task=embeddings needs --embeddings, a file that .*pipelines.embed'),
    ({'data_dir': '/data'}, '--data_dir is given, but --task=embeddings reads only --embeddings'),
    ({'clients': 'c', 'num_clients': 5}, '--clients names the client of each example, so --part'),
    ({'clients': 'c', 'partition': 'iid'}, '--clients names the client of each example'),
    ({'clients': 'c', 'shuffled_share': 0.2}, '--clients names the client of each example'),
    ({'partition': 'iid', 'shuffled_share': 0.2}, 'it belongs to --partition=clusters'),
    ({'partition': 'dirichlet'}, '--partition is dirichlet, but --task=embeddings spreads exam'),
    ({'partition': 'natural'}, '--partition is natural, but --task=embeddings spreads'),
    ({'classes_per_client': 2}, '--partition is clusters: it belongs to'),
    ({'model': 'cnn'}, '--model is cnn, but --task=embeddings has dense or gated or cgau_shared'),
    ({'model': 'lenet'}, '--model is lenet, but --task=embeddings has dense or gated or cgau_sh'),
    ({'shuffled_share': 1.5}, r'--shuffled_share is 1.5, expected in \[0, 1\]'),
    ({'shuffled_share': -0.1}, r'--shuffled_share is -0.1, expected in \[0, 1\]'),
    ({'dropout_rate': 1.0}, r'--dropout_rate is 1.0, expected in \[0, 1\)'),
    ({'hidden_units': (64, 0)}, '--hidden_units has 0, expected more than 0'),
    ({'clients_per_round': 11}, '--clients_per_round is 11, expected at most --num_clients, 10'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**{**_EMBEDDINGS, **changes}))

  @parameterized.parameters(
    ('embeddings', 'set.npz'),
    ('clients', 'clients.npz'),
    ('dropout_rate', 0.5),
  )
  def test_belongs_to_the_task(self, name, value):
    with self.assertRaisesRegex(
      config.ConfigError,
      f'--{name} is given, but --task is mnist: it belongs to --task=.*embeddings',
    ):
      config.resolve(TrainConfig(task='mnist', **{name: value}))


if __name__ == '__main__':
  absltest.main()
