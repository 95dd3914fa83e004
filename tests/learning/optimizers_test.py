"""Tests of TFF's optimisers in the process: replayed in NumPy, and against TFF's own algorithm."""

import functools
from unittest import mock

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import running, testing
from tff_lg import learning, optimizers, runtime, simulation
from tff_lg.compatibility import tff
from tff_lg.runtime import stacking

_TWO_CLIENTS = ((1, 1), (1, 4))
_DECAYS = {'beta_1': 0.9, 'beta_2': 0.99, 'epsilon': 1e-3}
_CALL = stacking.StackedFunction.__call__


def setUpModule():
  simulation.set_execution_context()


def _build(name, rate, **options):
  return optimizers.OPTIMIZERS[name].options(**options).build(rate)


class _Adagrad:
  """Adagrad on an array, in NumPy; with TFF's epsilon, inside the square root."""

  def __init__(self, rate, initial_accumulator, epsilon):
    self._rate, self._v, self._epsilon = rate, initial_accumulator, epsilon

  def __call__(self, weights, gradient):
    self._v = self._v + gradient**2
    return weights - self._rate * gradient / np.sqrt(self._v + self._epsilon)


class _Moments:
  """Adam, or Yogi, on an array, in NumPy."""

  def __init__(self, rate, beta_1, beta_2, epsilon, initial_accumulator=0.0, *, is_yogi=False):
    self._rate, self._beta_1, self._beta_2, self._epsilon = rate, beta_1, beta_2, epsilon
    self._is_yogi, self._step, self._m, self._v = is_yogi, 0, 0.0, initial_accumulator

  def __call__(self, weights, gradient):
    self._step += 1
    self._m = self._beta_1 * self._m + (1 - self._beta_1) * gradient
    towards = gradient**2 - self._v
    if self._is_yogi:
      towards = np.sign(towards) * gradient**2
    self._v = self._v + (1 - self._beta_2) * towards
    scale = np.sqrt(1 - self._beta_2**self._step) / (1 - self._beta_1**self._step)
    return weights - self._rate * scale * self._m / (np.sqrt(self._v) + self._epsilon)


def _gradient(weights, pair):
  """Computes the gradient of (head * base * x - y)^2 by base and head."""
  (base, head), (x, y) = weights, pair
  residual = 2 * (head * base * x - y) * x
  return residual * np.array([head, base])


class ReplayTest(parameterized.TestCase):
  @parameterized.parameters(
    ('adam', _Moments, _DECAYS),
    ('yogi', functools.partial(_Moments, is_yogi=True), {**_DECAYS, 'initial_accumulator': 0.01}),
    ('adagrad', _Adagrad, {'initial_accumulator': 0.01, 'epsilon': 1e-3}),
  )
  def test_adaptive_server(self, name, replay, options):
    """Replays Reddi et al. 2021, Algorithm 2; in FedAdagrad, beta_1 is 0.

    Client 0 has the example (1, 1), client 1 three times (1, 4): weights 1/4 and 3/4.
    """
    model = testing.linear_model()
    process = learning.build_local_global_process(
      model, testing.settings(server_optimizer=_build(name, 0.05, **options))
    )
    output = running.run(process, model, list(running.TWO_CLIENTS), num_rounds=3)

    server = replay(0.05, **options)
    weights = np.array([1.0, 2.0])
    for _ in range(3):
      updates = [0.1 * _gradient(weights, pair) for pair in _TWO_CLIENTS]
      weights = server(weights, np.average(updates, axis=0, weights=(1, 3)))
    np.testing.assert_allclose(np.ravel(output.server_state.global_weights), weights, rtol=1e-5)

  def test_each_part_of_lg_fedavg_has_states_of_its_own(self):
    """Clients keep an Adam for base and head; the server has one for the head alone."""
    model = testing.linear_model(('head',))
    process = learning.build_local_global_process(
      model,
      learning.ProcessSettings(
        client_optimizer=_build('adam', 0.1, beta_1=0.8, beta_2=0.9, epsilon=1e-2),
        server_optimizer=_build('adam', 0.05, beta_1=0.9, beta_2=0.99, epsilon=1e-3),
        batches=learning.TensorBatches(None),
        reset_client_optimizer=False,
      ),
    )
    output = running.run(process, model, list(running.TWO_CLIENTS), num_rounds=3)

    clients = [_Moments(0.1, 0.8, 0.9, 1e-2) for _ in _TWO_CLIENTS]
    server = _Moments(0.05, 0.9, 0.99, 1e-3)
    bases, head = [1.0, 1.0], 2.0
    for _ in range(3):
      updates = []
      for k, (client, pair) in enumerate(zip(clients, _TWO_CLIENTS, strict=True)):
        start = np.array([bases[k], head])
        bases[k], new_head = client(start, _gradient(start, pair))
        updates.append(head - new_head)
      head = server(head, np.average(updates, weights=(1, 3)))
    server_state = output.server_state
    np.testing.assert_allclose(np.ravel(server_state.global_weights), [head], rtol=1e-5)
    self.assertEqual(np.shape(server_state.optimizer_state['accumulator']), (1, 1, 1))
    for state, base in zip(output.client_states, bases, strict=True):
      np.testing.assert_allclose(np.ravel(state.local_weights), [base], rtol=1e-5)
      self.assertEqual(np.shape(state.optimizer_state['accumulator']), (2, 1, 1))
      self.assertEqual(state.optimizer_state['step'], 3)
    # What travels is the head and nothing of any optimiser.
    self.assertEqual(str(process.upload_type), '<<float32[1,1]>,float32>')

  def test_rate_of_the_server_by_round(self):
    model = testing.linear_model()
    process = learning.build_local_global_process(
      model, testing.settings(server_learning_rate_fn=lambda r: tf.cast(r, tf.float32))
    )
    first = running.run(process, model, list(running.TWO_CLIENTS))
    np.testing.assert_array_equal(np.ravel(first.server_state.global_weights), [1, 2])
    second = running.run(process, model, list(running.TWO_CLIENTS), num_rounds=2)
    # As in process_test.ByHandTest, one round later.
    np.testing.assert_allclose(np.ravel(second.server_state.global_weights), [1.5, 2.25], rtol=1e-6)


