"""How clients are sampled."""

import dataclasses
from typing import Any

from tff_lg import samplings
from tff_lg.config import common, task, trouble
from tff_lg.config.option import ConfigError, check_belongs, option, resolved

_COHORT_SHARES = task.say_default(lambda entry: f'{entry.cohort_share:g}')


@dataclasses.dataclass(frozen=True)
class SamplingOptions(trouble.DropoutOptions, common.CommonOptions):
  """The cohorts; None stands for a default that depends on other choices."""

  clients_per_round: int | None = option(
    None,
    'Cohort, m: clients sampled per round; a tenth of the clients by default. If the data '
    f'determine the clients, the share is {_COHORT_SHARES}.',
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
