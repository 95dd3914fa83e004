"""Rules that treat each coordinate by itself, on some coordinates at a time."""

from collections.abc import Callable

import tensorflow as tf

DEFAULT_CHUNK_SIZE = 8192
_CHUNKS_AT_A_TIME = 4


def check_chunk_size(chunk_size: int) -> None:
  """Raises a ValueError unless the number of coordinates at a time is positive."""
  if chunk_size < 1:
    raise ValueError(f'chunk_size is {chunk_size}, expected a positive number of coordinates.')


def map_coordinates(
  function: Callable[[tf.Tensor], tf.Tensor], stack: tf.Tensor, chunk_size: int
) -> tf.Tensor:
  """Applies a function to the clients' values of each coordinate.

  Args:
    function: from float32 [num_coordinates, n] to float32 [num_coordinates].
    stack: float32 [n, d], d static.
    chunk_size: coordinates that the function is given at a time.

  Returns:
    float32 [d].
  """
  num_coordinates = stack.shape[1]
  chunk_size = min(chunk_size, num_coordinates)
  if not chunk_size:
    return tf.zeros([0])
  num_chunks = -(-num_coordinates // chunk_size)

  def of_chunk(index: tf.Tensor) -> tf.Tensor:
    # The last chunk is as long as the others: it begins inside the one before.
    start = tf.minimum(index * chunk_size, num_coordinates - chunk_size)
    chunk = tf.slice(stack, [0, start], [-1, chunk_size])
    return function(tf.transpose(chunk))

  chunks = tf.map_fn(
    of_chunk,
    tf.range(num_chunks),
    parallel_iterations=_CHUNKS_AT_A_TIME,
    fn_output_signature=tf.TensorSpec([chunk_size]),
  )
  num_last = num_coordinates - (num_chunks - 1) * chunk_size
  return tf.concat([tf.reshape(chunks[:-1], [-1]), chunks[-1, chunk_size - num_last :]], axis=0)
