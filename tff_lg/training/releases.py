"""Metrics to files: CSV, written at checkpoints, and TensorBoard."""

import asyncio
import contextlib
import csv
import dataclasses
import errno
import io
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg import file_names, files
from tff_lg.compatibility import tff
from tff_lg.training import communication

KEY = 'round_num'
_KEYS = (KEY, 'method')
# Under which checkpoints have the tables.
CHECKPOINT_NAME = 'tables'
_TABLES = ('metrics', 'communication')
# What TensorFlow's errors were to the system.
_NUMBERS = {
  tf.errors.ResourceExhaustedError: errno.ENOSPC,
  tf.errors.OutOfRangeError: errno.EFBIG,
}


class MetricsReleaser:
  """Writes a run's `metrics.csv`, `communication.csv` and `tensorboard/`.

  The tables are written whole, by `flush`, which belongs before each checkpoint. The checkpoint has
  them too: a resumed run takes the rows up to its checkpoint from there and writes the later ones
  again. (TFF's own manager reads and writes the file again in every round.)
  """

  def __init__(
    self, folder: str, round_num: int = 0, tables: Mapping[str, str] | None = None
  ) -> None:
    """Continues in `folder` after a round; its rows and those before are kept.

    Args:
      folder: the run folder.
      round_num: rounds done.
      tables: the texts that `flush` gave at that round; empty where they are not known, so that
        the rows are read from the files.

    Raises:
      ValueError: a file lacks rows of rounds that are done, or is damaged; one sentence.
    """
    self._tables = {
      name: _Table(os.path.join(folder, f'{name}.csv'), round_num, (tables or {}).get(name))
      for name in _TABLES
    }
    self._folder = os.path.join(folder, file_names.TENSORBOARD)
    has_events = os.path.isdir(self._folder)
    with _as_os_errors(self._folder):
      self._tensorboard = tff.program.TensorBoardReleaseManager(self._folder)
    self._runner = asyncio.Runner()
    if not has_events:  # The rounds are another run's, or somebody has deleted the folder.
      for row in self._tables['metrics'].rows:
        metrics = {name: float(text) for name, text in row.items() if text and name not in _KEYS}
        self._release_events(metrics, int(row[KEY]))

  def release(
    self,
    round_num: int,
    method: str,
    metrics: Mapping[str, float],
    traffic: communication.RoundTraffic,
  ) -> None:
    """Takes one round.

    Args:
      round_num: counted from 1 over the whole run.
      method: of this round.
      metrics: by name.
      traffic: of this round.

    Raises:
      OSError: TensorBoard's file cannot be written.
    """
    key = {KEY: round_num, 'method': method}
    self._tables['metrics'].rows.append({**key, **metrics})
    self._tables['communication'].rows.append({**key, **dataclasses.asdict(traffic)})
    self._release_events(dict(metrics), round_num)

  def _release_events(self, metrics: dict[str, Any], round_num: int) -> None:
    with _as_os_errors(self._folder):
      self._runner.run(self._tensorboard.release(metrics, round_num))

  def flush(self) -> dict[str, str]:
    """Writes the tables; returns their texts by name."""
    return {name: table.write() for name, table in self._tables.items()}


def table_paths(folder: str) -> list[str]:
  """Returns the paths of the tables in a run folder."""
  return [os.path.join(folder, f'{name}.csv') for name in _TABLES]


def list_files(arrays: Mapping[str, np.ndarray]) -> dict[str, bytes]:
  """Returns what the tables' files hold by a checkpoint, by their names in the run folder."""
  return {f'{name}.csv': text.tobytes() for name, text in arrays.items()}


def to_arrays(tables: Mapping[str, str]) -> dict[str, np.ndarray]:
  """Returns texts of tables as a checkpoint has them, bytes of UTF-8."""
  return {name: np.frombuffer(text.encode(), np.uint8) for name, text in tables.items()}


def from_arrays(arrays: Mapping[str, np.ndarray]) -> dict[str, str]:
  """Returns the texts of which `to_arrays` made arrays."""
  return {name: text.tobytes().decode() for name, text in arrays.items()}


@contextlib.contextmanager
def _as_os_errors(path: str) -> Iterator[None]:
  """Turns an error of TensorFlow's writer into what Python raises for a file."""
  try:
    yield
  except tf.errors.OpError as error:
    number = _NUMBERS.get(type(error))
    reason = error.message.partition('\n')[0] if number is None else os.strerror(number)
    raise OSError(number or errno.EIO, reason, path) from error


class _Table:
  """Rows by round, with a column for each name in any of them."""

  def __init__(self, path: str, round_num: int, text: str | None) -> None:
    """Takes the rows up to a round, out of a text or of the file."""
    self._path = path
    self.rows: list[dict[str, Any]] = []
    if text is not None:
      self.rows = list(csv.DictReader(io.StringIO(text, newline='')))
    elif round_num:
      self.rows = _read_rows(path, round_num)

  def write(self) -> str:
    """Replaces the file, whole or not at all; returns its text."""
    names = dict.fromkeys(name for row in self.rows for name in row)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(names), restval='', lineterminator='\n')
    writer.writeheader()
    writer.writerows(self.rows)
    files.write_atomically(self._path, text.getvalue())
    return text.getvalue()


def _read_rows(path: str, round_num: int) -> list[dict[str, str]]:
  """Reads a file's rows up to a round, each of which it must have once."""
  try:
    with open(path, encoding='utf-8', newline='') as file:
      rows = [row for row in csv.DictReader(file, strict=True) if int(row[KEY]) <= round_num]
    if any(None in row or None in row.values() for row in rows):
      raise ValueError('a row has another number of fields than the header')
  except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
    raise _unusable(path, f'cannot be read ({error})', round_num) from error
  # A run that goes on with trained models has a row of round 0.
  found = [int(row[KEY]) for row in rows if row[KEY] != '0']
  missing = sorted(set(range(1, round_num + 1)) - set(found))
  if missing or len(found) != round_num:
    what = f'has no row of round {missing[0]}' if missing else 'has a round twice'
    raise _unusable(path, what, round_num)
  return rows


def _unusable(path: str, what: str, round_num: int) -> ValueError:
  return ValueError(
    f'{path} {what}, but the newest checkpoint is of round {round_num}: put back a copy, or delete '
    'the run folder and run again.'
  )
