"""Tests of FedBN and of averaged batch normalisation, replayed in NumPy as Li et al. write it."""

import functools

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tests.learning.methods import replay
from tff_lg import learning, models, runtime, simulation
from tff_lg.compatibility import tff

# Two examples each, (x, y), in batches of two.
_CLIENTS = (((1.0, 1.0), (3.0, 0.0)), ((0.5, 3.0), (2.0, -1.0)))
_MOMENTUM, _EPSILON = np.float32(0.75), np.float32(0.5)


def setUpModule():
  simulation.set_execution_context()


def _model():
  """Computes y = head * (gamma * normalised x + beta), squared error; from head 1."""
  layers = tf.keras.layers
  keras_model = tf.keras.Sequential(
    [
      layers.InputLayer((1,)),
      layers.BatchNormalization(momentum=float(_MOMENTUM), epsilon=float(_EPSILON), name='norm'),
      layers.Dense(1, use_bias=False, kernel_initializer='ones', name='head'),
    ]
  )
  return models.from_keras(
    keras_model,
    loss=tf.keras.losses.MeanSquaredError(),
    metrics={'error': tf.keras.metrics.MeanSquaredError},
    label_spec=tf.TensorSpec([None, 1], tf.float32),
  )


def _step(weights, client):
  """Takes a step on all examples of a client; weights: gamma, beta, mean, variance, head."""
  gamma, beta, mean, variance, head = weights
  x, y = np.array(_CLIENTS[client], np.float32).T
  normalised = (x - x.mean()) / np.sqrt(x.var() + _EPSILON)
  hidden = gamma * normalised + beta
  slope = 2 * (head * hidden - y)
  gradient = [np.mean(slope * head * normalised), np.mean(slope * head), np.mean(slope * hidden)]
  gamma, beta, head = np.array([gamma, beta, head]) - replay.RATE * np.array(gradient)
  mean, variance = (
    _MOMENTUM * old + (1 - _MOMENTUM) * new for old, new in ((mean, x.mean()), (variance, x.var()))
  )
  return np.array([gamma, beta, mean, variance, head])


def _replay(num_local):
  """Replays two steps in a round; the first weights are local, the others of the server."""
  start = np.array([1, 0, 0, 1, 1], np.float32)
  server, states = start[num_local:], [start[:num_local]] * 2
  for cohort in replay.COHORTS:
    trained = []
    for client in cohort:
      weights = np.hstack([states[client], server])
      for _ in range(2):
        weights = _step(weights, client)
      states[client] = weights[:num_local]
      trained.append(weights[num_local:])
    server = np.mean(trained, axis=0)
  return server, states


@functools.cache
def _process(name):
  settings = testing.settings(float(replay.RATE), learning.TensorBatches(None, 2))
  return learning.METHODS[name].build_process(_model(), settings)


@functools.cache
def _run(name, num_rounds=3):
  return _run_rounds(_process(name), num_rounds)


def _run_rounds(process, num_rounds=3):
  weights = process.model.initial_weights
  server_state = process.initialize(weights)
  states = [process.initialize_client(weights)] * 2
  for cohort in replay.COHORTS[:num_rounds]:
    data = [testing.tensors(*_CLIENTS[client]) for client in cohort]
    output = process.next(server_state, [states[client] for client in cohort], data)
    server_state = output.server_state
    for client, state in zip(cohort, output.client_states, strict=True):
      states[client] = state
  return process, server_state, states


