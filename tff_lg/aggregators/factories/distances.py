"""Products and distances between clients' updates, in double precision."""

import tensorflow as tf

_CHUNK_SIZE = 8192


def inner_products(stack: tf.Tensor) -> tf.Tensor:
  """Returns the inner products of all pairs of rows.

  Clients' updates are much alike, and attackers may send what is larger by orders of
  magnitude: in single precision the small differences would be lost.

  Args:
    stack: float32 [n, d], d static.

  Returns:
    float64 [n, n]. Takes n^2 d multiplications, on some coordinates at a time.
  """
  num_rows, num_coordinates = tf.shape(stack)[0], stack.shape[1]

  def add_chunk(start: tf.Tensor, total: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    chunk = tf.cast(stack[:, start : start + _CHUNK_SIZE], tf.float64)
    return start + _CHUNK_SIZE, total + tf.matmul(chunk, chunk, transpose_b=True)

  _, products = tf.while_loop(
    lambda start, total: start < num_coordinates,
    add_chunk,
    (0, tf.zeros([num_rows, num_rows], tf.float64)),
    parallel_iterations=1,
  )
  return products


def squared_distances(products: tf.Tensor) -> tf.Tensor:
  """Returns the squared Euclidean distances of all pairs of rows, from their `inner_products`."""
  norms = tf.linalg.diag_part(products)
  return tf.maximum(norms[:, tf.newaxis] + norms - 2.0 * products, 0.0)
