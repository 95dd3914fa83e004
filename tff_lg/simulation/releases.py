"""Metrics to files: CSV, written at checkpoints, and TensorBoard."""

import asyncio
import csv
import dataclasses
import io
import os
from collections.abc import Mapping
from typing import Any

import tensorflow_federated as tff

from tff_lg import files
from tff_lg.simulation import communication

KEY = 'round_num'


class MetricsReleaser:
  """Writes a run's `metrics.csv`, `communication.csv` and `tensorboard/`.

  The tables are written whole, by `flush`, which belongs before each checkpoint: a
  killed run leaves whole rows, and a resumed one writes those after its checkpoint
  again. (TFF's own manager reads and writes the file again in every round.)
  """

  def __init__(self, folder: str, round_num: int = 0) -> None:
    """Goes on in `folder` after a round, whose rows and those before are kept."""
    self._tables = {
      name: _Table(os.path.join(folder, f'{name}.csv'), round_num)
      for name in ('metrics', 'communication')
    }
    self._tensorboard = tff.program.TensorBoardReleaseManager(os.path.join(folder, 'tensorboard'))
    self._runner = asyncio.Runner()

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
    """
    key = {KEY: round_num, 'method': method}
    self._tables['metrics'].rows.append({**key, **metrics})
    self._tables['communication'].rows.append({**key, **dataclasses.asdict(traffic)})
    self._runner.run(self._tensorboard.release(dict(metrics), round_num))

  def flush(self) -> None:
    """Writes the tables."""
    for table in self._tables.values():
      table.write()


class _Table:
  """Rows by round, with a column for each name in any of them."""

  def __init__(self, path: str, round_num: int) -> None:
    """Reads the rows up to a round, if there is a file."""
    self._path = path
    self.rows: list[dict[str, Any]] = []
    if round_num and os.path.exists(path):
      with open(path, encoding='utf-8', newline='') as file:
        self.rows = [row for row in csv.DictReader(file) if int(row[KEY]) <= round_num]

  def write(self) -> None:
    """Replaces the file, whole or not at all."""
    names = dict.fromkeys(name for row in self.rows for name in row)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(names), restval='', lineterminator='\n')
    writer.writeheader()
    writer.writerows(self.rows)
    files.write_atomically(self._path, text.getvalue())
