"""Configs that are made of another: a baseline's, own models', and the fast form."""

import dataclasses
from typing import Any

from tff_lg.config import (
  aggregation,
  entry_options,
  optimization,
  own_models,
  own_network,
  partition,
  task,
  trouble,
)
from tff_lg.config.train_config import TrainConfig
from tff_lg.learning.methods import METHODS


def as_baseline(config: TrainConfig, method: str) -> TrainConfig:
  """Returns a config with the same budget for another method, without the own method's options.

  Clients that learn alone meet no aggregator, no attacker and no trouble on the way.
  """
  alone = {**aggregation.without(), **trouble.without()}
  trains_to_best = not METHODS[method].sends_updates and config.local_budget == 'best'
  return dataclasses.replace(
    config,
    **(own_models.without() if METHODS[method].sends_updates else alone),
    **entry_options.METHOD_OPTIONS.without(method),
    method=method,
    baselines=(),
    rounds=config.total_rounds,
    warm_start_rounds=0,
    warm_start_from=None,
    warm_start_until=None,
    rounds_until=None if trains_to_best else config.rounds_until,
    early_stopping_rounds=None if trains_to_best else config.early_stopping_rounds,
  )


def without_baselines(config: TrainConfig) -> TrainConfig:
  """Returns the config of the run's own method alone."""
  own: dict[str, Any] = own_models.without() if METHODS[config.method].sends_updates else {}
  return dataclasses.replace(config, **own, baselines=())


def as_own_models(config: TrainConfig, options: own_models.OwnModelOptions) -> TrainConfig:
  """Returns the config of local learning to the best, on the data of a run.

  Args:
    config: of the run, resolved.
    options: of own models, as the user gave them.

  Returns:
    The config, resolved.
  """
  names = [field.name for field in dataclasses.fields(own_models.OwnModelOptions)]
  given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
  return dataclasses.replace(
    as_baseline(config, own_models.LOCAL_ONLY),
    **own_models.without() | own_models.defaults() | given,
    local_budget='best',
    tune='none',
    tuned_learning_rates=None,
    max_evaluated_clients=None,
  )


def fast(config: TrainConfig) -> TrainConfig:
  """Returns the config of a complete run in seconds, on a few digits or lines."""
  own = own_models.without()
  if own_models.train_to_best(config):
    rates = config.local_only_learning_rate or (optimization.learning_rate(config, 'client'),)
    own |= {'own_models': config.own_models, 'local_only_epochs': 3}
    own |= {'local_only_learning_rate': rates[:1]}
  keeps_layers = config.task == task.SMALL or config.picks_split or own_network.is_own(config.model)
  own['global_layers'] = config.global_layers if keeps_layers else None
  for name in ('cohort_groups', 'dp_bands'):  # Half of the clients are a cohort.
    own[name] = getattr(config, name) and min(getattr(config, name), 2)
  own['auto_rounds'] = config.auto_rounds and min(config.auto_rounds, 3)
  return dataclasses.replace(
    config,
    **task.fast(config),
    **partition.fast(config.partition, task.has_small_data(config)),
    num_clients=None if task.fast_is_natural(config) else 10,
    clients_per_round=5,
    client_fraction=None,
    held_out_clients=config.held_out_clients and min(config.held_out_clients, 2),
    held_out_ids=None,
    validation_clients=config.held_out_clients and config.validation_clients and 1,
    **aggregation.without_cohort(config),
    **own,
    rounds=min(config.rounds, 3),
    warm_start_rounds=min(config.warm_start_rounds, 3),
    warm_start_from=None,
    evaluate_every=1,
    checkpoint_every=1,
  )
