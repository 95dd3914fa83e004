"""Tests of the stateful process where clients are missing, broken or malicious."""

import functools

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.learning import running, testing
from tff_lg import learning, simulation
from tff_lg.compatibility import tff


def setUpModule():
  simulation.set_execution_context()


@functools.cache
def _process(global_layers=('base', 'head'), weighting='examples'):
  settings = testing.settings(client_weighting=learning.CLIENT_WEIGHTINGS[weighting])
  return learning.build_local_global_process(testing.linear_model(global_layers), settings)


def _run(data, *settings):
  process = _process(*settings)
  return running.run(process, process.model, data)


class TroubleTest(absltest.TestCase):
  """Clients without examples, and clients whose update is not finite."""

  def test_update_that_is_not_finite_is_left_out(self):
    output = _run([testing.tensors((1, 4)), testing.tensors((1, float('nan')))], ('head',))
    self.assertAlmostEqual(float(np.squeeze(output.server_state.global_weights[0])), 2.4, places=5)
    self.assertEqual(float(np.squeeze(output.client_states[1].local_weights[0])), 1.0)
    self.assertEqual([m.update_is_finite for m in output.client_metrics], [True, False])
    self.assertEqual((output.metrics.num_clients, output.metrics.num_clients_left_out), (1, 1))
    self.assertAlmostEqual(output.metrics.loss, 4.0, places=5)

  def test_update_sizes_are_told(self):
    data = [*running.TWO_CLIENTS, testing.tensors(), testing.tensors((1, float('nan')))]
    output = _run(data, ('head',))
    sizes = [metrics.update_size for metrics in output.client_metrics]
    np.testing.assert_allclose(sizes, [0.2, 0.4, 0, 0], rtol=1e-6)
    # The second has three examples, and its update the other sign.
    self.assertAlmostEqual(output.metrics.step_size, (3 * 0.4 - 0.2) / 4, places=6)
    self.assertTrue(output.metrics.aggregate_is_finite)
    self.assertTrue(output.metrics.weights_are_finite)

  def test_weights_that_are_not_finite_are_told(self):
    model = testing.linear_model()
    process = learning.build_local_global_process(
      model, testing.settings(server_optimizer=tff.learning.optimizers.build_sgdm(float('inf')))
    )
    output = running.run(process, model, list(running.TWO_CLIENTS))
    self.assertTrue(output.metrics.aggregate_is_finite)
    self.assertFalse(output.metrics.weights_are_finite)

  def test_empty_client_weighs_nothing(self):
    for weighting in learning.CLIENT_WEIGHTINGS:
      data = [testing.tensors(), testing.tensors((1, 4))]
      output = _run(data, ('base', 'head'), weighting)
      weights = [float(np.squeeze(w)) for w in output.server_state.global_weights]
      np.testing.assert_allclose(weights, [1.8, 2.4], rtol=1e-5)

  def test_only_empty_clients_change_nothing(self):
    output = _run([testing.tensors()])
    np.testing.assert_array_equal(np.ravel(output.server_state.global_weights), [1, 2])


class DropoutTest(absltest.TestCase):
  """Clients that drop out of a round, and stragglers; the numbers are those of process_test."""

  data = (running.TWO_CLIENTS[0]._replace(work_share=np.float32(0)), running.TWO_CLIENTS[1])

  def test_dropout_is_absent(self):
    for weighting in learning.CLIENT_WEIGHTINGS:
      output = _run(list(self.data), ('head',), weighting)
      np.testing.assert_allclose(output.server_state.global_weights, [[[2.4]]], rtol=1e-6)
      np.testing.assert_array_equal(output.client_states[0].local_weights, [[[1]]])
      self.assertEqual((output.metrics.num_clients, output.metrics.num_clients_left_out), (1, 0))
      self.assertEqual(output.metrics.num_examples, 3)
      self.assertAlmostEqual(output.metrics.loss, 4.0, places=5)

  def test_round_of_nobody_keeps_the_global_weights(self):
    output = _run([self.data[0]] * 2)
    np.testing.assert_array_equal(np.ravel(output.server_state.global_weights), [1, 2])
    self.assertEqual(tuple(output.metrics)[:4], (0, 0, 0, 0))
    self.assertEqual(output.server_state.round_num, 1)

  def test_momentum_continues_after_a_round_of_nobody(self):
    model = testing.linear_model()
    process = learning.build_local_global_process(
      model, testing.settings(server_optimizer=tff.learning.optimizers.build_sgdm(1.0, 0.5))
    )
    first = running.run(process, model, [running.TWO_CLIENTS[0]])  # Update (0.4, 0.2).
    second = process.next(first.server_state, first.client_states, [self.data[0]])
    np.testing.assert_allclose(
      np.ravel(second.server_state.global_weights), [0.6 - 0.2, 1.8 - 0.1], rtol=1e-6
    )

  def test_evaluation_sees_all_examples_of_a_dropout(self):
    process = _process()
    weights = process.model.initial_weights
    server_state = process.initialize(weights)
    client_states = [process.initialize_client(weights)] * 2
    results = process.evaluate(server_state, client_states, list(self.data))
    self.assertEqual([result['num_examples'] for result in results], [1, 3])

  def test_fedprox_with_stragglers(self):
    # The second of four steps of base 1, head 2 is the first with a proximal term: after
    # (1, 1) the model is (0.6, 1.8) from (1, 2), so the term adds mu * (-0.4, -0.2).
    process = learning.METHODS['fedprox'].build_process(
      testing.linear_model(),
      testing.settings(batches=learning.TensorBatches(1, num_epochs=4)),
      proximal_strength=1.0,
    )
    data = running.TWO_CLIENTS[0]._replace(work_share=np.float32(0.4))
    output = running.run(process, process.model, [data])
    residual = 0.6 * 1.8 - 1
    gradient = np.array([2 * residual * 1.8 - 0.4, 2 * residual * 0.6 - 0.2])
    np.testing.assert_allclose(
      np.ravel(output.server_state.global_weights), np.array([0.6, 1.8]) - 0.1 * gradient, rtol=1e-5
    )
    self.assertEqual(output.client_metrics[0].num_examples, 2)


