"""Tests of the round loop: what a round changes, what stops it, and resuming after a stop."""

import dataclasses
import functools
import os
from unittest import mock

import numpy as np
import pandas as pd
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import config as config_lib
from tff_lg import data, learning, models, simulation, training
from tff_lg.compatibility import tff
from tff_lg.simulation import loop_values
from tff_lg.training import evaluation, storage

_NAN = float('nan')


def setUpModule():
  simulation.set_execution_context()


def _federated_data(num_clients=4, broken=()):
  """Makes clients of eight examples, 4 numbers each, of 3 classes; some with NaN."""
  rng = np.random.default_rng(3)

  def examples(client, size):
    x = rng.normal(size=(size, 4)).astype(np.float32)
    x[:] = np.nan if client in broken else x
    return data.Examples(x, rng.integers(0, 3, size).astype(np.int32))

  clients = tuple(
    data.ClientExamples(f'c{k}', examples(k, 8), examples(k, 4), examples(k, 4))
    for k in range(num_clients)
  )
  return data.FederatedData(clients, examples(-1, 6), 3, ('a', 'b', 'c'))


def _config(**changes):
  return config_lib.resolve(
    config_lib.TrainConfig(
      num_clients=4,
      clients_per_round=2,
      rounds=3,
      **{'evaluate_every': 1, 'checkpoint_every': 1, **changes},
    )
  )


def _build_process(layers, rate=0.1, extra_weights=()):
  return learning.build_local_global_process(
    testing.classifier().with_global_layers(layers).with_extra_weights(dict(extra_weights)),
    testing.settings(rate, learning.TensorBatches(3)),
  )


_process = functools.cache(_build_process)  # To build one takes longer than its rounds.


def _phase(num_rounds, layers=('output',), method='lg_fedavg', rate=0.1):
  return training.Phase(method, _process(layers, rate), num_rounds)


def _attacked_phase(num_rounds, size):
  """Lets malicious clients send an update of numbers of this size."""

  @tff.tensorflow.computation
  def attacked(update):
    return tuple(tf.fill(delta.shape, size) for delta in update)

  def update_attack(updates, is_attacking, seed):
    del is_attacking, seed
    return tff.federated_map(attacked, updates)

  settings = testing.settings(0.1, learning.TensorBatches(3), update_attack=update_attack)
  process = learning.build_local_global_process(testing.classifier(), settings)
  return training.Phase('fedavg', process, num_rounds)


def _mtl_phase(num_rounds):
  settings = testing.settings(0.1, learning.TensorBatches(3))
  process = learning.METHODS['mtl'].build_process(testing.classifier(), settings)
  return training.Phase('mtl', process, num_rounds)


def _auxiliary_phase(num_rounds):
  auxiliary = models.build_auxiliary(
    'autoencoder',
    models.build_mlp((4,), 3, (5,)),
    ('output',),
    label_loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
  )
  settings = testing.settings(0.1, learning.TensorBatches(3))
  process = learning.METHODS['lg_fedavg'].build_process(
    testing.classifier(), settings, global_layers=('output',), auxiliary=auxiliary
  )
  return training.Phase('lg_fedavg', process, num_rounds)


def _run(config, federated_data, phases, folder, is_malicious=None, groups=None, **changes):
  """Runs phases as a config says, but for changed values."""
  clients = training.to_clients(federated_data, is_malicious)
  values = loop_values.loop_values(config, len(clients), folder, groups)
  return training.run(phases, clients, **{**values, **changes})


def _restore(phases, folder, read_only=True):
  return storage.RunStorage(phases, 4, folder).restore(read_only).state


def _leaves(state):
  return [
    np.asarray(leaf) for leaf in tf.nest.flatten((state.server_state, state.clients.get(range(4))))
  ]