class FedBnTest(parameterized.TestCase):
  @parameterized.parameters(('fedbn', 4), ('fedavg', 0), ('local_only', 5))
  def test_three_rounds_of_two_clients(self, name, num_local):
    _, server_state, states = _run(name)
    server, local = _replay(num_local)
    found = [np.ravel(weight) for weight in server_state.global_weights]
    np.testing.assert_allclose(np.hstack([*found, []]), server, rtol=1e-4, atol=1e-6)
    for state, expected in zip(states, local, strict=True):
      found = [np.ravel(weight) for weight in state.local_weights]
      np.testing.assert_allclose(np.hstack([*found, []]), expected, rtol=1e-4, atol=1e-6)

  def test_clients_predict_with_moving_statistics(self):
    process, server_state, states = _run('fedbn')
    data = [testing.tensors((1, 0))] * 2
    (head,) = np.ravel(server_state.global_weights)
    for state, metrics in zip(states, process.evaluate(server_state, states, data), strict=True):
      gamma, beta, mean, variance = np.ravel(state.local_weights)
      output = head * (gamma * (1 - mean) / np.sqrt(variance + _EPSILON) + beta)
      self.assertAlmostEqual(float(metrics['loss']), float(output**2), places=4)

  def test_layers_of_normalisation_do_not_travel(self):
    process = _process('fedbn')
    self.assertLen(process.upload_type[0], 1)
    self.assertEqual(process.model.weight_is_global, (False,) * 4 + (True,))

  @parameterized.parameters(
    {'server_optimizer': tff.learning.optimizers.build_adam(0.5)},
    {'client_optimizer': tff.learning.optimizers.build_adamw(0.125, weight_decay=0.5)},
  )
  def test_no_optimizer_moves_statistics(self, **changes):
    options = {'client_optimizer': tff.learning.optimizers.build_sgdm(0.125)} | changes
    settings = learning.ProcessSettings(batches=learning.TensorBatches(None, 2), **options)
    process = learning.METHODS['fedavg'].build_process(_model(), settings)
    weights = process.model.initial_weights
    state, data = process.initialize_client(weights), [testing.tensors(*_CLIENTS[0])]
    found = process.next(process.initialize(weights), [state], data).server_state
    x = np.array(_CLIENTS[0])[:, 0]
    share = 1 - _MOMENTUM**2
    for weight, start, of_batch in zip(
      found.global_weights[2:4], (0, 1), (x.mean(), x.var()), strict=True
    ):
      np.testing.assert_allclose(weight, [(1 - share) * start + share * of_batch], rtol=1e-5)

  @parameterized.parameters(
    ('fedprox', 2),
    ('fedsgd', 1),
    ('scaffold', 2),
    ('fedrep', 2),
    ('fedbabu', 2),
    ('fedalt', 2),
    ('fedala', 2),
  )
  def test_methods_average_what_their_steps_have_seen(self, name, num_steps):
    process, server_state, states = _run(name, 1)
    weights = process.merge(server_state.global_weights, states[0].local_weights)
    x = np.array(_CLIENTS)[:, :, 0]
    share = 1 - _MOMENTUM**num_steps
    _, _, mean, variance, _ = weights
    np.testing.assert_allclose(mean, [share * x.mean()], rtol=1e-5)
    np.testing.assert_allclose(variance, [1 - share + share * x.var(axis=1).mean()], rtol=1e-5)

  def test_ditto_moves_statistics_of_both_models(self):
    process, server_state, states = _run('ditto', 1)
    _, expected, _ = _run('fedavg', 1)
    names = [name for name in process.model.weight_names if name.startswith('global_model')]
    self.assertLen(names, 5)
    for one, other in zip(server_state.global_weights, expected.global_weights, strict=True):
      np.testing.assert_allclose(one, other, rtol=1e-6)
    own = states[0].local_weights[2]
    self.assertGreater(float(np.ravel(own)[0]), 0)

  def test_stacked_clients(self):
    _, expected, _ = _run('fedavg')
    context = runtime.create_local_execution_context(devices='cpu', stacked_clients=2)
    with tff.framework.get_context_stack().install(context):
      _, found, _ = _run_rounds(_process('fedavg'))
    for one, other in zip(found.global_weights, expected.global_weights, strict=True):
      np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)

  @parameterized.parameters('apfl', 'per_fedavg', 'pfedme', 'fednova', 'ifca')
  def test_methods_without_networks_of_their_own_statistics_are_refused(self, name):
    with self.assertRaisesRegex(ValueError, f'^method {name} does not fit .* has norm: expected'):
      _process(name)


if __name__ == '__main__':
  absltest.main()
