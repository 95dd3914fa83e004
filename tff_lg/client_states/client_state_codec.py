"""Client states as bytes of one type."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from tff_lg.learning import client_work


class StateCodec:
  """Writes and reads states with the structure, dtypes and shapes of an example.

  Attributes:
    num_bytes: of one state; 0 if states hold no arrays.
    schema: the structure, and each array's dtype with its byte order and shape, by name.
  """

  def __init__(self, example: client_work.ClientState) -> None:
    """Takes the type from an example."""
    leaves = [np.asarray(leaf) for leaf in tf.nest.flatten(example)]
    self._example, self._type = example, _type(leaves)
    self.num_bytes = self._type.itemsize
    self.schema = {'structure': str(tf.nest.map_structure(lambda _: '*', example))} | {
      f'array {i}': f'{leaf.dtype.str} {list(leaf.shape)}' for i, leaf in enumerate(leaves)
    }

  def encode(self, state: client_work.ClientState) -> bytes:
    """Returns the state's arrays one after the other; ValueError if it is of another type."""
    leaves = [np.asarray(leaf) for leaf in tf.nest.flatten(state)]
    if (found := _type(leaves)) != self._type:
      raise ValueError(f'A client state has the arrays {found}, expected {self._type}.')
    return b''.join(leaf.tobytes() for leaf in leaves)

  def decode(self, content: bytes) -> client_work.ClientState:
    """Returns the state that `encode` got."""
    (arrays,) = np.frombuffer(content, self._type)
    return tf.nest.pack_sequence_as(self._example, [np.array(array) for array in arrays])


def _type(leaves: Sequence[np.ndarray]) -> np.dtype:
  return np.dtype([(str(i), leaf.dtype, leaf.shape) for i, leaf in enumerate(leaves)])
