"""The values of `training.run` that a config stands for."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from tff_lg import config as config_lib
from tff_lg import training
from tff_lg.config.option import resolved
from tff_lg.training import cohorts, divergence, trackers


def loop_values(
  config: config_lib.TrainConfig,
  num_clients: int,
  run_dir: str,
  groups: Mapping[str, Sequence[int]] | None = None,
) -> dict[str, Any]:
  """Returns keyword arguments of `training.run` for a run in its folder.

  Args:
    config: resolved, with its cohort.
    num_clients: that cohorts are drawn from.
    run_dir: the run folder, which gets metrics and checkpoints.
    groups: clients by index, evaluated together beside all of them.
  """
  callbacks: list[training.Callback] = [
    training.MetricsFiles(run_dir),
    training.ClientCurves(run_dir, config.choices.choose_by),
    training.ProgressBar(),
  ]
  if config.track is not None:
    callbacks.append(trackers.TRACKERS[config.track](run_dir, dataclasses.asdict(config)))
  return {
    'draw_cohort': cohorts.CohortSampler(num_clients, **config_lib.cohort_options(config)),
    'evaluation': training.Evaluation(
      config.evaluate_every,
      cohorts.draw_evaluated(num_clients, config.max_evaluated_clients, config.seed),
      groups or {},
      config.choices.choose_by,
      resolved(config.selection_metric),
      resolved(config.selection_scope),
    ),
    'callbacks': callbacks,
    'run_dir': run_dir,
    'checkpoint_every': config.checkpoint_every,
    'client_store': config.client_store,
    'seed': config.seed,
    'wording': divergence.of_flags(config.aggregator, config_lib.learning_rate(config, 'server')),
  }
