"""Client states as bytes of one type, and a checksum that tells damaged bytes."""

import json
import zlib

import numpy as np
import tensorflow as tf

from tff_lg.learning import client_work

_CHECKSUM_BYTES = 4


class DamagedError(ValueError):
  """Bytes that are not what was sealed."""


def seal(key: bytes, content: bytes) -> bytes:
  """Puts a CRC-32 of both before the content, so that a value under another's key is told too."""
  return zlib.crc32(content, zlib.crc32(key)).to_bytes(_CHECKSUM_BYTES, 'big') + content


def unseal(key: bytes, sealed: memoryview) -> memoryview:
  """Returns the content that `seal` got; DamagedError if the checksum is another."""
  content = sealed[_CHECKSUM_BYTES:]
  if zlib.crc32(content, zlib.crc32(key)) != int.from_bytes(sealed[:_CHECKSUM_BYTES], 'big'):
    raise DamagedError
  return content


def describe_difference(found: str, expected: str) -> str:
  """Returns the first difference of two schemas of a `StateCodec`, as `..., expected ...`."""
  first, second = json.loads(found), json.loads(expected)
  for number, pair in enumerate(zip(first['arrays'], second['arrays'], strict=False)):
    if pair[0] != pair[1]:
      return f'array {number} is {pair[0]}, expected {pair[1]}'
  if len(first['arrays']) != len(second['arrays']):
    return f'{len(first["arrays"])} arrays, expected {len(second["arrays"])}'
  return f'{first["structure"]}, expected {second["structure"]}'


class StateCodec:
  """Writes and reads states with the structure, dtypes and shapes of an example.

  Attributes:
    num_bytes: of one state; 0 if states hold no arrays.
    schema: structure, dtypes with their byte order, and shapes as JSON text.
  """

  def __init__(self, example: client_work.ClientState) -> None:
    """Takes the type from an example."""
    leaves = [np.asarray(leaf) for leaf in tf.nest.flatten(example)]
    self._example = example
    self._types = [(leaf.dtype, leaf.shape) for leaf in leaves]
    self.num_bytes = sum(leaf.nbytes for leaf in leaves)
    self.schema = json.dumps(
      {
        'structure': str(tf.nest.map_structure(lambda _: '*', example)),
        'arrays': [f'{dtype.str} {list(shape)}' for dtype, shape in self._types],
      }
    )

  def encode(self, state: client_work.ClientState) -> bytes:
    """Returns the state's arrays one after the other; ValueError if it is of another type."""
    leaves = [np.asarray(leaf) for leaf in tf.nest.flatten(state)]
    found = [(leaf.dtype, leaf.shape) for leaf in leaves]
    if found != self._types:
      raise ValueError(f'A client state has the arrays {found}, expected {self._types}.')
    return b''.join(leaf.tobytes() for leaf in leaves)

  def decode(self, content: bytes) -> client_work.ClientState:
    """Returns the state that `encode` got."""
    leaves, start = [], 0
    for dtype, shape in self._types:
      size = int(np.prod(shape))
      # An empty one cannot be read from bytes.
      leaf = np.frombuffer(content, dtype, size, start) if size else np.empty(0, dtype)
      leaves.append(leaf.reshape(shape).copy())
      start += leaf.nbytes
    return tf.nest.pack_sequence_as(self._example, leaves)
