"""Tests of mean-regularised MTL, by hand and against the matrix Omega."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.learning import testing
from tff_lg import learning, simulation
from tff_lg.compatibility import tff
from tff_lg.training import communication


def setUpModule():
  simulation.set_execution_context()


def _build(strength, model=None, weight_decay=0.0, **settings) -> learning.LocalGlobalProcess:
  return learning.METHODS['mtl'].build_process(
    model or testing.linear_model(),
    testing.settings(**settings),
    mtl_strength=strength,
    mtl_weight_decay=weight_decay,
  )


def _start(process, num_clients):
  weights = process.model.initial_weights
  return process.initialize(weights), [process.initialize_client(weights)] * num_clients


class MtlTest(absltest.TestCase):
  def test_two_clients_and_two_numbers_by_hand(self):
    process = _build(0.25)
    data = [testing.tensors((1, 1)), testing.tensors((1, 4))]
    first = process.next(*_start(process, 2), data)
    # At the mean there is no penalty: steps of 0.1 along (4, 2) and (-8, -4).
    own = [np.ravel(state.local_weights) for state in first.client_states]
    np.testing.assert_allclose(own, [[0.6, 1.8], [1.8, 2.4]], rtol=1e-6)
    np.testing.assert_allclose(np.ravel(first.server_state.global_weights), [1.2, 2.1], rtol=1e-6)
    second = process.next(first.server_state, first.client_states, data)
    # Residuals 0.6 * 1.8 - 1 and 1.8 * 2.4 - 4; the penalty pulls by 2 * 0.25 to (1.2, 2.1).
    steps = [
      0.1 * np.array([2 * 0.08 * 1.8 + 0.5 * -0.6, 2 * 0.08 * 0.6 + 0.5 * -0.3]),
      0.1 * np.array([2 * 0.32 * 2.4 + 0.5 * 0.6, 2 * 0.32 * 1.8 + 0.5 * 0.3]),
    ]
    expected = np.array(own) - steps
    own = [np.ravel(state.local_weights) for state in second.client_states]
    np.testing.assert_allclose(own, expected, rtol=1e-5)
    np.testing.assert_allclose(
      np.ravel(second.server_state.global_weights), expected.mean(axis=0), rtol=1e-5
    )

  def test_gradient_is_that_of_the_trace_with_omega(self):
    def no_loss(model, weights, initial_weights, x, y):
      return 0.0 * tf.reduce_sum(weights[0])

    process = _build(0.7, objective=no_loss)
    rng = np.random.default_rng(0)
    w = rng.normal(size=(2, 3)).astype(np.float32)  # A column is a client's model.
    server_state, client_states = _start(process, 3)
    server_state = server_state._replace(
      global_weights=tuple(mean.reshape(1, 1) for mean in w.mean(axis=1))
    )
    client_states = [
      state._replace(local_weights=tuple(weight.reshape(1, 1) for weight in column))
      for state, column in zip(client_states, w.T, strict=True)
    ]
    output = process.next(server_state, client_states, [testing.tensors((1, 1))] * 3)
    omega = np.linalg.matrix_power(np.eye(3) - np.ones([3, 3]) / 3, 2)
    own = np.stack([np.ravel(state.local_weights) for state in output.client_states], axis=1)
    np.testing.assert_allclose(own, w - 0.1 * 0.7 * 2 * w @ omega, rtol=1e-5)
    # Clients move around their mean, which stays.
    np.testing.assert_allclose(
      np.ravel(output.server_state.global_weights), w.mean(axis=1), rtol=1e-5
    )

  def test_without_penalty_it_is_local_learning_to_the_bit(self):
    model = testing.classifier()
    rng = np.random.default_rng(3)
    data = [
      learning.ClientTensors(
        rng.normal(size=(n, 4)).astype(np.float32),
        rng.integers(0, 3, n).astype(np.int32),
        seed=np.array([n, 1], np.int32),
      )
      for n in (7, 4, 9)
    ]
    settings = learning.ProcessSettings(
      client_optimizer=tff.learning.optimizers.build_sgdm(0.1, 0.9),
      batches=learning.TensorBatches(3, num_epochs=2),
      reset_client_optimizer=False,
    )
    results = []
    for name, options in (('mtl', {'mtl_strength': 0.0}), ('local_only', {})):
      process = learning.METHODS[name].build_process(model, settings, **options)
      server_state, client_states = _start(process, 3)
      for cohort in ((0, 1), (1, 2), (0, 2)):
        output = process.next(
          server_state, [client_states[i] for i in cohort], [data[i] for i in cohort]
        )
        server_state = output.server_state
        for i, state in zip(cohort, output.client_states, strict=True):
          client_states[i] = state
      evaluated = process.evaluate(server_state, client_states, data)
      predicted = process.predict(server_state, client_states, [of.x for of in data])
      # Local learning sends nothing.
      metrics = [of_client._replace(update_size=0) for of_client in output.client_metrics]
      results.append((client_states, metrics, evaluated, predicted))
    tf.nest.map_structure(np.testing.assert_array_equal, *results)

  def test_a_whole_model_travels_each_way(self):
    process = _build(0.1, testing.classifier())
    whole = tff.to_type(tuple((np.float32, w.shape) for w in process.model.initial_weights))
    self.assertTrue(process.download_type[0].is_equivalent_to(whole))
    self.assertTrue(process.upload_type[0].is_equivalent_to(whole))
    fedavg = learning.METHODS['fedavg'].build_process(testing.classifier(), testing.settings())
    self.assertEqual(
      communication.count_round(process, 3, 2),
      communication.count_round(fedavg, 3, 2),
    )

  def test_dropout_keeps_its_model_and_is_not_in_the_mean(self):
    process = _build(0.25)
    gone = testing.tensors((1, 1))._replace(work_share=np.float32(0))
    output = process.next(*_start(process, 2), [gone, testing.tensors((1, 4))])
    np.testing.assert_array_equal(np.ravel(output.client_states[0].local_weights), [1, 2])
    np.testing.assert_allclose(np.ravel(output.server_state.global_weights), [1.8, 2.4], rtol=1e-6)

  def test_a_mean_without_weights_does_not_meet_the_model_of_who_drops_out(self):
    process = _build(0.25, aggregator=tff.aggregators.UnweightedMeanFactory())
    data = [testing.tensors((1, 1)), testing.tensors((1, 4))]
    first = process.next(*_start(process, 2), data)
    gone = data[0]._replace(work_share=np.float32(0))
    second = process.next(first.server_state, first.client_states, [gone, data[1]])
    # Of two clients one sends its model, the other one zeros: half of the way to the model.
    before, after = (np.ravel(each.server_state.global_weights) for each in (first, second))
    own = np.ravel(second.client_states[1].local_weights)
    np.testing.assert_allclose(after, before + (own - before) / 2, rtol=1e-6)
    np.testing.assert_array_equal(
      np.ravel(second.client_states[0].local_weights),
      np.ravel(first.client_states[0].local_weights),
    )

  def test_weight_by_gradient_norm_is_zero_for_who_drops_out(self):
    process = _build(0.25, client_weighting=learning.CLIENT_WEIGHTINGS['gradient_norm'])
    data = [testing.tensors((1, 1)), testing.tensors((1, 4))]
    first = process.next(*_start(process, 2), data)
    gone = data[0]._replace(work_share=np.float32(0))
    second = process.next(first.server_state, first.client_states, [gone, data[1]])
    np.testing.assert_allclose(
      np.ravel(second.server_state.global_weights),
      np.ravel(second.client_states[1].local_weights),
      rtol=1e-6,
    )

  def test_weight_decay_by_hand(self):
    process = _build(0.25, weight_decay=0.5)
    data = [testing.tensors((1, 1)), testing.tensors((1, 4))]
    first = process.next(*_start(process, 2), data)
    # At the mean (1, 2): steps of 0.1 along (4, 2) + 2 * 0.5 * (1, 2) and (-8, -4) + (1, 2).
    own = [np.ravel(state.local_weights) for state in first.client_states]
    np.testing.assert_allclose(own, [[0.5, 1.6], [1.7, 2.2]], rtol=1e-6)
    second = process.next(first.server_state, first.client_states, data)
    # Residuals 0.5 * 1.6 - 1 and 1.7 * 2.2 - 4; the mean is (1.1, 1.9).
    gradients = [
      [2 * -0.2 * 1.6 + 0.5 * -0.6 + 0.5, 2 * -0.2 * 0.5 + 0.5 * -0.3 + 1.6],
      [2 * -0.26 * 2.2 + 0.5 * 0.6 + 1.7, 2 * -0.26 * 1.7 + 0.5 * 0.3 + 2.2],
    ]
    np.testing.assert_allclose(
      [np.ravel(state.local_weights) for state in second.client_states],
      np.array(own) - 0.1 * np.array(gradients),
      rtol=1e-5,
    )

  def test_negative_strength_is_refused(self):
    with self.assertRaisesRegex(ValueError, 'mtl_strength is -1.0, expected'):
      _build(-1.0)
    with self.assertRaisesRegex(ValueError, 'weight_decay is -1.0, expected'):
      _build(0.0, weight_decay=-1.0)


if __name__ == '__main__':
  absltest.main()
