"""Tests of LeNet-5."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg import models


class BuildLenetTest(absltest.TestCase):
  def test_network_of_the_paper(self):
    model = models.build_lenet()
    self.assertEqual(model.count_params(), 64_102)
    parameters = {layer.name: layer.count_params() for layer in model.layers if layer.weights}
    self.assertEqual(
      parameters,
      {
        'conv_1': 5 * 5 * 3 * 6 + 6,
        'conv_2': 5 * 5 * 6 * 16 + 16,
        'fc_1': 5 * 5 * 16 * 120 + 120,
        'fc_2': 120 * 100 + 100,
        'output': 100 * 10 + 10,
      },
    )

  def test_shapes_from_layer_to_layer(self):
    model = models.build_lenet()
    self.assertEqual(
      [layer.output_shape[1:] for layer in model.layers],
      [(28, 28, 6), (14, 14, 6), (10, 10, 16), (5, 5, 16), (400,), (120,), (100,), (10,)],
    )

  def test_other_images_and_classes(self):
    model = models.build_lenet((28, 28, 1), 4)
    self.assertEqual(model(np.zeros((2, 28, 28, 1), np.float32)).shape, (2, 4))

  def test_outputs_are_logits(self):
    outputs = models.build_lenet()(np.ones((1, 32, 32, 3), np.float32)).numpy()
    self.assertLess(outputs.min(), 0)

  def test_seed_decides_the_weights(self):
    one, same, other = (models.build_lenet(seed=s).get_weights() for s in (7, 7, 8))
    for a, b in zip(one, same, strict=True):
      np.testing.assert_array_equal(a, b)
    self.assertFalse(np.array_equal(one[0], other[0]))


class BuildReferenceLenetTest(absltest.TestCase):
  def test_has_the_weights_of_lenet(self):
    shapes = [
      [weight.shape for weight in build().weights]
      for build in (models.build_lenet, models.build_reference_lenet)
    ]
    self.assertEqual(*shapes)

  def test_standardises_the_pixels(self):
    standardise = models.build_reference_lenet().get_layer('standardise')
    pixels = np.float32([[[[0.485, 0.456, 0.406], [0.0, 0.0, 0.0], [0.714, 0.68, 0.631]]]])
    expected = [[0, 0, 0], [-0.485 / 0.229, -0.456 / 0.224, -0.406 / 0.225], [1, 1, 1]]
    np.testing.assert_allclose(standardise(pixels).numpy()[0, 0], expected, atol=1e-6)

  def test_initial_kernels_are_those_of_pytorch(self):
    # Uniform within 1 / sqrt(fan in), whose standard deviation is that over sqrt(3).
    model = models.build_reference_lenet()
    fan_ins = {'conv_1': 75, 'conv_2': 150, 'fc_1': 400, 'fc_2': 120, 'output': 100}
    for name, fan_in in fan_ins.items():
      kernel, bias = model.get_layer(name).get_weights()
      self.assertLessEqual(abs(kernel).max(), fan_in**-0.5)
      self.assertGreater(abs(kernel).max(), 0.98 * fan_in**-0.5)
      self.assertAlmostEqual(kernel.std() / (3 * fan_in) ** -0.5, 1, delta=0.1)
      np.testing.assert_array_equal(bias, 0)

  def test_seed_decides_the_weights(self):
    one, same, other = (models.build_reference_lenet(seed=s).get_weights() for s in (7, 7, 8))
    for a, b in zip(one, same, strict=True):
      np.testing.assert_array_equal(a, b)
    self.assertFalse(np.array_equal(one[0], other[0]))


class BuildGroupNormLenetTest(absltest.TestCase):
  def test_starts_with_the_weights_of_lenet(self):
    plain, normalized = models.build_lenet(seed=3), models.build_group_norm_lenet(seed=3)
    self.assertEqual(normalized.count_params(), 64_102 + 2 * (6 + 16 + 120 + 100))
    for name in ('conv_1', 'conv_2', 'fc_1', 'fc_2', 'output'):
      of_both = (model.get_layer(name).get_weights() for model in (plain, normalized))
      for a, b in zip(*of_both, strict=True):
        np.testing.assert_array_equal(a, b)

  def test_normalises_each_group_before_the_relu(self):
    model = models.build_group_norm_lenet((16, 16, 1), 3)
    of_conv_1 = tf.keras.Model(model.inputs, [model.layers[i].output for i in (0, 1, 2)])
    images = np.random.default_rng(1).normal(size=(2, 16, 16, 1)).astype(np.float32)
    inputs, outputs, activated = (each.numpy() for each in of_conv_1(images))
    self.assertLess(inputs.min(), 0)
    groups = inputs.reshape(2, 12, 12, 2, 3)
    mean, variance = (f(groups, axis=(1, 2, 4), keepdims=True) for f in (np.mean, np.var))
    expected = ((groups - mean) / np.sqrt(variance + 1e-3)).reshape(inputs.shape)
    np.testing.assert_allclose(outputs, expected, atol=1e-5)
    np.testing.assert_allclose(activated, np.maximum(expected, 0), atol=1e-5)

  def test_logits_do_not_depend_on_the_norm_of_weights(self):
    images = np.random.default_rng(1).uniform(size=(2, 32, 32, 3)).astype(np.float32)
    is_kept = {}
    for build in (models.build_lenet, models.build_group_norm_lenet):
      model = build(seed=3)
      before = model(images).numpy()
      for name in ('conv_1', 'conv_2', 'fc_1', 'fc_2'):
        layer = model.get_layer(name)
        layer.set_weights([100 * weight for weight in layer.get_weights()])
      is_kept[model.name] = np.allclose(model(images).numpy(), before, atol=0.1)
    self.assertEqual(is_kept, {'lenet': False, 'group_norm_lenet': True})


if __name__ == '__main__':
  absltest.main()
