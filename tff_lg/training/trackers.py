"""Trackers of experiments as callbacks: MLflow, and Weights & Biases.

A checkpoint keeps the id of the tracker's run, which a resumed run continues. The package is
imported when the run begins.
"""

import importlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tff_lg.training import callbacks, plan, run_state

_PROJECT = 'tff-lg'
# MLflow takes no more parameters at a time.
_PARAMETERS_AT_A_TIME = 100


class Tracker(callbacks.Callback):
  """Base of both trackers: keeps the run's id, and sends finite metrics of each round."""

  def __init__(self, run_name: str, settings: Mapping[str, Any]) -> None:
    """Takes the name of the run and its settings; nothing is imported or sent."""
    self._run_name = run_name
    self._settings = {name: value for name, value in settings.items() if value is not None}
    self._run_id: str | None = None
    self._is_open = False

  def on_run_begin(self, state: run_state.RunState, phases: Sequence[plan.Phase]) -> None:
    """Opens a run of the tracker, or that of the checkpoint; ValueError if it refuses."""
    try:
      self._run_id = self._open(self._run_id)
    except Exception as error:  # Whatever the package raises.
      raise ValueError(f'--track={self.name} cannot begin: {error}') from error
    self._is_open = True

  def on_round_end(self, state: run_state.RunState, metrics: Mapping[str, float]) -> None:
    """Sends the metrics of a round."""
    self._send(
      {name: float(value) for name, value in metrics.items() if math.isfinite(value)},
      state.round_num,
    )

  def on_run_end(self) -> None:
    """Ends the run of the tracker."""
    if self._is_open:
      self._is_open = False
      self._close()

  def to_arrays(self) -> dict[str, np.ndarray]:
    """Returns the id of the tracker's run."""
    return {'run_id': np.frombuffer((self._run_id or '').encode(), np.uint8)}

  def load_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
    """Restores it."""
    self._run_id = np.asarray(arrays['run_id'], np.uint8).tobytes().decode() or None

  def _open(self, run_id: str | None) -> str:
    raise NotImplementedError

  def _send(self, metrics: dict[str, float], round_num: int) -> None:
    raise NotImplementedError

  def _close(self) -> None:
    raise NotImplementedError


class MLflowTracker(Tracker):
  """Sends settings and metrics to MLflow, where its environment variables say."""

  name = 'mlflow'

  def _open(self, run_id: str | None) -> str:
    self._mlflow = importlib.import_module('mlflow')
    is_nested = self._mlflow.active_run() is not None
    if run_id is not None:
      return self._mlflow.start_run(run_id=run_id, nested=is_nested).info.run_id
    run = self._mlflow.start_run(run_name=self._run_name, nested=is_nested)
    items = list(self._settings.items())
    for start in range(0, len(items), _PARAMETERS_AT_A_TIME):
      self._mlflow.log_params(dict(items[start : start + _PARAMETERS_AT_A_TIME]))
    return run.info.run_id

  def _send(self, metrics: dict[str, float], round_num: int) -> None:
    self._mlflow.log_metrics(metrics, step=round_num)

  def _close(self) -> None:
    self._mlflow.end_run()


class WandbTracker(Tracker):
  """Sends settings and metrics to Weights & Biases, as its environment variables say."""

  name = 'wandb'

  def _open(self, run_id: str | None) -> str:
    wandb = importlib.import_module('wandb')
    self._run = wandb.init(
      project=_PROJECT, name=self._run_name, id=run_id, resume='allow', config=self._settings
    )
    return self._run.id

  def _send(self, metrics: dict[str, float], round_num: int) -> None:
    self._run.log(metrics, step=round_num)

  def _close(self) -> None:
    self._run.finish()


TRACKERS: Mapping[str, type[Tracker]] = {
  tracker.name: tracker for tracker in (MLflowTracker, WandbTracker)
}
