"""Tests of the config of an adaptation run."""

import inspect

from absl.testing import absltest, parameterized

from tff_lg import adaptation, config

_NUM_TRIED = {'fine_tune': 3, 'freeze_base': 3, 'ewc': 9, 'distillation': 9, 'knn_per': 30}
_TRAINED = tuple(name for name, entry in adaptation.ADAPTATIONS.items() if entry.trains)
_ONCE = dict.fromkeys(_TRAINED, 1)


def _resolved(*, source=None, **fields):
  source = config.resolve(source or config.TrainConfig())
  return config.resolve_adapt(config.AdaptConfig(**fields), source)


def _squared_batch_size(resolved):
  return config.TECHNIQUE_OPTIONS.build(resolved, 'ewc').squared_batch_size


class AdaptConfigTest(parameterized.TestCase):
  def test_defaults_are_those_of_the_library(self):
    resolved = _resolved()
    self.assertIn(
      inspect.signature(adaptation.ewc).parameters['strength'].default, resolved.ewc_strength
    )
    defaults = inspect.signature(adaptation.distillation).parameters
    self.assertIn(defaults['alpha'].default, resolved.distillation_alpha)
    self.assertEqual(resolved.distillation_temperature, (defaults['temperature'].default,))
    self.assertEqual(resolved.distillation_scaled_term, defaults['scaled_term'].default)
    self.assertEqual((resolved.trained_layers, _squared_batch_size(resolved)), ((), 1))

  def test_options_not_given_are_those_of_the_source_run(self):
    source = config.TrainConfig(
      client_learning_rate=0.5, client_momentum=0.25, batch_size=7, selection_metric='loss'
    )
    resolved = _resolved(source=source)
    self.assertEqual(
      (resolved.learning_rate, resolved.momentum, resolved.batch_size, resolved.selection_metric),
      ((0.5, 0.05, 0.005), 0.25, 7, 'loss'),
    )
    said = {'learning_rate': (1.0,), 'momentum': 0.0, 'batch_size': 3}
    resolved = _resolved(source=source, selection_metric='accuracy', **said)
    self.assertEqual({name: getattr(resolved, name) for name in said}, said)
    self.assertEqual(resolved.selection_metric, 'accuracy')
    self.assertFalse(resolved.trains_own_models)
    self.assertTrue(_resolved(source=source, local_only_epochs=1).trains_own_models)

  def test_output_layer_of_tied_embeddings_is_the_embedding(self):
    source = config.TrainConfig(
      task='text', tied_embeddings=True, embedding_units=8, lstm_units=(8,)
    )
    self.assertEqual(_resolved(source=source).trained_layers, ('embedding',))
    self.assertEqual(_resolved(source=source, adaptation=('ewc',)).trained_layers, ())
    resolved = _resolved(source=source, trained_layers=('lstm_1',))
    self.assertEqual(resolved.trained_layers, ('lstm_1',))

  def test_settings_are_combinations_of_an_adaptations_own_options(self):
    resolved = _resolved(
      learning_rate=(0.1, 0.01),
      ewc_learning_rate=(0.2, 0.01),
      ewc_strength=(1.0,),
      distillation_alpha=(0.5, 1.0),
    )
    self.assertEqual(
      resolved.settings('fine_tune'), ({'learning_rate': 0.1}, {'learning_rate': 0.01})
    )
    self.assertEqual(resolved.settings('ewc')[1], {'learning_rate': 0.01, 'ewc_strength': 1.0})
    self.assertEqual(
      [tuple(setting.values()) for setting in resolved.settings('distillation')],
      [(0.1, 0.5, 6.0), (0.1, 1.0, 6.0), (0.01, 0.5, 6.0), (0.01, 1.0, 6.0)],
    )

  def test_each_adaptation_tries_several_settings_of_its_own(self):
    source = config.TrainConfig(client_learning_rate=0.05)
    resolved = _resolved(source=source)
    tried = {name: resolved.settings(name) for name in config.ADAPTATIONS}
    self.assertEqual({name: len(of) for name, of in tried.items()}, _NUM_TRIED)
    rates = {
      name: [*dict.fromkeys(setting['learning_rate'] for setting in of)]
      for name, of in tried.items()
      if name in _TRAINED
    }
    for name in ('fine_tune', 'freeze_base', 'ewc'):
      self.assertEqual(rates[name], [0.05, 0.005, 0.0005])
    self.assertEqual(rates['distillation'], [0.1, 0.05, 0.005])
    self.assertEqual(resolved.ewc_strength, (5, 50, 500))
    # Those of one that is not chosen stay open.
    resolved = _resolved(source=source, adaptation=('ewc',))
    self.assertIsNone(resolved.distillation_learning_rate)
    self.assertEqual(resolved.settings('ewc'), tried['ewc'])
    resolved = _resolved(source=source, adaptation=('fine_tune',))
    self.assertIsNone(resolved.ewc_strength)

  def test_learning_rates_of_one_adaptation(self):
    resolved = _resolved(learning_rate=(0.3,), ewc_learning_rate=(0.2,))
    rates = {name: resolved.settings(name)[0]['learning_rate'] for name in _TRAINED}
    self.assertEqual(rates, {'fine_tune': 0.3, 'freeze_base': 0.3, 'ewc': 0.2, 'distillation': 0.3})

  def test_technique_without_training_is_named_and_has_no_rate(self):
    self.assertEqual(config.AdaptConfig().adaptation, _TRAINED)
    resolved = _resolved(adaptation=('knn_per',), knn_weight=(0.5,), knn_neighbours=(3, 4))
    settings = [{'knn_neighbours': k, 'knn_weight': 0.5} for k in (3, 4)]
    self.assertEqual(list(resolved.settings('knn_per')), settings)

  def test_strengths_grow_with_the_batches_whose_gradients_are_squared(self):
    resolved = _resolved(fisher='batch')
    # That of the paper is among them.
    self.assertEqual((_squared_batch_size(resolved), resolved.ewc_strength), (100, (500, 5e3, 5e4)))
    resolved = _resolved(fisher='batch', fisher_batch_size=10)
    self.assertEqual((_squared_batch_size(resolved), resolved.ewc_strength), (10, (50, 500, 5000)))
    self.assertEqual(_resolved(fisher='batch', ewc_strength=(1.0,)).ewc_strength, (1.0,))

  @parameterized.parameters(
    ({'adaptation': ('fine_tun',)}, '--adaptation is fine_tun, expected one of fine_tune, '),
    ({'adaptation': ()}, '--adaptation is empty, expected one or more of'),
    ({'adaptation': ('ewc', 'ewc')}, '--adaptation is ewc,ewc, expected .* each once'),
    (
      {'adaptation': ('ewc',), 'trained_layers': ('output',)},
      '--trained_layers is given, but --adaptation is ewc: it belongs to --adaptation=freeze_base',
    ),
    (
      {'adaptation': ('fine_tune', 'freeze_base'), 'distillation_alpha': (0.5,)},
      'is fine_tune,freeze_base: it belongs to --adaptation=distillation',
    ),
    (
      {'adaptation': ('distillation',), 'ewc_learning_rate': (0.5,)},
      '--ewc_learning_rate is given, .*: it belongs to --adaptation=ewc',
    ),
    ({'fisher_batch_size': 32}, '--fisher_batch_size is given, but --fisher is example'),
    ({'fisher': 'batch', 'fisher_batch_size': 0}, '--fisher_batch_size is 0, expected more than'),
    ({'fisher': 'rows'}, '--fisher is rows, expected one of example, batch'),
    ({'ewc_learning_rate': (0.0,)}, '--ewc_learning_rate has 0.0, expected more than 0'),
    ({'choose': 'test'}, '--choose is test, expected one of client, global'),
    ({'epochs': 0}, '--epochs is 0, expected more than 0'),
    ({'epochs': 5, 'evaluate_every_epochs': 2}, 'is 2, expected a divisor of --epochs, 5'),
    ({'learning_rate': (0.1, 0.0)}, '--learning_rate is 0.0, expected more than 0'),
    ({'learning_rate': ()}, '--learning_rate is empty, expected one number or more'),
    ({'momentum': 1.0}, r'--momentum is 1.0, expected in \[0, 1\)'),
    ({'batch_size': -1}, '--batch_size is -1'),
    ({'ewc_strength': (-1.0,)}, '--ewc_strength has -1.0, expected 0 or more'),
    ({'distillation_alpha': (1.5,)}, r'--distillation_alpha has 1.5, expected in \[0, 1\]'),
    ({'distillation_temperature': (0.0,)}, '--distillation_temperature has 0.0'),
    ({'max_clients': 0}, '--max_clients is 0'),
    ({'fisher_examples': 0}, '--fisher_examples is 0'),
    ({'seed': -1}, '--seed is -1, expected 0 or more'),
    ({'local_only_epochs': 0}, '--local_only_epochs is 0, expected more than 0'),
    ({'local_only_epochs': 2, 'local_only_from': 'x'}, 'give one of both'),
    ({'local_only_learning_rate': (0.0,)}, 'has 0.0, expected more than 0'),
    ({'epochs': 4, 'aggregate_epochs': (2, 6)}, '--aggregate_epochs has 6, expected .* at most'),
    (
      {'epochs': 4, 'evaluate_every_epochs': 2, 'aggregate_epochs': (3,)},
      'has 3, expected multiples of --evaluate_every_epochs, 2',
    ),
    ({'retrain_without': 'ewc'}, '--retrain_without is ewc, expected one of federated, best'),
  )
  def test_refuses(self, fields, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.AdaptConfig(**fields)

  def test_fast(self):
    fast = config.fast_adapt(
      config.AdaptConfig(epochs=20, evaluate_every_epochs=5, learning_rate=(1.0, 2.0), seed=3)
    )
    self.assertEqual((fast.epochs, fast.evaluate_every_epochs, fast.max_clients), (2, 1, 5))
    self.assertEqual((fast.learning_rate, fast.seed), ((1.0,), 3))
    resolved = config.resolve_adapt(fast, config.resolve(config.TrainConfig()))
    self.assertEqual({name: len(resolved.settings(name)) for name in _TRAINED}, _ONCE)
    layers = ('hidden_1', 'output')
    fast = config.fast_adapt(config.AdaptConfig(trained_layers=layers, ewc_strength=(3.0, 4.0)))
    self.assertEqual((fast.trained_layers, fast.ewc_strength), (layers, (3.0,)))
    fast = config.fast_adapt(config.AdaptConfig(epochs=20))
    self.assertEqual(config.fast_adapt(config.AdaptConfig(max_clients=2)).max_clients, 2)
    self.assertEqual(fast.fisher_examples, 20)
    config.fast_adapt(config.AdaptConfig(adaptation=('fine_tune',)))
    fast = config.fast_adapt(config.AdaptConfig(local_only_epochs=9, aggregate_epochs=(1, 5, 10)))
    self.assertEqual((fast.local_only_epochs, fast.aggregate_epochs), (2, (1, 2)))
    self.assertIsNone(config.fast_adapt(config.AdaptConfig(retrain_without='best')).retrain_without)


if __name__ == '__main__':
  absltest.main()