class RoundLoopTest(parameterized.TestCase):
  def test_local_weights_of_clients_not_sampled_stay(self):
    folder = self.create_tempdir().full_path
    phase = _phase(1)
    state = _run(_config(), _federated_data(), [phase], folder)
    start = phase.process.model.split(phase.process.model.initial_weights)[1]
    changed = [
      any(not np.array_equal(a, b) for a, b in zip(client.local_weights, start, strict=True))
      for client in state.clients.get(range(4))
    ]
    self.assertEqual(sum(changed), 2)

  def test_warm_start_hands_its_weights_on(self):
    folder = self.create_tempdir().full_path
    both = ('hidden_1', 'output')
    warm, method = _phase(2, both, 'fedavg'), _phase(1, (), 'local_only')
    alone = _run(_config(), _federated_data(), [warm], folder + '/warm')
    state = _run(_config(), _federated_data(), [warm, method], folder + '/two')
    for got, want in zip(state.start_weights, alone.server_state.global_weights, strict=True):
      np.testing.assert_array_equal(got, want)
    methods = pd.read_csv(folder + '/two/metrics.csv')['method']
    self.assertEqual(list(methods), ['fedavg', 'fedavg', 'local_only'])

  def test_warm_start_knows_no_extra_weights(self):
    folder = self.create_tempdir().full_path
    extra = {'extra/kernel': np.array([7, 8], np.float32)}
    own = training.Phase('lg_fedavg', _build_process(('output',), extra_weights=extra), 2)
    phases = [_phase(1, ('hidden_1', 'output'), 'fedavg'), own]
    shorter = [phases[0], dataclasses.replace(phases[1], num_rounds=1)]
    for phases_ in (shorter, phases):
      state = _run(_config(), _federated_data(), phases_, folder)
      np.testing.assert_array_equal(state.start_weights[4], [7, 8])
      for client in state.clients.get(range(4)):
        np.testing.assert_array_equal(client.local_weights[2], [7, 8])
    self.assertEqual(state.round_num, 3)

  def test_reference_protocol_warm_starts_from_the_best_round(self):
    config = _config(protocol='reference')
    warm = _phase(3, ('hidden_1', 'output'), 'fedavg', rate=3.0)
    method = dataclasses.replace(_phase(1), start_from='best')
    folder = self.create_tempdir().full_path
    alone = _run(config, _federated_data(), [warm], folder + '/warm')
    ((_, best, _),) = alone.selection.groups()
    scores = pd.read_csv(folder + '/warm/metrics.csv')['local_test/accuracy/mean_over_clients']
    self.assertEqual(alone.selection.best_round[0], scores[::-1].idxmax() + 1)
    state = _run(config, _federated_data(), [warm, method], folder + '/two')
    np.testing.assert_array_equal(state.start_weights[0], best[0])

  def test_client_that_is_not_finite_is_named_and_counted(self):
    folder = self.create_tempdir().full_path
    config = dataclasses.replace(_config(), clients_per_round=4)
    with self.assertLogs(level='WARNING') as logs:
      _run(config, _federated_data(broken=(2,)), [_phase(1)], folder)
    self.assertIn('Round 1: left out clients whose update is not finite: c2.', logs.output[0])
    metrics = pd.read_csv(os.path.join(folder, 'metrics.csv'))
    self.assertEqual(metrics['train/num_clients_left_out'][0], 1)
    self.assertEqual(metrics['train/num_clients'][0], 3)
    self.assertTrue(np.isfinite(metrics['train/loss'][0]))

  def test_run_without_any_finite_update_stops_and_keeps_its_checkpoint(self):
    folder = self.create_tempdir().full_path
    _run(_config(), _federated_data(), [_phase(2)], folder)
    broken = _federated_data(broken=range(4))
    os.unlink(folder + '/client_list.json')  # Otherwise other data are refused.
    with self.assertRaisesRegex(training.DivergenceError, 'Round 3: no client .* finite'):
      _run(_config(), broken, [_phase(3)], folder)
    self.assertIn('round_00000002.npz', os.listdir(os.path.join(folder, 'checkpoints')))

  def test_weights_that_are_not_finite_stop_the_round_that_made_them(self):
    folder = self.create_tempdir().full_path
    settings = testing.settings(
      0.1,
      learning.TensorBatches(3),
      server_optimizer=tff.learning.optimizers.build_sgdm(float('inf')),
    )
    process = learning.build_local_global_process(testing.classifier(), settings)
    phases = [_phase(2, ('hidden_1', 'output'), 'fedavg'), training.Phase('fedavg', process, 2)]
    sentence = (
      'Round 3: --aggregator=mean and --server_learning_rate=1 gave global weights that are not '
      r'finite. Among the clients, client c\d .* The checkpoint of round 2 is kept\.'
    )
    with self.assertRaisesRegex(training.DivergenceError, sentence):
      _run(_config(), _federated_data(), phases, folder)

  @parameterized.parameters(1e30, 1e38)
  def test_client_that_ruined_the_model_is_named_and_no_ruined_checkpoint_kept(self, size):
    folder = self.create_tempdir().full_path
    config = dataclasses.replace(_config(), clients_per_round=4)
    attacked = (config, _federated_data(), [_attacked_phase(5, size)], folder, np.arange(4) == 2)
    if size > 1e37:  # The weighted sum of four overflows.
      with self.assertLogs(level='WARNING') as logs:
        state = _run(*attacked)
      self.assertIn('Round 5 is void: --aggregator=mean overflowed', logs.output[-1])
      self.assertIn('client c2 has an update with a value of 1e+38', logs.output[-1])
      self.assertEqual((state.num_void, state.num_empty), (5, 0))
      return
    sentence = r'Round 2: no client .* in round 1 client c2 has .* 1e\+30, .*No checkpoint is kept'
    with self.assertRaisesRegex(training.DivergenceError, sentence):
      _run(*attacked)
    self.assertEmpty(os.listdir(os.path.join(folder, 'checkpoints')))

  def test_client_that_ruined_the_model_is_named_after_a_resume(self):
    folder = self.create_tempdir().full_path
    config = dataclasses.replace(_config(), clients_per_round=4, checkpoint_every=1)

    def run(num_rounds):
      phase = _attacked_phase(num_rounds, 1e30)
      return _run(config, _federated_data(), [phase], folder, np.arange(4) == 2)

    for _ in range(2):  # Killed here, with the ruined checkpoint of round 1, and resumed.
      warning = run(1).warning
      self.assertStartsWith(warning, 'The model may be ruined since round 1: client c2 has an')
    with self.assertRaisesRegex(
      training.DivergenceError, r'in round 1 client c2 has .* 1e\+30, .*No checkpoint is kept'
    ):
      run(5)

  def test_counts_continue_with_a_run(self):
    folder = self.create_tempdir().full_path
    config = dataclasses.replace(_config(), client_dropout_rate=0.99)
    for num_rounds in (2, 3):
      state = _run(config, _federated_data(), [_phase(num_rounds)], folder)
      self.assertEqual((state.num_empty, state.num_void), (num_rounds, 0))

  @parameterized.parameters(_phase, _mtl_phase, _auxiliary_phase)
  def test_resumes_to_the_same_bits(self, phase):
    folder = self.create_tempdir().full_path
    phases = [_phase(2, ('hidden_1', 'output'), 'fedavg'), phase(4)]
    whole = _run(_config(), _federated_data(), phases, folder + '/whole')
    shorter = [phases[0], dataclasses.replace(phases[1], num_rounds=2)]
    _run(_config(), _federated_data(), shorter, folder + '/parts')
    parts = _run(_config(), _federated_data(), phases, folder + '/parts')
    for a, b in zip(_leaves(whole), _leaves(parts), strict=True):
      np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(whole.selection.best_round, parts.selection.best_round)
    self.assertEqual(whole.traffic, parts.traffic)
    for name in ('metrics.csv', 'communication.csv'):
      with open(f'{folder}/whole/{name}') as one, open(f'{folder}/parts/{name}') as other:
        self.assertEqual(one.read(), other.read())

  @parameterized.parameters(True, False)
  def test_resumes_without_its_tables(self, is_missing):
    folder = self.create_tempdir().full_path
    _run(_config(), _federated_data(), [_phase(3)], folder + '/whole')
    _run(_config(), _federated_data(), [_phase(2)], folder + '/parts')
    for name in ('metrics.csv', 'communication.csv'):
      path = f'{folder}/parts/{name}'
      os.unlink(path) if is_missing else os.truncate(path, os.path.getsize(path) // 2)
    _run(_config(), _federated_data(), [_phase(3)], folder + '/parts')
    for name in ('metrics.csv', 'communication.csv'):
      with open(f'{folder}/whole/{name}') as one, open(f'{folder}/parts/{name}') as other:
        self.assertEqual(one.read(), other.read())

  def test_starts_from_trained_models(self):
    folder, phase = self.create_tempdir().full_path, _phase(3)
    last = _run(_config(), _federated_data(), [phase], folder + '/first')
    evaluated = pd.read_csv(folder + '/first/metrics.csv').iloc[-1]
    start = dataclasses.replace(last, round_num=0)
    before = _leaves(start)
    shorter = [dataclasses.replace(phase, num_rounds=1)]
    state = _run(_config(), _federated_data(), shorter, folder + '/second', start=start)
    self.assertEqual((state.round_num, state.server_state.round_num), (1, 4))
    self.assertFalse(all(map(np.array_equal, _leaves(state), before)))
    self.assertTrue(all(map(np.array_equal, _leaves(start), before)))
    metrics = pd.read_csv(folder + '/second/metrics.csv')
    self.assertEqual(list(metrics['round_num']), [0, 1])
    for name in ('validation/loss/pooled', 'local_test/accuracy/mean_over_clients'):
      self.assertEqual(metrics[name][0], evaluated[name])
    for a, b in zip(_leaves(_restore(shorter, folder + '/second')), _leaves(state), strict=True):
      np.testing.assert_array_equal(a, b)

  def test_newcomers_begin_with_states_of_their_own(self):
    folder, phase = self.create_tempdir().full_path, _phase(1)
    last = _run(_config(), _federated_data(3), [phase], folder + '/first')
    start = dataclasses.replace(last, round_num=0)
    (known,) = last.clients.get([3])
    newcomer = known._replace(local_weights=tuple(w + 1 for w in known.local_weights))
    _run(
      _config(),
      _federated_data(),
      [phase],
      folder + '/second',
      draw_cohort=lambda _: training.Cohort([0], np.ones(1, np.float32)),
      start=start,
      newcomers=[newcomer],
    )
    for read_only in (True, False):
      (found,) = _restore([phase], folder + '/second', read_only).clients.get([3])
      for weight, expected in zip(found.local_weights, newcomer.local_weights, strict=True):
        np.testing.assert_array_equal(weight, expected)

  def test_cohorts_and_groups_of_ones_own(self):
    folder = self.create_tempdir().full_path
    drawn = []

    def draw(round_num):
      drawn.append(round_num)
      return training.Cohort([2], np.ones(1, np.float32))

    groups = {'some': [0, 3], 'two': [2]}
    values = {'loss': np.array([1.0, 2, 3, 4]), 'accuracy': np.zeros(4)}
    with mock.patch.object(
      evaluation, 'evaluate_parts', return_value=dict.fromkeys(evaluation.PARTS, values)
    ):
      state = _run(
        _config(), _federated_data(), [_phase(2)], folder, groups=groups, draw_cohort=draw
      )
    self.assertEqual(drawn, [0, 1])
    self.assertEqual({name.split('/')[0] for name in state.clients.to_arrays(2)}, {'2'})
    metrics = pd.read_csv(folder + '/metrics.csv').iloc[-1]
    for group, mean, std in (('', 2.5, 1.25**0.5), ('some/', 2.5, 1.5), ('two/', 3, 0)):
      self.assertEqual(metrics[f'{group}validation/loss/mean_over_clients'], mean)
      self.assertEqual(metrics[f'{group}local_test/loss/std_over_clients'], std)

  def test_traffic_is_that_of_the_cohort(self):
    folder = self.create_tempdir().full_path
    state = _run(_config(), _federated_data(), [_phase(3)], folder)
    # Output layer: 5 * 3 + 3 weights; 2 clients, 3 rounds; round number or client weight.
    self.assertEqual(state.traffic.parameters_up, 18 * 2 * 3)
    self.assertEqual(state.traffic.bytes_down, (18 * 4 + 4) * 2 * 3)


_SOME, _ALL = ('output',), ('hidden_1', 'output')


class SelectionTest(parameterized.TestCase):
  """Which round is chosen, of rounds whose clients' losses and accuracies are made up."""

  # Four clients with 4, 1, 1 and no examples for validation, by round.
  _LOSS = (
    (1.0, 4.0, 4.0, _NAN),
    (2.0, 1.0, 1.0, _NAN),
    (1.5, 3.0, 1.0, _NAN),
    (0.1, _NAN, 0, _NAN),
  )
  _ACCURACY = ((0.6, 0.7, 0.0, _NAN), (0.5, 0.8, 1.0, _NAN), (0.4, 0.9, 0.0, _NAN), (0, 0, 0, _NAN))

  def _best_rounds(self, layers=_SOME, **changes):
    data_ = _federated_data()
    clients = tuple(
      dataclasses.replace(client, validation=client.validation.take(np.arange(size)))
      for client, size in zip(data_.clients, (4, 1, 1, 0), strict=True)
    )
    values = [
      dict.fromkeys(evaluation.PARTS, {'loss': np.array(loss), 'accuracy': np.array(accuracy)})
      for loss, accuracy in zip(self._LOSS, self._ACCURACY, strict=True)
    ]
    data_ = dataclasses.replace(data_, clients=clients)
    folder = self.create_tempdir().full_path
    with mock.patch.object(evaluation, 'evaluate_parts', side_effect=values):
      return _run(_config(**changes), data_, [_phase(4, layers)], folder).selection

  @parameterized.named_parameters(
    # Pooled losses: 12/6, 10/6, 10/6 (the later wins), none; accuracies 3.1/6, 3.8/6, 2.5/6, 0.
    ('pooled_loss', 'loss', 'pooled', [3, 3, 3, 3]),
    ('pooled_accuracy', 'accuracy', 'pooled', [2, 2, 2, 2]),
    # Each client's own; the one without examples keeps its newest model.
    ('own_loss', 'loss', 'client', [4, 2, 4, 4]),
    ('own_accuracy', 'accuracy', 'client', [1, 3, 2, 4]),
  )
  def test_best_round(self, metric, scope, expected):
    selection = self._best_rounds(selection_metric=metric, selection_scope=scope)
    np.testing.assert_array_equal(selection.best_round, expected)

  def test_one_best_round_is_one_group(self):
    selection = self._best_rounds(selection_metric='loss', selection_scope='pooled')
    ((clients, _, _),) = selection.groups()
    np.testing.assert_array_equal(clients, [0, 1, 2, 3])
    np.testing.assert_allclose(selection.best_score, [-10 / 6] * 4)

  def test_scopes_differ_for_one_model_too(self):
    # Mean losses over clients: 3, 4/3, 5.5/3, none.
    for scope, expected in (('client', 2), ('pooled', 3)):
      selection = self._best_rounds(_ALL, selection_metric='loss', selection_scope=scope)
      np.testing.assert_array_equal(selection.best_round, [expected] * 4)


if __name__ == '__main__':
  absltest.main()
