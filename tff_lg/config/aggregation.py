"""How clients' updates become one: the aggregator, and its options, made of the entries."""

import dataclasses
from typing import Any

from tff_lg.aggregators import AGGREGATORS, PLAIN_MEAN
from tff_lg.config.entry_options import EntryOptions
from tff_lg.config.option import ConfigError, check_belongs, option
from tff_lg.entries import listed

AGGREGATOR_OPTIONS = EntryOptions(AGGREGATORS, 'aggregator')

_PRIVATE = tuple(name for name, entry in AGGREGATORS.items() if entry.is_private)
# Options of all aggregators that have a trait.
_OF_TRAITS = {
  'adaptive_zeroing': tuple(name for name, entry in AGGREGATORS.items() if entry.fits_zeroing),
  'secure_noise': _PRIVATE,
}
_NOTES = [entry.note for entry in AGGREGATORS.values() if entry.note]
_EntryOptions: Any = AGGREGATOR_OPTIONS.make_class()


@dataclasses.dataclass(frozen=True)
class AggregationOptions(_EntryOptions):
  """Options of the aggregator; None stands for a default that depends on other choices."""

  aggregator: str = option(
    PLAIN_MEAN,
    ' '.join(["How the server combines the clients' updates.", *_NOTES]),
    tuple(AGGREGATORS),
  )
  adaptive_zeroing: bool | None = option(
    None,
    "Replace updates that are far larger than the largest so far by zeros, by TFF's adaptive "
    'zeroing, before --aggregator sees them; not by default.',
  )
  secure_noise: bool = option(
    False,
    f'Draw the noise of --aggregator={listed(_PRIVATE)} from the operating system instead of '
    '--seed, so that the run cannot be repeated. Cohorts are still those of --seed: keep it '
    'secret, as the gain from sampling counts on it.',
  )


def defaults(config: Any) -> dict[str, Any]:
  """Returns the values that options left at None stand for, by name, where they apply."""
  entry = AGGREGATORS[config.aggregator]
  return {
    **AGGREGATOR_OPTIONS.defaults((config.aggregator,)),
    'cohort_sampling': 'fixed_size',
    **entry.defaults(config),
  }


def without() -> dict[str, Any]:
  """Every option as it is in a run that aggregates by the mean, by name."""
  return {field.name: field.default for field in dataclasses.fields(AggregationOptions)}


def without_cohort(config: Any) -> dict[str, Any]:
  """Returns the options that the cohort determines again, each as None, by name."""
  return dict.fromkeys(AGGREGATORS[config.aggregator].cohort_options)


def check(config: Any) -> None:
  """Refuses options that contradict each other, and what the aggregator does not fit.

  Args:
    config: a `TrainConfig`, as the user gave it.

  Raises:
    ConfigError: the first of them.
  """
  name, entry = config.aggregator, AGGREGATORS[config.aggregator]
  for trait_option, owners in _OF_TRAITS.items():
    if getattr(config, trait_option):
      check_belongs(config, (trait_option,), 'aggregator', name, owners)
  if not entry.takes_weights and config.client_weighting not in (None, 'uniform'):
    raise ConfigError(
      f'--client_weighting is {config.client_weighting}, but --aggregator={name} counts all '
      'clients alike.'
    )
  if entry.needs_cohort_size and config.cohort_sampling == 'poisson':
    raise ConfigError(
      f'--aggregator={name} needs a number of clients in each round, which '
      '--cohort_sampling=poisson does not promise.'
    )
  AGGREGATOR_OPTIONS.check(config, (name,))
  if config.secure_noise and config.checkpoint_every != 1:
    raise ConfigError(
      f'--checkpoint_every is {config.checkpoint_every}, but --secure_noise needs 1: a round that '
      'is run again after a stop would have other noise, and spend twice.'
    )


def decided_by_cohort(config: Any, clients_per_round: int) -> dict[str, Any]:
  """Decides options that depend on the cohort, by name.

  Raises:
    ConfigError: the cohort does not fit the aggregator.
  """
  decide = AGGREGATORS[config.aggregator].cohort_options
  try:
    return {
      name: function(getattr(config, name), clients_per_round) for name, function in decide.items()
    }
  except ValueError as error:
    raise ConfigError(f'--aggregator={config.aggregator} {error}') from error
