"""Tests of the stateful process: by hand, and against TFF's own algorithms."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import running, testing
from tff_lg import learning, simulation
from tff_lg.compatibility import tff


def setUpModule():
  simulation.set_execution_context()


class ByHandTest(absltest.TestCase):
  """Two clients with one example each: y = head * base * x from base 1, head 2.

  Client 0 has (1, 1): residual 1, gradient of (1*2*1 - 1)^2 = 2 * 1 * (2, 1) = (4, 2). A step of
  0.1 gives base 0.6, head 1.8.
  Client 1 has (1, 4) three times: residual -2, gradient (-8, -4): base 1.8, head 2.4.
  """

  data = running.TWO_CLIENTS

  def _next(self, global_layers, **changes):
    model = testing.linear_model(global_layers)
    process = learning.build_local_global_process(model, testing.settings(**changes))
    return running.run(process, model, list(self.data))

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

  def test_kept_optimizer_state_is_used_again(self):
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
      output = running.run(process, model, [testing.tensors((1, 1))], num_rounds=2)
      base, head = 0.6, 1.8  # after the first round, with gradient (4, 2)
      residual = base * head - 1
      step = 0.1 * (2 * residual * head + (0.9 * 4 if second_step_is_larger else 0))
      got = self._weights(output.client_states[0].local_weights)[0]
      self.assertAlmostEqual(got, base - step, places=5)


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
    output = running.run(process, model, list(ByHandTest.data))
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
    ours = learning.METHODS['fedsgd'].build_process(
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
    output = running.run(ours, model, our_data or data, num_rounds=3)
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
