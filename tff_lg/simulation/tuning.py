"""Choosing a federated method's learning rate by whole runs, on validation data."""

import dataclasses
import math
import os
from collections.abc import Callable
from typing import Any

from absl import logging

from tff_lg import config as config_lib
from tff_lg import (
  file_names,
  files,
  grid_search,
  metric_names,
  metrics,
  strict_json,
  training,
)
from tff_lg.client_states import CLIENT_STORES
from tff_lg.config.option import resolved
from tff_lg.run_folder import adopted_rounds, tuned_rate


def tune_learning_rate(
  config: config_lib.TrainConfig,
  run_dir: str,
  run: Callable[[config_lib.TrainConfig, str], dict[str, Any]],
) -> tuned_rate.TunedRate:
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
      config_lib.without_baselines(config), **tuned_rate.changes(rate), goal_accuracy=None
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
  tried = {rate: sign * value for rate, (value,) in found.tried.items()}
  tuned = tuned_rate.TunedRate(found.best, tried)
  about = {'learning_rate': tuned.learning_rate, 'tried': list(tuned.tried.items())}
  files.write_atomically(os.path.join(run_dir, file_names.TUNING), strict_json.dumps(about))
  if config.track is None and not CLIENT_STORES[config.client_store].needs_folder:
    adopted_rounds.adopt(_trial_dir(run_dir, found.best), run_dir)
  return tuned


def _trial_dir(run_dir: str, rate: float) -> str:
  return os.path.join(run_dir, 'tuning', f'{rate:g}')
