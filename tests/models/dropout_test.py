"""Tests of dropout without a state."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg import models


def _inputs(seed=0, shape=(50, 40)):
  return tf.constant(np.random.default_rng(seed).normal(size=shape), tf.float32)


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

  def test_equal_inputs_get_equal_masks_and_the_slightest_change_another(self):
    layer = models.StatelessDropout(0.5, seed=1)
    x = _inputs()
    mask = layer(x, training=True).numpy() != 0
    np.testing.assert_array_equal(layer(x, training=True).numpy() != 0, mask)
    changed = x.numpy()
    changed[-1, -1] = np.nextafter(changed[-1, -1], np.float32(9))
    swapped = x.numpy()[::-1].copy()
    for other in (changed, swapped):
      agree = (layer(tf.constant(other), training=True).numpy() != 0) == mask
      self.assertAlmostEqual(agree.mean(), 0.5, delta=0.06)
    other_seed = models.StatelessDropout(0.5, seed=2)(x, training=True).numpy() != 0
    self.assertAlmostEqual((other_seed == mask).mean(), 0.5, delta=0.06)

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


if __name__ == '__main__':
  absltest.main()
