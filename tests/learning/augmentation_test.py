"""Tests of the random changes of images."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg.learning import augmentation


def _changed(image, shift_rows, shift_columns, flip) -> np.ndarray:
  """Returns the image as it should be: shifted, zeros moving in, then mirrored."""
  height, width, _ = image.shape
  padded = np.pad(image, [(4, 4), (4, 4), (0, 0)])
  moved = padded[4 + shift_rows :, 4 + shift_columns :][:height, :width]
  return moved[:, ::-1] if flip else moved


class CropAndFlipTest(absltest.TestCase):
  def test_every_image_is_shifted_by_up_to_four_and_mirrored_or_not(self):
    # All pixels differ, and no image is its own mirror.
    image = np.arange(1, 6 * 7 * 2 + 1, dtype=np.float32).reshape(6, 7, 2)
    results = augmentation.crop_and_flip(np.stack([image] * 300), tf.constant([3, 4])).numpy()
    found = set()
    for result in results:
      matches = [
        (rows, columns, flip)
        for rows in range(-4, 5)
        for columns in range(-4, 5)
        for flip in (False, True)
        if np.array_equal(result, _changed(image, rows, columns, flip))
      ]
      self.assertLen(matches, 1)
      found.add(matches[0])
    self.assertEqual({rows for rows, _, _ in found}, set(range(-4, 5)))
    self.assertEqual({columns for _, columns, _ in found}, set(range(-4, 5)))
    self.assertEqual({flip for _, _, flip in found}, {False, True})
    # Of 81 pairs of shifts, 300 images miss two or three.
    self.assertGreater(len({(rows, columns) for rows, columns, _ in found}), 70)

  def test_images_stay_apart(self):
    images = np.stack([np.full((6, 7, 2), value, np.float32) for value in (1, 2, 3)])
    results = augmentation.crop_and_flip(images, tf.constant([0, 0])).numpy()
    for value, result in enumerate(results, start=1):
      self.assertTrue(set(np.unique(result)) <= {0.0, float(value)})
      self.assertIn(value, result)

  def test_seed_decides(self):
    images = np.random.default_rng(0).random((8, 6, 6, 1), np.float32)
    one, same, other = (
      augmentation.crop_and_flip(images, tf.constant(seed)).numpy()
      for seed in ([1, 2], [1, 2], [1, 3])
    )
    np.testing.assert_array_equal(one, same)
    self.assertFalse(np.array_equal(one, other))

  def test_works_in_a_graph_for_batches_of_any_size(self):
    function = tf.function(
      augmentation.crop_and_flip,
      input_signature=(tf.TensorSpec([None, 6, 6, 1]), tf.TensorSpec([2], tf.int32)),
    )
    for size in (0, 1, 3):
      self.assertEqual(function(tf.zeros([size, 6, 6, 1]), [0, 0]).shape, (size, 6, 6, 1))


if __name__ == '__main__':
  absltest.main()