class AgainstTffTest(parameterized.TestCase):
  def _assert_same(self, client, ours, theirs, **settings):
    model = testing.classifier()
    data = testing.random_datasets()
    algorithm = tff.learning.algorithms.build_weighted_fed_avg(model.functional, client, theirs)
    state = algorithm.set_model_weights(
      algorithm.initialize(),
      tff.learning.models.ModelWeights(list(model.initial_weights), []),
    )
    for _ in range(3):
      state = algorithm.next(state, data).state
    process = learning.build_local_global_process(
      model,
      learning.ProcessSettings(
        client_optimizer=client,
        server_optimizer=ours,
        batches=learning.DatasetBatches(),
        evaluation_batches=learning.DatasetBatches(),
        **settings,
      ),
    )
    output = running.run(process, model, data, num_rounds=3)
    for got, want, start in zip(
      output.server_state.global_weights,
      algorithm.get_model_weights(state).trainable,
      model.initial_weights,
      strict=True,
    ):
      np.testing.assert_allclose(got, want, atol=1e-5)
      self.assertGreater(np.abs(want - start).max(), 1e-3)

  @parameterized.parameters(('adam', 'yogi'), ('adagrad', 'adamw'))
  def test_same_optimizers(self, of_clients, of_server):
    server = _build(of_server, 0.05)
    self._assert_same(_build(of_clients, 0.02), server, server)

  def test_schedule_of_the_server(self):
    rate = optimizers.SCHEDULES['step'].options(1, 0.5).build(0.1, 3)
    adam = _build('adam', 0.1)
    scheduled = tff.learning.optimizers.schedule_learning_rate(adam, rate)
    client = _build('rmsprop', 0.02)
    self._assert_same(client, adam, scheduled, server_learning_rate_fn=rate)


class StackedClientsTest(absltest.TestCase):
  def tearDown(self):
    super().tearDown()
    simulation.set_execution_context()

  def test_clients_in_one_call_keep_states_of_their_own(self):
    model = testing.linear_model(('head',))
    data = [testing.tensors((1, y), (1, 2), (2, 1)) for y in (1, 4)]
    outputs = []
    for stacked in (1, 2):
      runtime.set_local_execution_context(stacked_clients=stacked)
      process = learning.build_local_global_process(
        model,
        learning.ProcessSettings(
          client_optimizer=_build('adamw', 0.1),
          server_optimizer=_build('yogi', 0.05),
          batches=learning.TensorBatches(1),
          reset_client_optimizer=False,
        ),
      )
      with mock.patch.object(
        stacking.StackedFunction, '__call__', autospec=True, side_effect=_CALL
      ) as calls:
        outputs.append(running.run(process, model, data, num_rounds=2))
      self.assertEqual(calls.called, stacked == 2)
    one_by_one, together = outputs
    steps = [state.optimizer_state['step'] for state in together.client_states]
    self.assertEqual(steps, [6, 6])
    tf.nest.map_structure(
      lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6),
      (one_by_one.server_state, one_by_one.client_states),
      (together.server_state, together.client_states),
    )


if __name__ == '__main__':
  absltest.main()
