"""Checkpoints: named arrays and a few plain values in one file, written at once or not at all."""

import io
import json
import os
import pathlib
import re
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from tff_lg import errors, files

_META = 'meta'
_PATTERN = re.compile(r'round_(\d{8})\.npz')


class CheckpointError(errors.RunFailure):
  """A checkpoint that cannot be read; the message names the file."""


class CheckpointManager:
  """Keeps the newest checkpoints of a run, one file each.

  A file holds the round's number of rounds done, so a run that is killed at any
  moment resumes from the last whole file. An array that appears under several
  names is stored once, and is one array again when it is loaded.

  Attributes:
    keep_before: the newest checkpoint before this round is kept, too; None for no such round.
  """

  def __init__(self, folder: str, keep: int = 2, kept_round: int | None = None) -> None:
    """Manages `folder`, keeping the newest `keep` files, and that of `kept_round`."""
    self._folder = folder
    self._keep = keep
    self._kept_round = kept_round
    self.keep_before: int | None = None

  def save(self, round_num: int, arrays: Mapping[str, np.ndarray], meta: Any) -> None:
    """Writes a checkpoint after `round_num` rounds, then drops old ones.

    Args:
      round_num: rounds done.
      arrays: by name, which is neither `file` nor `meta`.
      meta: plain values that JSON can hold.
    """
    first_name: dict[int, str] = {}
    aliases = {name: first_name.setdefault(id(array), name) for name, array in arrays.items()}
    content = json.dumps({'aliases': aliases, 'meta': meta}).encode()
    stored: dict[str, Any] = {_META: np.frombuffer(content, np.uint8)}
    stored |= {name: np.asarray(arrays[name]) for name in first_name.values()}
    # In memory first: an archive that cannot be written to the end cannot be closed either.
    archive = io.BytesIO()
    np.savez(archive, **stored)
    files.write_atomically(self._path(round_num), archive.getvalue())
    saved = self.rounds()
    kept = [number for number in saved if number < (self.keep_before or 0)][-1:]
    for old in saved[: -self._keep]:
      if old not in (*kept, self._kept_round):
        os.unlink(self._path(old))
    for name in os.listdir(self._folder):
      if name.endswith(('.partial', '.tmp')):  # left by a run that was killed while writing
        os.unlink(os.path.join(self._folder, name))

  def load_latest(self) -> tuple[int, dict[str, np.ndarray], Any] | None:
    """Loads the newest checkpoint.

    Returns:
      (rounds done, arrays, meta), or None if there is no checkpoint.

    Raises:
      CheckpointError: it cannot be read; the message names the file.
    """
    rounds = self.rounds()
    if not rounds:
      return None
    path = self._path(rounds[-1])
    try:
      stored = _read_archive(path)
      content = json.loads(stored.pop(_META).tobytes())
      arrays = {name: stored[first] for name, first in content['aliases'].items()}
    except Exception as error:  # A damaged archive can raise nearly anything.
      raise CheckpointError(
        f'Checkpoint {path} is damaged ({error}); delete it to resume from the one before.'
      ) from error
    return rounds[-1], arrays, content['meta']

  def remove_from(self, round_num: int) -> None:
    """Removes the checkpoints after `round_num` rounds and more."""
    for number in self.rounds():
      if number >= round_num:
        os.unlink(self._path(number))

  def rounds(self) -> list[int]:
    """Returns the rounds of the checkpoints that there are, in order."""
    names = os.listdir(self._folder) if os.path.isdir(self._folder) else []
    return sorted(int(match[1]) for match in map(_PATTERN.fullmatch, names) if match)

  def _path(self, round_num: int) -> str:
    return os.path.join(self._folder, _name(round_num))


def copy(source: str, target: str, last_round: int | None = None) -> None:
  """Copies checkpoints, oldest first, so that a run resumes from whatever is there.

  Args:
    source: a folder of `CheckpointManager`.
    target: another, without checkpoints.
    last_round: after which no checkpoint is copied; all are by default.
  """
  numbers = CheckpointManager(source).rounds()
  for number in numbers if last_round is None else [n for n in numbers if n <= last_round]:
    name = _name(number)
    content = pathlib.Path(source, name).read_bytes()
    files.write_atomically(os.path.join(target, name), content)


def _name(round_num: int) -> str:
  return f'round_{round_num:08d}.npz'


def _read_archive(path: str) -> dict[str, np.ndarray]:
  """Returns the arrays of a file of `np.savez`, by name.

  `np.load` looks each name up in a list, which takes a time quadratic in the number of arrays.
  """
  with zipfile.ZipFile(path) as archive:
    arrays = {}
    for info in archive.infolist():
      with archive.open(info) as member:
        name = info.filename.removesuffix('.npy')
        arrays[name] = np.lib.format.read_array(member, allow_pickle=False)
    return arrays


def with_prefix(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
  """Returns the arrays under names that begin with `prefix` and a slash."""
  return {f'{prefix}/{name}': array for name, array in arrays.items()}


def without_prefix(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
  """Returns the arrays whose names begin with `prefix` and a slash, without it."""
  start = prefix + '/'
  return {
    name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)
  }
