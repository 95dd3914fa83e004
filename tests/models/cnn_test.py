"""Tests of the convolutional network of the FedAvg paper."""

import numpy as np
from absl.testing import absltest

from tff_lg import models


class BuildCnnTest(absltest.TestCase):
  def test_network_of_the_paper(self):
    model = models.build_cnn()
    self.assertEqual(model.count_params(), 1_663_370)
    self.assertEqual(
      [layer.output_shape[1:] for layer in model.layers],
      [(28, 28, 32), (14, 14, 32), (14, 14, 64), (7, 7, 64), (7 * 7 * 64,), (512,), (10,)],
    )

  def test_other_images_and_classes(self):
    model = models.build_cnn((8, 8, 3), 4)
    outputs = model(np.ones((2, 8, 8, 3), np.float32)).numpy()
    self.assertEqual(outputs.shape, (2, 4))
    self.assertLess(outputs.min(), 0)  # Logits.

  def test_seed_decides_the_weights(self):
    one, same, other = (models.build_cnn((8, 8, 1), seed=seed).get_weights() for seed in (1, 1, 2))
    for first, second, third in zip(one, same, other, strict=True):
      np.testing.assert_array_equal(first, second)
      if first.ndim > 1:
        self.assertFalse(np.array_equal(first, third))


if __name__ == '__main__':
  absltest.main()
