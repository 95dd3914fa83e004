"""Random changes of training images, by stateless seeds."""

import tensorflow as tf

_PADDING = 4


def crop_and_flip(images: tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
  """Shifts each image by up to 4 pixels, zeros moving in, and mirrors half of them.

  Args:
    images: [batch, height, width, channels].
    seed: int32 [2].

  Returns:
    Images of the same shape, the same for the same seed.

  The usual augmentation for CIFAR-10; Liang et al. 2020, appendix.
  """
  batch, height, width = tf.unstack(tf.shape(images)[:3])
  padding = [[0, 0], [_PADDING, _PADDING], [_PADDING, _PADDING], [0, 0]]
  padded = tf.pad(images, padding)
  offsets = tf.random.stateless_uniform([batch, 2], seed, 0, 2 * _PADDING + 1, tf.int32)
  rows = offsets[:, :1] + tf.range(height)
  columns = offsets[:, 1:] + tf.range(width)
  flip = tf.random.stateless_uniform([batch, 1], seed + 1) < 0.5
  columns = tf.where(flip, columns[:, ::-1], columns)
  # One gather of pixels: no operation an image.
  indices = tf.stack([tf.repeat(rows, width, axis=1), tf.tile(columns, [1, height])], axis=-1)
  pixels = tf.gather_nd(padded, indices, batch_dims=1)
  return tf.reshape(pixels, tf.shape(images))
