"""Tests of the multi-layer perceptron."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg import models


class BuildMlpTest(absltest.TestCase):
  def test_network_of_the_paper(self):
    model = models.build_mlp((28, 28, 1), 10)
    self.assertEqual(
      [weight.shape.as_list() for weight in model.weights[::2]],
      [[784, 512], [512, 256], [256, 256], [256, 128], [128, 10]],
    )
    self.assertEqual(model.count_params(), 633_226)
    self.assertEqual(
      [layer.name for layer in model.layers if layer.weights],
      ['hidden_1', 'hidden_2', 'hidden_3', 'hidden_4', 'output'],
    )

  def test_output_is_relu_layers_then_logits(self):
    model = models.build_mlp((2, 1), 3, (4,), seed=1)
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=w.shape).astype(np.float32) for w in model.get_weights()]
    model.set_weights(weights)
    x = rng.normal(size=(5, 2, 1)).astype(np.float32)
    hidden = np.maximum(x[:, :, 0] @ weights[0] + weights[1], 0)
    logits = hidden @ weights[2] + weights[3]
    np.testing.assert_allclose(model(x), logits, rtol=1e-5, atol=1e-6)

  def test_output_activation_is_applied_to_the_logits(self):
    x = np.ones((1, 2), np.float32)
    logits = models.build_mlp((2,), 3, (4,), seed=1)(x)
    outputs = models.build_mlp((2,), 3, (4,), seed=1, output_activation='softmax')(x)
    np.testing.assert_allclose(outputs, tf.nn.softmax(logits), rtol=1e-6)

  def test_dropout_follows_each_hidden_layer_in_training_only(self):
    x = tf.constant(np.random.default_rng(0).normal(size=(40, 3)), tf.float32)
    model = models.build_mlp((3,), 2, (20, 20), seed=1, dropout_rate=0.5)
    plain = models.build_mlp((3,), 2, (20, 20), seed=1)
    self.assertEqual(
      [layer.name for layer in model.layers[1:]],
      ['hidden_1', 'dropout_1', 'hidden_2', 'dropout_2', 'output'],
    )
    np.testing.assert_array_equal(model(x), plain(x))
    self.assertGreater(np.abs(model(x, training=True) - plain(x)).max(), 0.01)

  def test_seed_decides_the_weights(self):
    one, same, other = (models.build_mlp((4,), 3, (4, 4), seed=s).get_weights() for s in (7, 7, 8))
    for a, b in zip(one, same, strict=True):
      np.testing.assert_array_equal(a, b)
    self.assertFalse(np.array_equal(one[0], other[0]))
    # Layers of one shape start differently.
    self.assertFalse(np.array_equal(one[0], one[2]))

  def test_weights_start_glorot_uniform(self):
    kernel, bias, *_ = models.build_mlp((100,), 3, (50,)).get_weights()
    limit = np.sqrt(6 / 150)
    self.assertLessEqual(np.abs(kernel).max(), limit)
    self.assertGreater(np.abs(kernel).max(), 0.99 * limit)
    self.assertFalse(bias.any())

  def test_linear_model_begins_with_zeros(self):
    model = models.build_linear((2, 2), 3)
    self.assertEqual([layer.name for layer in model.layers if layer.weights], ['output'])
    self.assertEqual([array.shape for array in model.get_weights()], [(4, 3), (3,)])
    np.testing.assert_array_equal(model(np.ones((5, 2, 2), np.float32)), np.zeros((5, 3)))


if __name__ == '__main__':
  absltest.main()
