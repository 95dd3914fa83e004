"""Rules that complete a config, and contradictions that it cannot have."""

import dataclasses
from typing import Any

from tff_lg.aggregators import AGGREGATORS
from tff_lg.config import (
  aggregation,
  contradictions,
  ending,
  entry_options,
  metric_options,
  objective,
  optimization,
  own_models,
  own_network,
  repetition,
  runtime,
  sampling,
  split,
  task,
  tracking,
  trouble,
  tuning,
  verdicts,
  warm_start,
)
from tff_lg.config.derived import as_baseline
from tff_lg.config.option import ConfigError, check_values
from tff_lg.config.partition import NATURAL, PARTITION_OPTIONS
from tff_lg.config.train_config import TrainConfig
from tff_lg.learning.methods import METHODS
from tff_lg.tasks import TASKS


def resolve(config: TrainConfig) -> TrainConfig:
  """Fills in the defaults that depend on other choices, and checks everything.

  Args:
    config: as the user gave it.

  Returns:
    The same config without any None that stands for a default. None stays where only the task or
    the data can tell. These are `global_layers`, the clients of a natural partition, and
    `partition` where a file names the clients.

  Raises:
    ConfigError: the first thing that cannot be, in one sentence.
  """
  check_values(config)
  split.check(config)
  entry, partition = TASKS[config.task], task.default_partition(config)
  contradictions.check(config, partition)
  own_network.check(config)
  if own_models.sends_nothing(config):
    config = as_baseline(config, own_models.LOCAL_ONLY)
  task.check(config)
  metric_options.check(config, partition, config.selection_scope or entry.selection_scope)
  aggregation.check(config)
  trouble.check(config)
  optimization.check(config)
  runtime.check(config)
  warm_start.check(config)
  tracking.check(config)
  tuning.check(config)
  verdicts.check(config)
  repetition.check(config, partition)
  ending.check(config)
  protocol, methods = config.choices, (config.method, *(config.baselines or ()))
  objective.check(config)
  method = METHODS[config.method]
  names_clients = entry.names_clients(config)
  only_if = {
    'num_clients': (partition not in NATURAL and not names_clients, entry.num_clients),
    'client_epochs': (method.makes_steps, 1),
    'batch_size': (method.makes_steps, 10),
  }
  defaults: dict[str, Any] = {
    'partition': None if names_clients else partition,
    'selection_scope': entry.selection_scope,
    'validation_fraction': protocol.validation_fraction,
    'optimistic_choice_on_test_data': protocol.chooses_on_test_data,
    'client_weighting': protocol.client_weighting
    if AGGREGATORS[config.aggregator].is_mean
    else 'uniform',
    'baselines': (own_models.LOCAL_ONLY,) if method.sends_updates else (),
    **metric_options.defaults(config),
    **({'selection_metric': entry.selection_metric} if entry.selection_metric else {}),
    **{name: default for name, (applies, default) in only_if.items() if applies},
    **task.defaults(config),
    **({} if names_clients else PARTITION_OPTIONS.defaults((partition,))),
    **aggregation.defaults(config),
    **trouble.defaults(config),
    **entry_options.METHOD_OPTIONS.defaults(methods),
    **optimization.defaults(config),
    **objective.defaults(config),
    **split.defaults(config),
  }
  baselines = defaults['baselines'] if config.baselines is None else config.baselines
  own_models.check(config)
  own_models.check_belongs(config, (config.method, *baselines))
  if own_models.train_to_best(config):
    defaults |= own_models.defaults()
  config = dataclasses.replace(
    config,
    **{name: value for name, value in defaults.items() if getattr(config, name) is None},
  )
  num_participants = None
  if config.num_clients is not None and not entry.may_lose_clients:
    # Held-out ids that cannot be are refused when the data are known.
    num_participants = max(config.num_clients - config.num_held_out, 1)
  _check_ranges(config)
  if num_participants is not None:
    cohort = sampling.decide_cohort(config, num_participants, sampling.DEFAULT_FRACTION)
    config = dataclasses.replace(config, clients_per_round=cohort)
  sampling.check_groups(config, num_participants)
  if config.clients_per_round is None:
    return config
  return _with_cohort_options(config, config.clients_per_round)


def with_cohort(config: TrainConfig, num_clients: int, client_fraction: float) -> TrainConfig:
  """Decides the cohort where only the data tell the number of clients.

  Args:
    config: resolved.
    num_clients: in the data.
    client_fraction: sampled per round, if the config names no cohort.

  Returns:
    The config with `clients_per_round`.

  Raises:
    ConfigError: a cohort larger than all clients or a group, or too small for the aggregator.
  """
  cohort = sampling.decide_cohort(config, num_clients, client_fraction)
  if cohort > num_clients:
    raise ConfigError(f'--clients_per_round is {cohort}, but the data have {num_clients} clients.')
  config = dataclasses.replace(config, clients_per_round=cohort)
  sampling.check_groups(config, num_clients)
  return _with_cohort_options(config, cohort)


def _with_cohort_options(config: TrainConfig, clients_per_round: int) -> TrainConfig:
  decided = aggregation.decided_by_cohort(config, clients_per_round)
  return dataclasses.replace(config, **decided)


def _check_ranges(config: TrainConfig) -> None:
  positive = (
    'num_clients rounds clients_per_round '
    'client_epochs client_steps batch_size client_learning_rate '
    'server_learning_rate evaluate_every checkpoint_every early_stopping_rounds'
  )
  not_negative = 'held_out_clients max_evaluated_clients warm_start_rounds seed'
  for names, allowed, expected in (
    (positive, lambda value: value > 0, 'more than 0'),
    (not_negative, lambda value: value >= 0, '0 or more'),
    ('validation_fraction dropout_rate', lambda value: 0 <= value < 1, 'in [0, 1)'),
    ('client_fraction', lambda value: 0 < value <= 1, 'in (0, 1]'),
  ):
    for name in names.split():
      value = getattr(config, name)
      if value is not None and not allowed(value):
        raise ConfigError(f'--{name} is {value}, expected {expected}.')
  for goal in config.goal_accuracy or ():
    main = config.predicts.main
    if goal <= 0 or goal >= 1 and main.is_share:
      expected = 'accuracies in (0, 1)' if main.is_share else f'{main.label} of more than 0'
      raise ConfigError(f'--goal_accuracy has {goal:g}, expected {expected}.')
  if config.num_clients is not None and (config.clients_per_round or 0) > config.num_clients:
    raise ConfigError(
      f'--clients_per_round is {config.clients_per_round}, expected at most --num_clients, '
      f'{config.num_clients}.'
    )
  if config.choices.choose_by == 'validation' and config.validation_fraction == 0:
    raise ConfigError(
      '--validation_fraction is 0, but --protocol=validation chooses models on validation data.'
    )
