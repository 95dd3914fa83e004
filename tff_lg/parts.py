"""Arrays that are computed once, for chunks of clients, and kept in files."""

import functools
import io
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from tff_lg import files, progress

Arrays = dict[str, np.ndarray]


class Parts:
  """The parts of a long work that are done, each in a file; a killed run resumes after them."""

  def __init__(
    self, folder: str, name: str, chunk_size: int, bar: progress.Bar | None = None
  ) -> None:
    """Reads and writes nothing yet.

    Args:
      folder: of the files.
      name: of the work, at the start of their names.
      chunk_size: clients in a part.
      bar: counts the clients of `compute_chunks`; None without it.
    """
    self._folder, self._name, self._chunk_size, self._bar = folder, name, chunk_size, bar

  def compute_chunks(
    self,
    clients: np.ndarray,
    function: Callable[[np.ndarray], Arrays],
    stage: str,
    *,
    is_again: bool = False,
  ) -> Arrays:
    """Returns the function's arrays for all clients, by name, from files where there are any.

    Args:
      clients: int [n], indices.
      function: of some of them, to arrays with one row per client; NaN if a chunk lacks it.
      stage: of the work, in the names of its files.
      is_again: whether the bar's total has these clients for an earlier stage only.

    Returns:
      The arrays of all chunks, one after the other.

    Raises:
      ValueError: a file is damaged.
    """
    parts, sizes = [], []
    if is_again and self._bar is not None:
      self._bar.total += len(clients)
    for start, chunk in self.chunks(clients):
      is_done = os.path.exists(self.path(f'{stage}_{start:06d}'))
      if is_done and self._bar is not None:
        # They are none of the bar's clients a second. A bar that is off knows no number.
        self._bar.initial = getattr(self._bar, 'initial', 0) + len(chunk)
      parts.append(self.compute(functools.partial(function, chunk), f'{stage}_{start:06d}'))
      if self._bar is not None:
        self._bar.update(len(chunk))
      sizes.append(len(chunk))
    found = {name: array for part in parts for name, array in part.items()}
    return {
      name: np.concatenate(
        [part.get(name, missing(size, like)) for part, size in zip(parts, sizes, strict=True)]
      )
      for name, like in found.items()
    }

  def chunks(self, clients: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Returns clients in chunks, each with the place of its first."""
    starts = range(0, len(clients), self._chunk_size)
    return [(start, clients[start : start + self._chunk_size]) for start in starts]

  def compute(self, function: Callable[[], Arrays], stage: str) -> Arrays:
    """Returns the function's arrays, from a file if there is one."""
    path = self.path(stage)
    if os.path.exists(path):
      try:
        with np.load(path, allow_pickle=False) as file:
          return dict(file)
      except Exception as error:  # A damaged archive can raise nearly anything.
        raise ValueError(f'{path} is damaged ({error}): delete it to do it again.') from error
    arrays, content = function(), io.BytesIO()
    stored: dict[str, Any] = {**arrays}
    np.savez(content, **stored)
    files.write_atomically(path, content.getvalue())
    return arrays

  def path(self, stage: str) -> str:
    """Returns the path of a stage's file."""
    return os.path.join(self._folder, f'{self._name}_{stage}.npz')


def missing(size: int, like: np.ndarray) -> np.ndarray:
  """Returns rows that are not known: NaN, or `''` where another array has texts."""
  return np.full(size, '', like.dtype) if like.dtype.kind == 'U' else np.full(size, np.nan)
