"""Curves per client: how the model of each client scored in the evaluations of a run.

The file is bounded, however many clients and rounds there are. Nothing is evaluated for it.
"""

import io
import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from absl import logging
from pyarrow import parquet

from tff_lg import file_names, files
from tff_lg.training import callbacks, evaluation, run_state

# Of more clients, so many at even distances have curves.
MOST_CLIENTS = 500
# Of more evaluations, every second, fourth and so on is kept, and the last one.
MOST_EVALUATIONS = 200


class _Point(NamedTuple):
  """An evaluation: its round, and float32 [num_kept_clients] by metric."""

  round_num: int
  metrics: Mapping[str, np.ndarray]


class ClientCurves(callbacks.Callback):
  """Collects `client_curves.parquet`: metrics by evaluated round and client.

  The columns are `round_num`, `client_id` and a float32 column per metric, such as
  `validation/accuracy`. It is written once, at the end of the run; checkpoints hold it before.
  """

  name = 'client_curves'

  def __init__(self, folder: str, part: str = 'validation') -> None:
    """Writes to `folder`; nothing before the first evaluation.

    Args:
      folder: the run folder by custom.
      part: the clients' data that the metrics are of, a key of `evaluation.PARTS`.
    """
    self._folder, self._part = folder, part
    self._points: list[_Point] = []
    self._num_evaluations = 0
    self._client_ids: list[str] = []
    self._indices: np.ndarray | None = None

  def on_client_metrics(
    self,
    state: run_state.RunState,
    client_ids: Sequence[str],
    metrics: Mapping[str, evaluation.ClientValues],
  ) -> None:
    """Adds a point to the curve of each client."""
    values = metrics.get(self._part)
    if values is None:
      return
    if self._indices is None:
      self._indices = self._find_clients(client_ids, values)
    if not len(self._indices):
      return
    of_clients = {
      f'{self._part}/{name}': value[self._indices].astype(np.float32)
      for name, value in values.items()
    }
    self._add(_Point(state.round_num, of_clients))

  def on_run_end(self) -> None:
    """Writes the file."""
    if not self._points or not os.path.isdir(self._folder):
      return
    path = os.path.join(self._folder, file_names.CLIENT_CURVES)
    try:
      files.write_atomically(path, self._to_parquet())
    except OSError as error:  # The run may be ending by the same error, which is the one to tell.
      logging.warning('%s cannot be written: %s', path, error)

  def to_arrays(self) -> dict[str, np.ndarray]:
    """Returns the file's bytes, and how many evaluations there were."""
    if not self._points:
      return {}
    return {
      'table': np.frombuffer(self._to_parquet(), np.uint8),
      'num_evaluations': np.asarray(self._num_evaluations),
    }

  def load_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
    """Restores the curves up to the checkpoint."""
    self._num_evaluations = int(arrays['num_evaluations'])
    table = pd.read_parquet(io.BytesIO(arrays['table'].tobytes()))
    self._points = []
    for round_num, of_round in table.groupby('round_num', sort=False):
      self._client_ids = of_round.pop('client_id').tolist()
      del of_round['round_num']
      columns = {str(name): column.to_numpy() for name, column in of_round.items()}
      self._points.append(_Point(int(round_num), columns))

  def _find_clients(self, client_ids: Sequence[str], values: evaluation.ClientValues) -> np.ndarray:
    """Returns the indices of the clients with curves; those of a checkpoint, or scored ones."""
    if self._client_ids:
      places = {client_id: place for place, client_id in enumerate(client_ids)}
      return np.array([places[client_id] for client_id in self._client_ids])
    scored = np.flatnonzero(~np.isnan(values['loss']))
    num_kept = min(len(scored), MOST_CLIENTS)
    found = scored[np.arange(num_kept) * len(scored) // max(num_kept, 1)]
    self._client_ids = [client_ids[index] for index in found]
    return found

  def _add(self, point: _Point) -> None:
    """Adds an evaluation, and drops those that bounds leave no place for."""
    before, step = _step(self._num_evaluations), _step(self._num_evaluations + 1)
    if self._num_evaluations and (self._num_evaluations - 1) % before:
      self._points.pop()  # Which was kept as the last one.
    if step > before:
      self._points = self._points[::2]
    self._points.append(point)
    self._num_evaluations += 1

  def _to_parquet(self) -> bytes:
    num_clients, num_points = len(self._client_ids), len(self._points)
    rounds = np.array([point.round_num for point in self._points], np.int64)
    places = np.tile(np.arange(num_clients, dtype=np.int32), num_points)
    columns = {
      'round_num': np.repeat(rounds, num_clients),
      # Indices into the ids take a tenth of the time of the ids themselves.
      'client_id': pa.DictionaryArray.from_arrays(places, self._client_ids),
    }
    for name in self._points[0].metrics:
      columns[name] = np.concatenate([point.metrics[name] for point in self._points])
    content = io.BytesIO()
    parquet.write_table(pa.table(columns), content, store_schema=False)
    return content.getvalue()


def list_files(arrays: Mapping[str, np.ndarray]) -> dict[str, bytes]:
  """Returns what the file of curves holds by a checkpoint, by its name in the run folder."""
  return {file_names.CLIENT_CURVES: arrays['table'].tobytes()} if arrays else {}


def _step(num_evaluations: int) -> int:
  """Returns the power of two s such that each s-th of so many evaluations is within the bound."""
  step = 1
  while num_evaluations > step * MOST_EVALUATIONS:
    step *= 2
  return step
