"""How clients' updates become one: the aggregator, and its options, made of the entries."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from tff_lg import samplings
from tff_lg.aggregators import AGGREGATORS, PLAIN_MEAN, PRE_AGGREGATION_PREFIX, PRE_AGGREGATORS
from tff_lg.config.entry_options import EntryOptions
from tff_lg.config.option import ConfigError, check_belongs, option
from tff_lg.entries import listed

AGGREGATOR_OPTIONS = EntryOptions(AGGREGATORS, 'aggregator')
PRE_AGGREGATION_OPTIONS = EntryOptions(
  PRE_AGGREGATORS, 'pre_aggregation', prefix=PRE_AGGREGATION_PREFIX
)

_PRIVATE = tuple(name for name, entry in AGGREGATORS.items() if entry.is_private)
# Options of all aggregators that have a trait.
_OF_TRAITS = {
  'adaptive_zeroing': tuple(name for name, entry in AGGREGATORS.items() if entry.fits_zeroing),
  'secure_noise': _PRIVATE,
}
_NOTES = [entry.note for entry in AGGREGATORS.values() if entry.note]
_RULES = tuple(name for name, entry in AGGREGATORS.items() if entry.rule)
_EntryOptions: Any = AGGREGATOR_OPTIONS.make_class()
_PreOptions: Any = PRE_AGGREGATION_OPTIONS.make_class()


@dataclasses.dataclass(frozen=True)
class AggregationOptions(_EntryOptions, _PreOptions):
  """Options of the aggregator; None stands for a default that depends on other choices."""

  aggregator: str = option(
    PLAIN_MEAN,
    ' '.join(["How the server combines the clients' updates.", *_NOTES]),
    tuple(AGGREGATORS),
  )
  pre_aggregation: tuple[str, ...] | None = option(
    None,
    "How the server changes the clients' updates, in this order, before --aggregator sees them. "
    f'{" ".join(f"{n}: {e.does}." for n, e in PRE_AGGREGATORS.items())} None by default.',
    tuple(PRE_AGGREGATORS),
  )
  adaptive_zeroing: bool | None = option(
    None,
    "Replace updates that are far larger than the largest so far by zeros, by TFF's adaptive "
    'zeroing, before --aggregator sees them; not by default.',
  )
  secure_noise: bool = option(
    False,
    f'Draw the noise of --aggregator={listed(_PRIVATE)} from the operating system instead of '
    '--seed, so that the run cannot be repeated. Cohorts still follow from --seed: keep it secret, '
    'as the privacy gain from sampling relies on it.',
  )


def defaults(config: Any) -> dict[str, Any]:
  """Returns the values that options left at None stand for, by name, where they apply."""
  entry = AGGREGATORS[config.aggregator]
  return {
    **AGGREGATOR_OPTIONS.defaults((config.aggregator,)),
    **PRE_AGGREGATION_OPTIONS.defaults(config.pre_aggregation or ()),
    'cohort_sampling': samplings.FIXED_SIZE,
    **entry.defaults(config),
  }


def without() -> dict[str, Any]:
  """Returns every option as a run that aggregates by the mean has it, by name."""
  return {field.name: field.default for field in dataclasses.fields(AggregationOptions)}


def without_cohort(config: Any) -> dict[str, Any]:
  """Returns the options that the cohort determines again, each as None, by name."""
  return dict.fromkeys(name for _, decide in _cohort_options(config) for name in decide)


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
      f'--client_weighting is {config.client_weighting}, but --aggregator={name} weights all '
      'clients equally.'
    )
  if entry.needs_cohort_size and config.cohort_sampling not in (None, samplings.FIXED_SIZE):
    raise ConfigError(
      f'--aggregator={name} needs a number of clients in each round, which '
      f'--cohort_sampling={config.cohort_sampling} does not promise.'
    )
  AGGREGATOR_OPTIONS.check(config, (name,))
  if config.pre_aggregation and entry.rule is None:
    raise ConfigError(
      f'--pre_aggregation is {",".join(config.pre_aggregation)}, but --aggregator={name} sees no '
      f'single updates: it belongs to --aggregator={listed(_RULES)}.'
    )
  PRE_AGGREGATION_OPTIONS.check(config, config.pre_aggregation or (None,))
  if config.secure_noise and config.checkpoint_every != 1:
    raise ConfigError(
      f'--checkpoint_every is {config.checkpoint_every}, but --secure_noise needs 1: a round that '
      'is repeated after a stop would draw other noise, and spend the budget twice.'
    )


def decided_by_cohort(config: Any, clients_per_round: int) -> dict[str, Any]:
  """Decides options that depend on the cohort, by name.

  Raises:
    ConfigError: the cohort does not fit the aggregator.
  """
  decided: dict[str, Any] = {}
  for flag, decide in _cohort_options(config):
    try:
      decided |= {
        name: function(getattr(config, name), clients_per_round)
        for name, function in decide.items()
      }
    except ValueError as error:
      raise ConfigError(f'{flag} {error}') from error
  return decided


def _cohort_options(config: Any) -> list[tuple[str, Mapping[str, Any]]]:
  """Returns what is chosen, as a flag, with its options that the cohort decides, by field."""
  found = [(f'--aggregator={config.aggregator}', AGGREGATORS[config.aggregator].cohort_options)]
  for name in config.pre_aggregation or ():
    decide = PRE_AGGREGATORS[name].cohort_options.items()
    found.append(
      (f'--pre_aggregation={name}', {PRE_AGGREGATION_PREFIX + each: f for each, f in decide})
    )
  return found
