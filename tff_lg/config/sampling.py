"""How clients are sampled."""

import dataclasses
from typing import Any

from tff_lg.config import common, task, trouble
from tff_lg.config.option import option, resolved

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
    'fixed_size: cohorts have exactly --clients_per_round clients; poisson: each client takes part '
    'with the same probability, and cohorts have --clients_per_round clients on average. The '
    'default is poisson with --aggregator=dp_mean, whose epsilon it makes far smaller.',
    ('fixed_size', 'poisson'),
  )


def cohort_options(options: SamplingOptions) -> dict[str, Any]:
  """Returns the options of `training.CohortSampler`, by name, where the cohort is decided."""
  return {
    'clients_per_round': resolved(options.clients_per_round),
    'seed': options.seed,
    'sampling': options.cohort_sampling or 'fixed_size',
    'dropout_rate': options.client_dropout_rate,
    'straggler_rate': options.straggler_rate,
  }
