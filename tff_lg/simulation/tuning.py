"""Choosing a federated method's learning rate by whole runs, on validation data."""

import dataclasses
import math
import os
import shutil
from collections.abc import Callable
from typing import Any, NamedTuple

from absl import logging

from tff_lg import (
  checkpoints,
  checksums,
  file_names,
  files,
  grid_search,
  metric_names,
  metrics,
  strict_json,
  training,
)
from tff_lg import config as config_lib
from tff_lg.client_states import CLIENT_STORES
from tff_lg.config.option import resolved


class TunedRate(NamedTuple):
  """A learning rate that was chosen.

  Attributes:
    learning_rate: the best.
    tried: the mean validation metric over clients after a run with each rate, by rate; -inf for
      one that diverged.
  """

  learning_rate: float
  tried: dict[float, float]

  def changes(self) -> dict[str, Any]:
    """Returns the options of a run with this rate, which tunes no more, by name."""
    return _changes(self.learning_rate)

  def summary(self) -> dict[str, float | str]:
    """Returns entries of the run's summary."""
    rates = ', '.join(f'{rate:.4g}' for rate in self.tried)
    return {metric_names.TUNED_LEARNING_RATE: self.learning_rate, metric_names.TUNED_OUT_OF: rates}


def tune_learning_rate(
  config: config_lib.TrainConfig,
  run_dir: str,
  run: Callable[[config_lib.TrainConfig, str], dict[str, Any]],
) -> TunedRate:
  """Runs the method with each rate, in `tuning/<rate>` of its folder; a rerun resumes.

  The run would repeat the rounds of the best to the same bits, so they are put into its folder. It
  trains itself with a tracker, which is told each round, and with client states on disk.

  Args:
    config: resolved, with `--tune=validation`, without the baselines.
    run_dir: the run folder.
    run: (config, folder) -> summary; runs a config, or resumes.

  Returns:
    The rate with the best mean validation metric over clients, of equals the one tried first.

  Raises:
    training.RunError: every rate diverges, or a run cannot continue.
  """
  metric = resolved(config.selection_metric)
  sign = metrics.sign(metric)

  def score(rate: float) -> tuple[float]:
    trial = dataclasses.replace(
      config_lib.without_baselines(config), **_changes(rate), goal_accuracy=None
    )
    try:
      summary = run(trial, _trial_dir(run_dir, rate))
    except training.DivergenceError as error:
      logging.warning('Learning rate %g: %s', rate, error)
      return (-math.inf,)
    column = metric_names.mean(metric_names.validation(metric))
    return (sign * summary.get(column, math.nan),)

  rates = config.tuned_learning_rates or grid_search.grid_around(
    config_lib.learning_rate(config, 'client')
  )
  found = grid_search.search(rates, score, grows=config.tuned_learning_rates is None)
  if not math.isfinite(found.tried[found.best][0]):
    raise training.DivergenceError(
      f'--tune=validation: every learning rate diverges ({found.describe()}); lower '
      '--client_learning_rate.'
    )
  if found.improves_outwards:
    logging.warning(
      '--tune=validation: the best learning rate, %g, is at an end of those tried: %s.',
      found.best,
      found.describe(),
    )
  tuned = TunedRate(found.best, {rate: sign * value for rate, (value,) in found.tried.items()})
  about = {'learning_rate': tuned.learning_rate, 'tried': list(tuned.tried.items())}
  files.write_atomically(os.path.join(run_dir, file_names.TUNING), strict_json.dumps(about))
  if config.track is None and not CLIENT_STORES[config.client_store].needs_folder:
    _adopt_rounds(_trial_dir(run_dir, found.best), run_dir)
  return tuned


def _adopt_rounds(trial: str, run_dir: str) -> None:
  """Puts a trial's rounds into the run's folder, which resumes from their last checkpoint."""
  source, target = (os.path.join(each, file_names.CHECKPOINTS) for each in (trial, run_dir))
  if os.path.isdir(target):  # From which it resumes.
    return
  events, own = (os.path.join(each, file_names.TENSORBOARD) for each in (trial, run_dir))
  if os.path.isdir(events):
    shutil.copytree(events, own, dirs_exist_ok=True)
  checkpoints.copy(source, target)


def _trial_dir(run_dir: str, rate: float) -> str:
  return os.path.join(run_dir, 'tuning', f'{rate:g}')


def _changes(rate: float) -> dict[str, Any]:
  return {'client_learning_rate': rate, 'tune': 'none', 'tuned_learning_rates': None}


def load_tuned_rate(run_dir: str) -> TunedRate | None:
  """Loads the rate that a run has chosen; None for a run that chose none.

  Raises:
    ValueError: the file is damaged; one sentence.
  """
  path = os.path.join(run_dir, file_names.TUNING)
  if not os.path.exists(path):
    return None
  checksums.check(path)
  return strict_json.load(
    path,
    lambda found: TunedRate(found['learning_rate'], dict(map(tuple, found['tried']))),
    'delete it to choose the rate again',
  )
