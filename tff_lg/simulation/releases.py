"""Metrics to files, by TFF's release managers: CSV and TensorBoard."""

import asyncio
import dataclasses
import os
from collections.abc import Mapping

import tensorflow_federated as tff

from tff_lg.simulation import communication

KEY = 'round_num'


class MetricsReleaser:
  """Writes a run's `metrics.csv`, `communication.csv` and `tensorboard/`.

  Each file is replaced whole, so a killed run leaves whole rows; a resumed run drops
  the rows after its checkpoint as it writes them again.
  """

  def __init__(self, folder: str) -> None:
    """Goes on in `folder`, where there are files already."""

    def csv_manager(name: str) -> tff.program.CSVFileReleaseManager:
      return tff.program.CSVFileReleaseManager(
        os.path.join(folder, name), tff.program.CSVSaveMode.WRITE, KEY
      )

    self._metrics = csv_manager('metrics.csv')
    self._communication = csv_manager('communication.csv')
    self._tensorboard = tff.program.TensorBoardReleaseManager(os.path.join(folder, 'tensorboard'))

  def release(
    self,
    round_num: int,
    method: str,
    metrics: Mapping[str, float],
    traffic: communication.RoundTraffic,
  ) -> None:
    """Writes one round.

    Args:
      round_num: counted from 1 over the whole run.
      method: of this round.
      metrics: by name.
      traffic: of this round.
    """

    async def release_all() -> None:
      await self._metrics.release({'method': method, **metrics}, round_num)
      await self._communication.release(
        {'method': method, **dataclasses.asdict(traffic)}, round_num
      )
      await self._tensorboard.release(dict(metrics), round_num)

    asyncio.run(release_all())
