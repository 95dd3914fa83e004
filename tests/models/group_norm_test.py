"""Tests of group normalisation."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg.models import group_norm


class GroupNormalizationTest(parameterized.TestCase):
  @parameterized.parameters(((5, 4, 6, 8), 2), ((3, 12), 4), ((2, 7, 6), 6))
  def test_is_keras_layer(self, shape, groups):
    rng = np.random.default_rng(0)
    x = rng.normal(1, 2, shape).astype(np.float32)
    weights = [rng.normal(size=shape[-1]).astype(np.float32) for _ in range(2)]
    results = []
    for kind in (group_norm.GroupNormalization, tf.keras.layers.GroupNormalization):
      layer = kind(groups)
      layer.build(x.shape)
      layer.set_weights(weights)
      inputs = tf.constant(x)
      with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = layer(inputs)
        loss = tf.reduce_sum(outputs**3)
      gradients = tape.gradient(loss, [inputs, *layer.trainable_weights])
      results.append([outputs, *gradients])
    for got, expected in zip(*results, strict=True):
      np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-3)

  def test_without_scale_and_offset(self):
    layer = group_norm.GroupNormalization(2, scale=False, center=False, epsilon=0.0)
    # Means 2 and 6, deviations 1 and 2.
    outputs = layer(np.array([[1.0, 3.0, 4.0, 8.0]], np.float32))
    np.testing.assert_allclose(outputs, [[-1, 1, -1, 1]], rtol=1e-6)
    self.assertEmpty(layer.weights)

  def test_graph_has_no_mask_of_ones(self):
    layer = group_norm.GroupNormalization(2)
    function = tf.function(layer).get_concrete_function(tf.TensorSpec([1000, 8, 8, 4]))
    operations = {operation.type for operation in function.graph.get_operations()}
    self.assertTrue(operations.isdisjoint({'OnesLike', 'Fill', 'BroadcastTo'}), msg=operations)

  def test_no_examples_and_saved_configuration(self):
    layer = group_norm.GroupNormalization.from_config(
      group_norm.GroupNormalization(2, epsilon=0.5).get_config()
    )
    self.assertEqual((layer.groups, layer.epsilon), (2, 0.5))
    self.assertEqual(layer(np.zeros((0, 3, 4), np.float32)).shape, (0, 3, 4))


if __name__ == '__main__':
  absltest.main()
