"""Tests of a client's work in a round, by hand on y = head * base * x from base 1, head 2."""

import collections

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import learning
from tff_lg.compatibility import tff
from tff_lg.learning import client_work

_ONE_BY_ONE = learning.TensorBatches(1, shuffle=False)
_BASE, _HEAD = np.array([[1.0]], np.float32), np.array([[2.0]], np.float32)


def _work(data, optimizer_state=(), round_num=0, **changes) -> client_work.ClientOutput:
  """Builds the work of a client of which the head is global and the base local."""
  changes.setdefault('client_optimizer', tff.learning.optimizers.build_sgdm(0.1))
  settings = learning.ProcessSettings(**{'batches': _ONE_BY_ONE, **changes})
  work = client_work.build_client_work(testing.linear_model(('head',)), settings)

  def output():
    # As tensors: arrays would be constants that the session does not return.
    state = learning.ClientState((tf.constant(_BASE),), optimizer_state)
    tensors = learning.ClientTensors(*map(tf.constant, data))
    state = tf.nest.map_structure(tf.convert_to_tensor, state)
    return work((tf.constant(_HEAD),), state, tensors, tf.constant(round_num))

  return testing.in_graph(output)


class ClientWorkTest(parameterized.TestCase):
  def test_two_steps(self):
    output = _work(testing.tensors((1, 1), (1, 4)))
    # Residual 1, gradient 2 * 1 * (2, 1): base 0.6, head 1.8. Then residual
    # 0.6 * 1.8 - 4 = -2.92, gradient 2 * -2.92 * (1.8, 0.6): base 1.6512, head 2.1504.
    np.testing.assert_allclose(output.update, [[[2 - 2.1504]]], rtol=1e-5)
    np.testing.assert_allclose(output.client_state.local_weights, [[[1.6512]]], rtol=1e-5)
    self.assertEqual(output.client_state.optimizer_state, ())
    self.assertEqual(output.client_weight, 2.0)
    self.assertAlmostEqual(output.metrics.loss, (1 + 2.92**2) / 2, places=4)
    self.assertEqual(output.metrics.num_examples, 2)
    self.assertTrue(output.metrics.update_is_finite)

  def test_epochs_count_as_examples_seen(self):
    output = _work(testing.tensors((1, 1), (1, 4)), batches=learning.TensorBatches(1, 3))
    self.assertEqual((output.metrics.num_examples, output.client_weight), (6, 6.0))

  def test_loss_is_the_mean_over_examples_not_over_batches(self):
    output = _work(
      testing.tensors((1, 1), (1, 1), (1, 4)),
      batches=learning.TensorBatches(2, shuffle=False),
      client_optimizer=tff.learning.optimizers.build_sgdm(0.0),
    )
    self.assertAlmostEqual(output.metrics.loss, (1 + 1 + 4) / 3, places=6)

  def test_momentum_lasts_for_the_round(self):
    optimizer = tff.learning.optimizers.build_sgdm(0.1, 0.5)
    output = _work(testing.tensors((1, 1), (1, 4)), client_optimizer=optimizer)
    # As above, with half of the first gradient (4, 2) once more in the second step.
    np.testing.assert_allclose(output.client_state.local_weights, [[[1.6512 - 0.2]]], rtol=1e-5)
    np.testing.assert_allclose(output.update, [[[2 - 2.1504 + 0.1]]], rtol=1e-4)

  def test_kept_optimizer_state_goes_in_and_out(self):
    optimizer = tff.learning.optimizers.build_sgdm(0.1, 0.5)
    kept = collections.OrderedDict(
      learning_rate=np.float32(0.1),
      momentum=np.float32(0.5),
      accumulator=(np.array([[10.0]], np.float32), np.array([[0.0]], np.float32)),
    )
    output = _work(
      testing.tensors((1, 1)), kept, client_optimizer=optimizer, reset_client_optimizer=False
    )
    # Velocity 0.5 * 10 + 4 for the base, 2 for the head.
    np.testing.assert_allclose(output.client_state.local_weights, [[[1 - 0.9]]], rtol=1e-5)
    np.testing.assert_allclose(
      output.client_state.optimizer_state['accumulator'], [[[9.0]], [[2.0]]], rtol=1e-6
    )

  def test_learning_rate_is_that_of_the_round(self):
    output = _work(testing.tensors((1, 1)), round_num=3, client_learning_rate_fn=lambda r: r / 10)
    np.testing.assert_allclose(output.client_state.local_weights, [[[1 - 0.3 * 4]]], rtol=1e-5)

  def test_each_step_has_a_key_of_dropout_of_its_own(self):
    def objective(model, weights, received, x, y):
      return tf.cast(2 ** model.dropout_key[1], tf.float32)

    output = _work(testing.tensors((1, 1), (1, 1), (1, 1)), objective=objective)
    self.assertAlmostEqual(output.metrics.loss, (1 + 2 + 4) / 3, places=6)

  def test_key_of_dropout_is_of_the_seed_and_the_round(self):
    def objective(model, weights, received, x, y):
      return tf.cast(model.dropout_key[0] % 10007, tf.float32)

    losses = [
      float(
        _work(
          testing.tensors((1, 1))._replace(seed=np.array(seed, np.int32)),
          round_num=round_num,
          objective=objective,
        ).metrics.loss
      )
      for seed, round_num in (((0, 0), 0), ((0, 0), 0), ((0, 1), 0), ((1, 0), 0), ((0, 0), 1))
    ]
    self.assertEqual(losses[0], losses[1])
    self.assertLen(set(losses), 4)

  def test_client_without_examples_changes_nothing(self):
    output = _work(testing.tensors())
    np.testing.assert_array_equal(output.update, [[[0]]])
    np.testing.assert_array_equal(output.client_state.local_weights, [_BASE])
    self.assertEqual((output.client_weight, *output.metrics), (0, 0, 0, True, 0))

  @parameterized.parameters(*learning.CLIENT_WEIGHTINGS)
  def test_dropout_changes_nothing(self, weighting):
    data = testing.tensors((1, 1), (1, float('nan')))._replace(work_share=np.float32(0))
    kept = collections.OrderedDict(
      learning_rate=np.float32(0.1),
      momentum=np.float32(0.5),
      accumulator=(np.array([[10.0]], np.float32), np.array([[3.0]], np.float32)),
    )
    output = _work(
      data,
      kept,
      client_optimizer=tff.learning.optimizers.build_sgdm(0.1, 0.5),
      reset_client_optimizer=False,
      client_weighting=learning.CLIENT_WEIGHTINGS[weighting],
    )
    np.testing.assert_array_equal(output.update, [[[0]]])
    np.testing.assert_array_equal(output.client_state.local_weights, [_BASE])
    tf.nest.map_structure(
      np.testing.assert_array_equal, dict(output.client_state.optimizer_state), dict(kept)
    )
    self.assertEqual((output.client_weight, *output.metrics), (0, 0, 0, True, 0))

  def test_straggler_weighs_as_much_as_it_has_examples(self):
    data = testing.tensors((1, 1), (1, 4), (1, 9))._replace(work_share=np.float32(0.5))
    output = _work(data)  # ceil(0.5 * 3) = 2 steps, those of test_two_steps.
    np.testing.assert_allclose(output.update, [[[2 - 2.1504]]], rtol=1e-5)
    self.assertEqual((output.metrics.num_examples, output.client_weight), (2, 3.0))

  def test_limit_of_steps_does_not_change_the_weight(self):
    batches = learning.TensorBatches(1, num_epochs=2, max_steps=3, shuffle=False)
    output = _work(testing.tensors((1, 1), (1, 4)), batches=batches)
    self.assertEqual((output.metrics.num_examples, output.client_weight), (3, 4.0))

  @parameterized.parameters(float('nan'), float('inf'), 1e38)
  def test_what_is_not_finite_changes_nothing_and_says_so(self, y):
    output = _work(testing.tensors((1, 1), (1, y)))
    np.testing.assert_array_equal(output.update, [[[0]]])
    np.testing.assert_array_equal(output.client_state.local_weights, [_BASE])
    self.assertEqual(output.client_weight, 0)
    self.assertEqual(output.metrics.num_examples, 2)
    self.assertFalse(output.metrics.update_is_finite)

  def test_client_weight_that_is_not_finite_is_left_out(self):
    output = _work(testing.tensors((1, 1)), client_weighting=lambda n, update: n / 0)
    self.assertEqual(output.client_weight, 0)
    self.assertFalse(output.metrics.update_is_finite)


class InitializeOptimizerTest(absltest.TestCase):
  def test_hyper_parameters_are_tensors(self):
    optimizer = tff.learning.optimizers.build_sgdm(0.1, 0.9)
    state = client_work.initialize_optimizer(optimizer, (tf.ones([2, 3]),))
    self.assertEqual(state['learning_rate'].dtype, tf.float32)
    np.testing.assert_array_equal(state['accumulator'][0], np.zeros([2, 3]))


if __name__ == '__main__':
  absltest.main()
