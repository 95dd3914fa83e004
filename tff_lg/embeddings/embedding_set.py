"""The value of this room: examples as a frozen network embeds them, and its file."""

import dataclasses
import io
import json
import os
from typing import Any

import numpy as np

from tff_lg import files
from tff_lg.data import bounded, examples

SPLITS = ('train', 'test')


class EmbeddingError(ValueError):
  """Something that cannot be embedded or read; one sentence that names the flag or the file."""


@dataclasses.dataclass(frozen=True, eq=False)
class EmbeddingSet:
  """Embedded examples, row by row.

  Attributes:
    ids: str [n], a unique name for each example. A clip has its file name, and 'train/17' is the
      image at position 17 of the training part.
    x: float32 [n, d], the embeddings, finite.
    y: int32 [n], labels in [0, c).
    split: str [n], 'train' or 'test'.
    class_names: str [c].
    keys: str [n], what an embedding depends on (model, preprocessing, content), as one hash.
    provenance: JSON, how the set was made.

  Raises:
    EmbeddingError: a wrong dtype, arrays of different lengths, a name twice, or a value out of
      range.
  """

  ids: np.ndarray
  x: np.ndarray
  y: np.ndarray
  split: np.ndarray
  class_names: np.ndarray
  keys: np.ndarray
  provenance: str

  def __post_init__(self) -> None:
    if self.x.dtype != np.float32 or self.x.ndim != 2:
      raise EmbeddingError(f'x is {self.x.dtype} {list(self.x.shape)}, expected float32 [n, d].')
    shape = self.x.shape[:1]
    if self.y.dtype != np.int32 or self.y.shape != shape:
      raise EmbeddingError(f'y is {self.y.dtype} {list(self.y.shape)}, expected int32 {[*shape]}.')
    for name in ('ids', 'split', 'keys', 'class_names'):
      array = getattr(self, name)
      wanted = shape if name != 'class_names' else (array.size,)
      if array.dtype.kind != 'U' or array.shape != wanted:
        found = f'{array.dtype} {list(array.shape)}'
        raise EmbeddingError(f'{name} is {found}, expected strings {list(wanted)}.')
    names, counts = np.unique(self.ids, return_counts=True)
    if (counts > 1).any():
      raise EmbeddingError(f'ids has {names[counts.argmax()]} twice, expected each name once.')
    if not np.isin(self.split, SPLITS).all():
      found = self.split[~np.isin(self.split, SPLITS)][0]
      raise EmbeddingError(f"split has {str(found)!r}, expected 'train' or 'test'.")
    if not ((self.y >= 0) & (self.y < len(self.class_names))).all():
      found = f'{self.y.min()} to {self.y.max()}'
      raise EmbeddingError(f'y goes from {found}, expected 0 to {len(self.class_names) - 1}.')
    if not np.isfinite(self.x).all():
      row = self.ids[~np.isfinite(self.x).all(axis=1)][0]
      raise EmbeddingError(f'x of {row} has a value that is not finite.')

  def __len__(self) -> int:
    return len(self.y)

  def take(self, indices: np.ndarray) -> 'EmbeddingSet':
    """Returns a copy of the examples at `indices` (integers or booleans), in that order."""
    rows = {name: getattr(self, name)[indices] for name in ('ids', 'x', 'y', 'split', 'keys')}
    return dataclasses.replace(self, **rows)

  def part(self, split: str) -> 'EmbeddingSet':
    """Returns the examples of one part, 'train' or 'test'.

    Raises:
      ValueError: another name.
    """
    if split not in SPLITS:
      raise ValueError(f"split is {split!r}, expected 'train' or 'test'.")
    return self.take(np.flatnonzero(self.split == split))

  def save(self, path: str) -> str:
    """Writes the set as one compressed npz file, whole or not at all; returns `path`.

    The same set gives the same bytes.

    Raises:
      OSError: the file cannot be written.
    """
    buffer = io.BytesIO()
    arrays = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
    np.savez_compressed(buffer, **arrays)
    return files.write_atomically(path, buffer.getvalue())

  @classmethod
  def load(cls, path: str) -> 'EmbeddingSet':
    """Reads what `save` wrote.

    Raises:
      EmbeddingError: the file is missing, damaged or too large for the memory, or holds other
        arrays.
    """
    if not os.path.isfile(path):
      raise EmbeddingError(f'{path}: no such file, expected one made by pipelines.embed.')
    try:
      # By name: the keys of an archive may be anything, and so may their sizes.
      names = [field.name for field in dataclasses.fields(cls)]
      with bounded.open_npz(path, names) as archive:
        arrays: dict[str, Any] = {name: archive[name] for name in names if name in archive}
      provenance = str(arrays.get('provenance', ''))
      if 'provenance' in arrays:
        json.loads(provenance)
    except examples.DataError as error:
      raise EmbeddingError(str(error)) from error
    except Exception as error:  # A damaged archive can raise nearly anything.
      raise EmbeddingError(
        f'{path}: cannot be read as a file of pipelines.embed ({error}).'
      ) from error
    missing = [name for name in names if name not in arrays]
    if missing:
      raise EmbeddingError(f'{path}: no {", ".join(missing)} found, expected it among the arrays.')
    try:
      return cls(**{**arrays, 'provenance': provenance})
    except EmbeddingError as error:
      raise EmbeddingError(f'{path}: {error}') from error
