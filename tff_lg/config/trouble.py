"""Failures among the clients of a simulated run: attacks, dropouts, stragglers."""

import dataclasses
from typing import Any

from tff_lg.attacks import ATTACKS
from tff_lg.config.entry_options import EntryOptions
from tff_lg.config.option import ConfigError, option

ATTACK_OPTIONS = EntryOptions(ATTACKS, 'attack')
_EntryOptions: Any = ATTACK_OPTIONS.make_class()


@dataclasses.dataclass(frozen=True)
class AttackOptions(_EntryOptions):
  """Options of attacks; None stands for a default or for none."""

  attack: str | None = option(None, 'Attack by malicious clients; none by default.', tuple(ATTACKS))
  malicious_share: float | None = option(
    None, 'Share of all clients that are malicious (--attack); 0.1 by default.'
  )


@dataclasses.dataclass(frozen=True)
class DropoutOptions:
  """Ordinary trouble: sampled clients that send nothing, or too little."""

  client_dropout_rate: float = option(
    0.0, 'Probability that a sampled client drops out of its round and sends nothing.'
  )
  straggler_rate: float = option(
    0.0, 'Probability that a sampled client finishes only a part of its steps, drawn uniformly.'
  )


def defaults(options: Any) -> dict[str, Any]:
  """Returns the values that options left at None stand for, by name, where they apply."""
  if options.attack is None:
    return {}
  return {'malicious_share': 0.1, **ATTACK_OPTIONS.defaults((options.attack,))}


def without() -> dict[str, Any]:
  """Returns every option as a run without trouble has it, by name."""
  fields = (*dataclasses.fields(AttackOptions), *dataclasses.fields(DropoutOptions))
  return {field.name: field.default for field in fields}


def check(options: Any) -> None:
  """Refuses options that cannot be, and what the attack does not fit.

  Args:
    options: a `TrainConfig`, as the user gave it.

  Raises:
    ConfigError: the first of them.
  """
  if options.malicious_share is not None and options.attack is None:
    raise ConfigError('--malicious_share is given, but there is no --attack.')
  ATTACK_OPTIONS.check(options, (options.attack,))
  if options.malicious_share is not None and not 0 <= options.malicious_share < 1:
    raise ConfigError(f'--malicious_share is {options.malicious_share}, expected in [0, 1).')
  for name in ('client_dropout_rate', 'straggler_rate'):
    if not 0 <= getattr(options, name) < 1:
      raise ConfigError(f'--{name} is {getattr(options, name)}, expected in [0, 1).')
