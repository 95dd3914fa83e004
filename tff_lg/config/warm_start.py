"""A warm start that another run has trained: what it does not fit, and which settings it shares."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tff_lg import differences, errors
from tff_lg.aggregators import AGGREGATORS
from tff_lg.client_states import CLIENT_STORES
from tff_lg.config import derived, optimization
from tff_lg.config.option import ConfigError, resolved
from tff_lg.config.train_config import WITHOUT_EFFECT, TrainConfig
from tff_lg.config.verdicts import VerdictOptions

# The method of the rounds before the method's own.
WARM_START_METHOD = 'fedavg'

# Settings on which no bit of a round depends.
_OPEN = {
  *WITHOUT_EFFECT,
  *('checkpoint_every', 'local_budget'),
  *(field.name for field in dataclasses.fields(VerdictOptions)),
}


class WarmStartSource(NamedTuple):
  """A finished run whose rounds a warm start takes over.

  Attributes:
    folder: of the run.
    config: of the run, resolved, with the learning rate that it has tuned.
    num_rounds: of its newest checkpoint; 0 without one.
  """

  folder: str
  config: TrainConfig
  num_rounds: int


def check(config: TrainConfig) -> None:
  """Refuses --warm_start_from beside what it does not fit.

  Args:
    config: as the user gave it.

  Raises:
    ConfigError: the first fault; one sentence.
  """
  for is_fault, sentence in _faults(config) if config.warm_start_from is not None else ():
    if is_fault:
      raise ConfigError(f'--warm_start_from is given, but {sentence}.')


def _faults(config: TrainConfig) -> Iterator[tuple[bool, str]]:
  """Yields why a config cannot take over the rounds of another run."""
  yield (
    config.warm_start_rounds < 1,
    f'--warm_start_rounds is {config.warm_start_rounds}, expected the rounds of FedAvg before '
    'those of --method',
  )
  yield (
    AGGREGATORS[config.aggregator].is_private,
    f'--aggregator is {config.aggregator}, whose budget is for all rounds of a run',
  )
  yield (
    CLIENT_STORES[config.client_store].needs_folder,
    f'--client_store is {config.client_store}, which keeps states outside checkpoints',
  )
  yield config.tune != 'none', f'--tune is {config.tune}, which trains with several learning rates'
  yield config.track is not None, '--track is given, and would miss the rounds of that run'
  yield config.picks_split, '--global_layers=auto is given, which trains a warm start of its own'


def find_baseline(config: TrainConfig) -> str | None:
  """Returns the baseline whose first rounds are those of the warm start, to the bit; or None.

  Args:
    config: resolved.
  """
  differs = (
    config.warm_start_from is not None
    or any(fault for fault, _ in _faults(config))
    or optimization.needs_num_rounds(config)
    # A phase ends with an evaluation.
    or config.warm_start_rounds % config.evaluate_every
    # They may end the baseline earlier.
    or any((config.warm_start_until, config.rounds_until, config.early_stopping_rounds))
  )
  is_there = WARM_START_METHOD in resolved(config.baselines)
  return WARM_START_METHOD if is_there and not differs else None


def check_source(config: TrainConfig, source: WarmStartSource | None) -> None:
  """Refuses a run whose rounds are not those that the warm start would train.

  Args:
    config: resolved, of the run with the warm start.
    source: the run; nothing is refused without one.

  Raises:
    ConfigError: another method, other settings, or too many rounds; one sentence.
  """
  if source is None:
    return
  allowed, different = config.warm_start_rounds, _differences(config, source.config)
  told = [f'{name} is {there} there, {here} here' for name, (there, here) in different.items()]
  newest = source.num_rounds
  found = f'has trained {newest} rounds' if newest else 'has no checkpoint'
  faults = (
    (
      source.config.method != WARM_START_METHOD,
      f'is a run of --method={source.config.method}, expected {WARM_START_METHOD}',
    ),
    (
      told,
      f'has other settings ({errors.list_some(told)}), expected those of this run',
    ),
    (
      not 0 < newest <= allowed,
      f'{found}, expected from 1 to --warm_start_rounds, {allowed}',
    ),
  )
  for is_fault, sentence in faults:
    if is_fault:
      raise ConfigError(f'--warm_start_from={source.folder} {sentence}.')


def _differences(config: TrainConfig, source: TrainConfig) -> Mapping[str, tuple[Any, Any]]:
  """Returns what the rounds of FedAvg have set otherwise: there and here, by option."""
  here = dataclasses.replace(
    derived.as_baseline(config, WARM_START_METHOD),
    rounds=config.warm_start_rounds,
    rounds_until=config.warm_start_until,
    early_stopping_rounds=None,  # It ends the rounds of the method alone.
  )
  there = derived.as_baseline(source, WARM_START_METHOD)
  open_names = set(_OPEN)
  if not optimization.needs_num_rounds(config):
    open_names.add('rounds')
  if config.clients_per_round is None:  # It is open until the data are loaded.
    open_names.add('clients_per_round')
  return differences.find(dataclasses.asdict(there), dataclasses.asdict(here), open_names)
