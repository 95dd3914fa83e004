"""How clients are sampled."""

import dataclasses
from typing import Any

from tff_lg import samplings
from tff_lg.config import common, task, trouble
from tff_lg.config.option import ConfigError, check_belongs, option, resolved

DEFAULT_FRACTION = 0.1
_BY_TASK = task.say_default(lambda entry: f'{entry.client_fraction:g}')


@dataclasses.dataclass(frozen=True)
class SamplingOptions(trouble.DropoutOptions, common.CommonOptions):
  """The cohorts; None stands for a default that depends on other choices."""

  clients_per_round: int | None = option(
    None,
    'Cohort, m: clients sampled per round; by default, --client_fraction of them.',
  )
  client_fraction: float | None = option(
    None,
    'Fraction of the clients sampled per round, C of McMahan et al., in (0, 1]; '
    f'{DEFAULT_FRACTION:g} by default. If the data determine the clients, it is {_BY_TASK}.',
  )
  cohort_sampling: str | None = option(
    None,
    f'{"; ".join(f"{name}: {text}" for name, text in samplings.SAMPLINGS.items())}. The default is '
    'poisson with --aggregator=dp_mean, whose epsilon it makes far smaller.',
    tuple(samplings.SAMPLINGS),
  )
  cohort_groups: int | None = option(
    None,
    'Groups of clients that take turns (--cohort_sampling=cyclic_poisson); --dp_bands by default '
    'with --dp_mechanism=banded.',
  )


def cohort_options(options: SamplingOptions) -> dict[str, Any]:
  """Returns the options of `training.CohortSampler`, by name, where the cohort is decided."""
  return {
    'clients_per_round': resolved(options.clients_per_round),
    'seed': options.seed,
    'sampling': options.cohort_sampling or samplings.FIXED_SIZE,
    'cohort_groups': options.cohort_groups,
    'dropout_rate': options.client_dropout_rate,
    'straggler_rate': options.straggler_rate,
  }


def decide_cohort(options: SamplingOptions, num_clients: int, by_default: float) -> int:
  """Returns the size of a cohort.

  Args:
    options: as given, or with the size that this function returned.
    num_clients: that cohorts are drawn from.
    by_default: fraction of the clients, where the options name neither a size nor a fraction.

  Raises:
    ConfigError: both are given and differ.
  """
  given, fraction = options.clients_per_round, options.client_fraction
  if fraction is None and given is not None:
    return given
  size = samplings.size_of_cohort(num_clients, by_default if fraction is None else fraction)
  if given not in (None, size):
    raise ConfigError(
      f'--clients_per_round is {given}, but --client_fraction={fraction:g} of {num_clients} '
      f'clients is {size}, expected only one of the two.'
    )
  return size


def check_groups(config: Any, num_clients: int | None) -> None:
  """Refuses groups of clients without cyclic sampling, the reverse, and groups below a cohort.

  Args:
    config: a `TrainConfig` with its defaults.
    num_clients: that cohorts are drawn from; None where only the data tell.

  Raises:
    ConfigError: the first of them.
  """
  cyclic = samplings.CYCLIC_POISSON
  check_belongs(config, ('cohort_groups',), 'cohort_sampling', config.cohort_sampling, (cyclic,))
  if config.cohort_sampling != cyclic:
    return
  if config.cohort_groups is None:
    raise ConfigError(f'--cohort_sampling={cyclic} needs --cohort_groups.')
  if num_clients is None or config.clients_per_round is None:
    return
  try:
    samplings.check_groups(config.cohort_groups, config.clients_per_round, num_clients)
  except ValueError as error:
    raise ConfigError(f'--{error}') from error