class UpdateAttackTest(absltest.TestCase):
  """Attackers who send three times their seed's first number, whatever they learnt."""

  def _next(self, data, attack=None, global_layers=('base', 'head'), **changes):
    @tff.tensorflow.computation
    def from_seed(update, seed):
      return tuple(0 * delta + 3 * tf.cast(seed[0], tf.float32) for delta in update)

    def update_attack(updates, is_attacking, seeds):
      del is_attacking
      return tff.federated_map(attack or from_seed, (updates, seeds))

    model = testing.linear_model(global_layers)
    process = learning.build_local_global_process(
      model,
      testing.settings(
        update_attack=update_attack,
        client_weighting=learning.CLIENT_WEIGHTINGS['uniform'],
        **changes,
      ),
    )
    return running.run(process, model, data)

  def _attacker(self, data):
    return data._replace(seed=np.array([5, 7], np.int32), is_malicious=np.bool_(True))

  def test_attackers_send_something_else(self):
    output = self._next([running.TWO_CLIENTS[0], self._attacker(running.TWO_CLIENTS[1])])
    # Updates (0.4, 0.2) and (15, 15).
    np.testing.assert_allclose(
      np.ravel(output.server_state.global_weights), [1 - 15.4 / 2, 2 - 15.2 / 2], rtol=1e-6
    )
    self.assertEqual([m.update_is_finite for m in output.client_metrics], [True, True])
    np.testing.assert_allclose([m.update_size for m in output.client_metrics], [0.4, 15])

  def test_honest_clients_are_unchanged_to_the_bit(self):
    without = _run(list(running.TWO_CLIENTS), ('base', 'head'), 'uniform')
    attacked = self._next(list(running.TWO_CLIENTS))
    tf.nest.map_structure(np.testing.assert_array_equal, without, attacked)

  def test_attackers_without_weight_stay_absent(self):
    dropout = running.TWO_CLIENTS[1]._replace(work_share=np.float32(0))
    diverged = testing.tensors((1, float('nan')))
    data = [running.TWO_CLIENTS[0], self._attacker(dropout), self._attacker(diverged)]
    # A sum takes no weights: what comes from nobody has to be zero.
    output = self._next(data, aggregator=tff.aggregators.SumFactory())
    np.testing.assert_allclose(np.ravel(output.server_state.global_weights), [0.6, 1.8], rtol=1e-6)

  def test_attack_that_overflows_is_the_honest_update(self):
    @tff.tensorflow.computation
    def overflow(update, seed):
      del seed
      return tuple(1e38 * (1e38 * delta) for delta in update)

    output = self._next([self._attacker(running.TWO_CLIENTS[0])], overflow)
    np.testing.assert_allclose(np.ravel(output.server_state.global_weights), [0.6, 1.8], rtol=1e-6)

  def test_aggregate_that_overflows_counts_as_none(self):
    @tff.tensorflow.computation
    def huge(update, seed):
      del seed
      return tuple(tf.fill(delta.shape, 3e38) for delta in update)

    output = self._next([self._attacker(data) for data in running.TWO_CLIENTS], huge)
    np.testing.assert_array_equal(np.ravel(output.server_state.global_weights), [1, 2])
    self.assertFalse(output.metrics.aggregate_is_finite)
    self.assertTrue(output.metrics.weights_are_finite)

  def test_what_a_client_keeps_is_not_attacked(self):
    attacker = self._attacker(running.TWO_CLIENTS[0])
    output = self._next([attacker], global_layers=('head',))
    np.testing.assert_allclose(output.client_states[0].local_weights, [[[0.6]]], rtol=1e-6)
    np.testing.assert_allclose(output.server_state.global_weights, [[[2 - 15]]], rtol=1e-6)
    alone = self._next([attacker], global_layers=())
    np.testing.assert_allclose(np.ravel(alone.client_states[0].local_weights), [0.6, 1.8])


if __name__ == '__main__':
  absltest.main()
