"""Embeddings already computed, in a folder of small files.

A key is made of the model, the preprocessing and the content. A run therefore finds what a killed
run had finished, and every embedding of an earlier run that has the same key.
"""

import hashlib
import io
import os
from collections.abc import Sequence

import numpy as np
from absl import logging

from tff_lg import files
from tff_lg.data import bounded


class EmbeddingCache:
  """Embeddings by key.

  A shard is an npz file with `keys` str [m] and `x` float32 [m, d], written once and whole. Only
  keys are held in memory. Several runs may write to one folder.
  """

  def __init__(self, folder: str):
    """Reads the keys of what `folder` holds; makes it at the first `add`.

    A shard that cannot be read is left out, with a warning: its embeddings are computed again.
    """
    self._folder = folder
    self._places: dict[str, tuple[str, int]] = {}
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for name in names:
      if not name.endswith('.npz'):
        continue
      path = os.path.join(folder, name)
      try:
        keys, _ = _read_shard(path)
      except Exception as error:  # A damaged archive can raise nearly anything.
        logging.warning('%s: cannot be read (%s), its embeddings are made again.', path, error)
        continue
      self._add_places(path, keys)

  def __contains__(self, key: str) -> bool:
    return key in self._places

  def __len__(self) -> int:
    return len(self._places)

  def _add_places(self, path: str, keys: Sequence[str]) -> None:
    self._places.update({key: (path, row) for row, key in enumerate(keys)})

  def add(self, keys: Sequence[str], x: np.ndarray) -> None:
    """Writes embeddings, whole or not at all.

    Args:
      keys: [m], one a row.
      x: float32 [m, d].

    Raises:
      OSError: the folder cannot be made or written.
    """
    # Named by its content, so that two runs in one folder do not write each other's file.
    name = hashlib.sha256('\n'.join(keys).encode()).hexdigest()[:32]
    path = os.path.join(self._folder, f'{name}.npz')
    buffer = io.BytesIO()
    np.savez_compressed(buffer, keys=np.array(keys, str), x=x)
    files.write_atomically(path, buffer.getvalue())
    self._add_places(path, keys)

  def gather(self, keys: Sequence[str]) -> np.ndarray:
    """Reads embeddings.

    Args:
      keys: [n], all in the cache, at least one.

    Returns:
      float32 [n, d], in the order of `keys`.

    Raises:
      KeyError: a key is not in the cache.
      ValueError: there are no keys.
    """
    places = [self._places[key] for key in keys]
    shards, shard_of = np.unique([path for path, _ in places], return_inverse=True)
    rows = np.array([row for _, row in places])
    result: np.ndarray | None = None
    for number, path in enumerate(shards):
      _, x = _read_shard(path)
      wanted = shard_of == number
      if result is None:
        result = np.empty((len(keys), x.shape[1]), np.float32)
      result[wanted] = x[rows[wanted]]
    if result is None:
      raise ValueError('keys is empty, expected at least one.')
    return result


def _read_shard(path: str) -> tuple[list[str], np.ndarray]:
  with bounded.open_npz(path, ('keys', 'x')) as archive:
    keys, x = archive['keys'], archive['x']
  if x.dtype != np.float32 or x.ndim != 2 or keys.shape != x.shape[:1]:
    raise ValueError(f'keys {list(keys.shape)} and x {x.dtype} {list(x.shape)} do not fit')
  return keys.tolist(), x
