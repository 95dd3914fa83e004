"""Tests of dropout without a state."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import models
from tff_lg.models import dropout


def _inputs(seed=0, shape=(50, 40)):
  return tf.constant(np.random.default_rng(seed).normal(size=shape), tf.float32)


def _mask(layer, x, key) -> np.ndarray:
  layer.build(x.shape)
  layer.key.assign(key)
  return layer(x, training=True).numpy() != 0


class StatelessDropoutTest(absltest.TestCase):
  def test_kept_inputs_are_scaled_others_zero(self):
    x = _inputs()
    dropped = models.StatelessDropout(0.2, seed=3)(x, training=True).numpy()
    kept = dropped != 0
    np.testing.assert_allclose(dropped[kept], x.numpy()[kept] / 0.8, rtol=1e-6)
    # 2000 draws of probability 0.8 have a standard deviation of 18.
    self.assertAlmostEqual(kept.sum(), 1600, delta=90)

  def test_nothing_happens_outside_of_training_or_at_rate_zero(self):
    x = _inputs()
    np.testing.assert_array_equal(models.StatelessDropout(0.5)(x, training=False), x)
    np.testing.assert_array_equal(models.StatelessDropout(0.5)(x), x)
    np.testing.assert_array_equal(models.StatelessDropout(0.0)(x, training=True), x)

  def test_inputs_do_not_count_and_key_and_seed_do(self):
    mask = _mask(models.StatelessDropout(0.5, seed=1), _inputs(), (7, 2))
    for x in (_inputs(), _inputs(seed=1), np.nextafter(_inputs(), np.float32(9))):
      np.testing.assert_array_equal(_mask(models.StatelessDropout(0.5, seed=1), x, (7, 2)), mask)
    for seed, key in ((1, (7, 3)), (1, (8, 2)), (2, (7, 2))):
      other = _mask(models.StatelessDropout(0.5, seed=seed), _inputs(), key)
      self.assertAlmostEqual((other == mask).mean(), 0.5, delta=0.06)

  def test_gradient_is_the_scaled_mask(self):
    layer, x = models.StatelessDropout(0.5, seed=1), _inputs()
    with tf.GradientTape() as tape:
      tape.watch(x)
      dropped = layer(x, training=True)
      total = tf.reduce_sum(dropped)
    np.testing.assert_array_equal(tape.gradient(total, x), 2.0 * (dropped.numpy() != 0))

  def test_config_round_trip(self):
    layer = models.StatelessDropout(0.3, seed=5, name='drop')
    copy = models.StatelessDropout.from_config(layer.get_config())
    self.assertEqual((copy.rate, copy.seed, copy.name), (0.3, 5, 'drop'))
    np.testing.assert_array_equal(copy(_inputs(), training=True), layer(_inputs(), training=True))

  def test_rate_out_of_range(self):
    for rate in (-0.1, 1.0):
      with self.assertRaisesRegex(ValueError, rf'dropout is {rate}, expected a number in \[0, 1\)'):
        models.StatelessDropout(rate)


class FoldInTest(absltest.TestCase):
  def test_each_round_layer_and_step_has_a_key_of_its_own(self):
    found = {
      tuple(dropout.fold_in(dropout.fold_in(tf.constant((seed, step), tf.int64), r), layer).numpy())
      for seed in range(3)
      for step in range(3)
      for r in range(3)
      for layer in range(3)
    }
    self.assertLen(found, 81)


class FunctionalModelTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.model = testing.gated_classifier()

  def _predict(self, *keys, training=True):
    """Returns outputs in one graph, each as of a model with another key."""
    x = _inputs(shape=(20, 4))
    return testing.in_graph(
      lambda: [
        self.model.with_dropout_key(tf.constant(key, tf.int64)).predict(
          self.model.initial_weights, x.numpy(), training
        )
        for key in keys
      ]
    )

  def test_key_decides_in_training_only(self):
    one, same, other_step, other_seed = self._predict((1, 2), (1, 2), (1, 3), (2, 2))
    np.testing.assert_array_equal(one, same)
    for other in (other_step, other_seed):
      self.assertGreater(np.abs(one - other).max(), 0.01)
    np.testing.assert_array_equal(*self._predict((1, 2), (1, 3), training=False))

  def test_training_without_a_key_is_refused(self):
    x = _inputs(shape=(2, 4)).numpy()
    testing.in_graph(lambda: self.model.predict(self.model.initial_weights, x, training=False))
    with self.assertRaisesRegex(ValueError, 'has dropout, which needs a key in training'):
      testing.in_graph(lambda: self.model.predict(self.model.initial_weights, x, training=True))

  def test_keys_are_not_weights_of_the_model(self):
    names = {name.split('/')[0] for name in self.model.weight_names}
    self.assertEqual(names, {'gated_1', 'shift_1', 'gated_2', 'shift_2', 'output'})
    self.assertLen(dropout.keys(models.build_cgau((4,), 3, (8, 6), dropout_rate=0.5)), 2)
    self.assertEmpty(dropout.keys(models.build_cgau((4,), 3, (8, 6), dropout_rate=0.0)))


if __name__ == '__main__':
  absltest.main()
