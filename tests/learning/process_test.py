"""Tests of the stateful process: by hand, and against TFF's own algorithms."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import learning, simulation
from tff_lg.compatibility import tff


def setUpModule():
  simulation.set_execution_context()


def _run(process, model, data, num_rounds=1):
  server_state = process.initialize(model.initial_weights)
  client_states = [process.initialize_client(model.initial_weights)] * len(data)
  for _ in range(num_rounds):
    output = process.next(server_state, client_states, data)
    server_state, client_states = output.server_state, output.client_states
  return output


class ByHandTest(absltest.TestCase):
  """Two clients with one example each: y = head * base * x from base 1, head 2.

  Client 0 has (1, 1): residual 1, gradient of (1*2*1 - 1)^2 = 2 * 1 * (2, 1) = (4, 2);
  after a step of 0.1 it has base 0.6, head 1.8.
  Client 1 has (1, 4) three times: residual -2, gradient (-8, -4): base 1.8, head 2.4.
  """

  data = (testing.tensors((1, 1)), testing.tensors((1, 4), (1, 4), (1, 4)))

  def _next(self, global_layers, **changes):
    model = testing.linear_model(global_layers)
    process = learning.build_local_global_process(model, testing.settings(**changes))
    return _run(process, model, list(self.data))

  def _weights(self, weights):
    return [float(np.squeeze(weight)) for weight in weights]

  def test_fedavg_weights_by_examples(self):
    output = self._next(('base', 'head'))
    # 1/4 * 0.6 + 3/4 * 1.8 and 1/4 * 1.8 + 3/4 * 2.4.
    np.testing.assert_allclose(
      self._weights(output.server_state.global_weights), [1.5, 2.25], rtol=1e-6
    )
    self.assertEqual([state.local_weights for state in output.client_states], [(), ()])
    self.assertAlmostEqual(output.metrics.loss, (1 * 1 + 3 * 4) / 4, places=5)
    self.assertEqual(output.metrics.num_examples, 4)
    self.assertEqual(output.server_state.round_num, 1)

  def test_uniform_weighting(self):
    output = self._next(('base', 'head'), client_weighting=learning.CLIENT_WEIGHTINGS['uniform'])
    np.testing.assert_allclose(
      self._weights(output.server_state.global_weights), [1.2, 2.1], rtol=1e-6
    )

  def test_gradient_norm_weighting_counts_global_weights_only(self):
    output = self._next(('head',), client_weighting=learning.CLIENT_WEIGHTINGS['gradient_norm'])
    # Updates of the head are 0.2 and -0.4, their squares 0.04 and 0.16.
    expected = 2 - (0.04 * 0.2 + 0.16 * -0.4) / 0.2
    np.testing.assert_allclose(
      self._weights(output.server_state.global_weights), [expected], rtol=1e-5
    )

  def test_lg_fedavg_keeps_local_weights_apart(self):
    output = self._next(('head',))
    np.testing.assert_allclose(self._weights(output.server_state.global_weights), [2.25], rtol=1e-6)
    local = [self._weights(state.local_weights)[0] for state in output.client_states]
    np.testing.assert_allclose(local, [0.6, 1.8], rtol=1e-6)

  def test_local_only_shares_nothing(self):
    output = self._next(())
    self.assertEqual(output.server_state.global_weights, ())
    local = [self._weights(state.local_weights) for state in output.client_states]
    np.testing.assert_allclose(local, [[0.6, 1.8], [1.8, 2.4]], rtol=1e-6)

  def test_server_learning_rate_scales_the_mean_update(self):
    output = self._next(('base', 'head'), server_optimizer=tff.learning.optimizers.build_sgdm(0.5))
    np.testing.assert_allclose(
      self._weights(output.server_state.global_weights), [1.25, 2.125], rtol=1e-6
    )

  def test_learning_rate_by_round(self):
    output = self._next(
      ('base', 'head'), client_learning_rate_fn=lambda r: 0.2 / (1.0 + tf.cast(r, tf.float32))
    )
    # Round 0 has twice the step of the other tests.
    np.testing.assert_allclose(
      self._weights(output.server_state.global_weights), [2.0, 2.5], rtol=1e-6
    )

  def test_kept_optimizer_state_goes_on(self):
    model = testing.linear_model(())
    momentum = tff.learning.optimizers.build_sgdm(0.1, momentum=0.9)
    for reset, second_step_is_larger in ((True, False), (False, True)):
      process = learning.build_local_global_process(
        model,
        learning.ProcessSettings(
          client_optimizer=momentum,
          batches=learning.TensorBatches(None),
          reset_client_optimizer=reset,
        ),
      )
      output = _run(process, model, [testing.tensors((1, 1))], num_rounds=2)
      base, head = 0.6, 1.8  # after the first round, with gradient (4, 2)
      residual = base * head - 1
      step = 0.1 * (2 * residual * head + (0.9 * 4 if second_step_is_larger else 0))
      got = self._weights(output.client_states[0].local_weights)[0]
      self.assertAlmostEqual(got, base - step, places=5)


class TroubleTest(absltest.TestCase):
  """Clients without examples, and clients whose update is not finite."""

  def test_update_that_is_not_finite_is_left_out(self):
    model = testing.linear_model(('head',))
    process = learning.build_local_global_process(model, testing.settings())
    data = [testing.tensors((1, 4)), testing.tensors((1, float('nan')))]
    output = _run(process, model, data)
    self.assertAlmostEqual(float(np.squeeze(output.server_state.global_weights[0])), 2.4, places=5)
    self.assertEqual(float(np.squeeze(output.client_states[1].local_weights[0])), 1.0)
    self.assertEqual([m.update_is_finite for m in output.client_metrics], [True, False])
    self.assertEqual((output.metrics.num_clients, output.metrics.num_clients_left_out), (1, 1))
    self.assertAlmostEqual(output.metrics.loss, 4.0, places=5)

  def test_update_sizes_are_told(self):
    model = testing.linear_model(('head',))
    process = learning.build_local_global_process(model, testing.settings())
    data = [*ByHandTest.data, testing.tensors(), testing.tensors((1, float('nan')))]
    output = _run(process, model, data)
    sizes = [metrics.update_size for metrics in output.client_metrics]
    np.testing.assert_allclose(sizes, [0.2, 0.4, 0, 0], rtol=1e-6)
    self.assertTrue(output.metrics.aggregate_is_finite)
    self.assertTrue(output.metrics.weights_are_finite)

  def test_weights_that_are_not_finite_are_told(self):
    model = testing.linear_model()
    process = learning.build_local_global_process(
      model, testing.settings(server_optimizer=tff.learning.optimizers.build_sgdm(float('inf')))
    )
    output = _run(process, model, list(ByHandTest.data))
    self.assertTrue(output.metrics.aggregate_is_finite)
    self.assertFalse(output.metrics.weights_are_finite)

  def test_empty_client_weighs_nothing(self):
    for weighting in learning.CLIENT_WEIGHTINGS.values():
      model = testing.linear_model()
      process = learning.build_local_global_process(
        model, testing.settings(client_weighting=weighting)
      )
      output = _run(process, model, [testing.tensors(), testing.tensors((1, 4))])
      weights = [float(np.squeeze(w)) for w in output.server_state.global_weights]
      np.testing.assert_allclose(weights, [1.8, 2.4], rtol=1e-5)

  def test_only_empty_clients_change_nothing(self):
    model = testing.linear_model()
    process = learning.build_local_global_process(model, testing.settings())
    output = _run(process, model, [testing.tensors()])
    np.testing.assert_array_equal(
      np.ravel(output.server_state.global_weights), np.ravel(model.initial_weights)
    )


class DropoutTest(absltest.TestCase):
  """Clients that drop out of a round, and stragglers; the numbers are those of ByHandTest."""

  data = (ByHandTest.data[0]._replace(work_share=np.float32(0)), ByHandTest.data[1])

  def test_dropout_is_absent(self):
    for weighting in learning.CLIENT_WEIGHTINGS.values():
      model = testing.linear_model(('head',))
      process = learning.build_local_global_process(
        model, testing.settings(client_weighting=weighting)
      )
      output = _run(process, model, list(self.data))
      np.testing.assert_allclose(output.server_state.global_weights, [[[2.4]]], rtol=1e-6)
      np.testing.assert_array_equal(output.client_states[0].local_weights, [[[1]]])
      self.assertEqual((output.metrics.num_clients, output.metrics.num_clients_left_out), (1, 0))
      self.assertEqual(output.metrics.num_examples, 3)
      self.assertAlmostEqual(output.metrics.loss, 4.0, places=5)

  def test_round_of_nobody_keeps_the_global_weights(self):
    model = testing.linear_model()
    process = learning.build_local_global_process(model, testing.settings())
    output = _run(process, model, [self.data[0]] * 2)
    np.testing.assert_array_equal(np.ravel(output.server_state.global_weights), [1, 2])
    self.assertEqual(tuple(output.metrics)[:4], (0, 0, 0, 0))
    self.assertEqual(output.server_state.round_num, 1)

  def test_after_a_round_of_nobody_momentum_has_gone_on(self):
    model = testing.linear_model()
    process = learning.build_local_global_process(
      model, testing.settings(server_optimizer=tff.learning.optimizers.build_sgdm(1.0, 0.5))
    )
    first = _run(process, model, [ByHandTest.data[0]])  # Update (0.4, 0.2).
    second = process.next(first.server_state, first.client_states, [self.data[0]])
    np.testing.assert_allclose(
      np.ravel(second.server_state.global_weights), [0.6 - 0.2, 1.8 - 0.1], rtol=1e-6
    )

  def test_evaluation_sees_all_examples_of_a_dropout(self):
    model = testing.linear_model()
    process = learning.build_local_global_process(model, testing.settings())
    server_state = process.initialize(model.initial_weights)
    client_states = [process.initialize_client(model.initial_weights)] * 2
    results = process.evaluate(server_state, client_states, list(self.data))
    self.assertEqual([result['num_examples'] for result in results], [1, 3])

  def test_fedprox_with_stragglers(self):
    # The second of four steps of base 1, head 2 is the first with a proximal term: after
    # (1, 1) the model is (0.6, 1.8) from (1, 2), so the term adds mu * (-0.4, -0.2).
    method = learning.METHODS['fedprox'](learning.MethodOptions(proximal_strength=1.0))
    process = method(
      testing.linear_model(),
      testing.settings(batches=learning.TensorBatches(1, num_epochs=4)),
    )
    data = ByHandTest.data[0]._replace(work_share=np.float32(0.4))
    output = _run(process, process.model, [data])
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
    return _run(process, model, data)

  def _attacker(self, data):
    return data._replace(seed=np.array([5, 7], np.int32), is_malicious=np.bool_(True))

  def test_attackers_send_something_else(self):
    output = self._next([ByHandTest.data[0], self._attacker(ByHandTest.data[1])])
    # Updates (0.4, 0.2) and (15, 15).
    np.testing.assert_allclose(
      np.ravel(output.server_state.global_weights), [1 - 15.4 / 2, 2 - 15.2 / 2], rtol=1e-6
    )
    self.assertEqual([m.update_is_finite for m in output.client_metrics], [True, True])
    np.testing.assert_allclose([m.update_size for m in output.client_metrics], [0.4, 15])

  def test_honest_clients_are_unchanged_to_the_bit(self):
    model = testing.linear_model()
    without = _run(
      learning.build_local_global_process(
        model, testing.settings(client_weighting=learning.CLIENT_WEIGHTINGS['uniform'])
      ),
      model,
      list(ByHandTest.data),
    )
    attacked = self._next(list(ByHandTest.data))
    tf.nest.map_structure(np.testing.assert_array_equal, without, attacked)

  def test_attackers_without_weight_stay_absent(self):
    dropout = ByHandTest.data[1]._replace(work_share=np.float32(0))
    diverged = testing.tensors((1, float('nan')))
    data = [ByHandTest.data[0], self._attacker(dropout), self._attacker(diverged)]
    # A sum takes no weights: what comes from nobody has to be zero.
    output = self._next(data, aggregator=tff.aggregators.SumFactory())
    np.testing.assert_allclose(np.ravel(output.server_state.global_weights), [0.6, 1.8], rtol=1e-6)

  def test_attack_that_overflows_is_the_honest_update(self):
    @tff.tensorflow.computation
    def overflow(update, seed):
      del seed
      return tuple(1e38 * (1e38 * delta) for delta in update)

    output = self._next([self._attacker(ByHandTest.data[0])], overflow)
    np.testing.assert_allclose(np.ravel(output.server_state.global_weights), [0.6, 1.8], rtol=1e-6)

  def test_aggregate_that_overflows_counts_as_none(self):
    @tff.tensorflow.computation
    def huge(update, seed):
      del seed
      return tuple(tf.fill(delta.shape, 3e38) for delta in update)

    output = self._next([self._attacker(data) for data in ByHandTest.data], huge)
    np.testing.assert_array_equal(np.ravel(output.server_state.global_weights), [1, 2])
    self.assertFalse(output.metrics.aggregate_is_finite)
    self.assertTrue(output.metrics.weights_are_finite)

  def test_what_a_client_keeps_is_not_attacked(self):
    attacker = self._attacker(ByHandTest.data[0])
    output = self._next([attacker], global_layers=('head',))
    np.testing.assert_allclose(output.client_states[0].local_weights, [[[0.6]]], rtol=1e-6)
    np.testing.assert_allclose(output.server_state.global_weights, [[[2 - 15]]], rtol=1e-6)
    alone = self._next([attacker], global_layers=())
    np.testing.assert_allclose(np.ravel(alone.client_states[0].local_weights), [0.6, 1.8])


class WhatTravelsTest(absltest.TestCase):
  def test_no_local_weight_is_aggregated(self):
    class Recorder(tff.aggregators.WeightedAggregationFactory):
      """Remembers the type that it is asked to aggregate."""

      def create(self, value_type, weight_type):
        self.value_type = value_type
        return tff.aggregators.MeanFactory().create(value_type, weight_type)

    recorder = Recorder()
    model = testing.classifier().with_global_layers(('output',))
    process = learning.build_local_global_process(model, testing.settings(aggregator=recorder))
    global_type = tff.to_type(((np.float32, (5, 3)), (np.float32, (3,))))
    self.assertTrue(recorder.value_type.is_equivalent_to(global_type))
    self.assertTrue(process.upload_type[0].is_equivalent_to(global_type))
    self.assertTrue(process.download_type[0].is_equivalent_to(global_type))

  def test_nothing_travels_when_all_is_local(self):
    process = learning.build_local_global_process(
      testing.classifier().with_global_layers(()), testing.settings()
    )
    self.assertEqual((len(process.upload_type), len(process.download_type)), (0, 0))

  def test_unweighted_aggregators_fit(self):
    model = testing.linear_model()
    process = learning.build_local_global_process(
      model, testing.settings(aggregator=tff.aggregators.UnweightedMeanFactory())
    )
    output = _run(process, model, list(ByHandTest.data))
    np.testing.assert_allclose(np.ravel(output.server_state.global_weights), [1.2, 2.1], rtol=1e-6)


class AgainstTffTest(parameterized.TestCase):
  """With everything global the process is TFF's algorithm, on the same data sets."""

  @parameterized.named_parameters(('sgd', None), ('momentum', 0.9))
  def test_weighted_fed_avg(self, momentum):
    optimizer = tff.learning.optimizers.build_sgdm(0.1, momentum)
    server = tff.learning.optimizers.build_sgdm(0.7, 0.9)
    model = testing.classifier()
    theirs = tff.learning.algorithms.build_weighted_fed_avg(model.functional, optimizer, server)
    ours = learning.build_local_global_process(
      model,
      learning.ProcessSettings(
        client_optimizer=optimizer,
        server_optimizer=server,
        batches=learning.DatasetBatches(),
        evaluation_batches=learning.DatasetBatches(),
      ),
    )
    self._assert_same(model, ours, theirs)

  def test_weighted_fed_prox_but_for_its_sign(self):
    # TFF 0.87 adds strength * (w_0 - w) to the gradient, where Li et al. have (w - w_0)
    # (templates/proximal_client_work.py): it is their method with a negative strength.
    optimizer = tff.learning.optimizers.build_sgdm(0.1)
    model = testing.classifier()
    theirs = tff.learning.algorithms.build_weighted_fed_prox(
      model.functional, 0.5, optimizer, tff.learning.optimizers.build_sgdm(1.0)
    )

    def reversed_proximal(model, weights, initial_weights, x, y):
      loss = learning.supervised(model, weights, initial_weights, x, y)
      proximal = learning.proximal(0.5)(model, weights, initial_weights, x, y)
      return loss - (proximal - loss)

    ours = learning.build_local_global_process(
      model,
      learning.ProcessSettings(
        client_optimizer=optimizer,
        batches=learning.DatasetBatches(),
        objective=reversed_proximal,
      ),
    )
    self._assert_same(model, ours, theirs)

  def test_fed_sgd(self):
    optimizer = tff.learning.optimizers.build_sgdm(0.3, 0.9)
    model = testing.classifier()
    theirs = tff.learning.algorithms.build_fed_sgd(model.functional, optimizer)
    ours = learning.METHODS['fedsgd'](learning.MethodOptions())(
      model,
      learning.ProcessSettings(client_optimizer=optimizer, batches=learning.TensorBatches(10)),
    )
    datasets = testing.random_datasets()
    whole = [next(iter(dataset.batch(100).map(_unbatch))) for dataset in _single(datasets)]
    tensors = [learning.ClientTensors(x.numpy(), y.numpy()) for x, y in whole]
    self._assert_same(model, ours, theirs, our_data=tensors)

  def _assert_same(self, model, ours, theirs, our_data=None):
    data = testing.random_datasets()
    state = theirs.initialize()
    state = theirs.set_model_weights(
      state, tff.learning.models.ModelWeights(list(model.initial_weights), [])
    )
    for _ in range(3):
      state = theirs.next(state, data).state
    expected = theirs.get_model_weights(state).trainable
    output = _run(ours, model, our_data or data, num_rounds=3)
    for got, want, start in zip(
      output.server_state.global_weights, expected, model.initial_weights, strict=True
    ):
      np.testing.assert_allclose(got, want, atol=1e-5)
      self.assertGreater(np.abs(want - start).max(), 1e-3)


def _single(datasets):
  return [dataset.unbatch().batch(1) for dataset in datasets]


def _unbatch(x, y):
  return x[:, 0], y[:, 0]


if __name__ == '__main__':
  absltest.main()
