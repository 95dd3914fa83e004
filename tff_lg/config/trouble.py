"""What goes wrong among the clients of a simulated run: attacks, dropouts, stragglers."""

import dataclasses
from typing import Any

from tff_lg.config.option import ConfigError, option

ATTACKS = ('label_flip', 'sign_flip', 'gaussian_noise', 'little_is_enough', 'backdoor')


@dataclasses.dataclass(frozen=True)
class TroubleOptions:
  """Options of attacks and of ordinary trouble; None stands for a default or for none."""

  attack: str | None = option(
    None, 'What malicious clients do; by default there are none.', ATTACKS
  )
  malicious_share: float | None = option(
    None, 'Share of all clients that are malicious (--attack); 0.1 by default.'
  )
  attack_strength: float | None = option(
    None, "How strong the attack is, in the attack's own unit; its paper's by default."
  )
  client_dropout_rate: float = option(
    0.0, 'Probability that a sampled client drops out of its round and sends nothing.'
  )
  straggler_rate: float = option(
    0.0, 'Probability that a sampled client finishes only a part of its steps, drawn uniformly.'
  )


def defaults(options: TroubleOptions) -> dict[str, Any]:
  """What options that are None stand for, by name, where they apply."""
  return {'malicious_share': 0.1} if options.attack else {}


def without() -> dict[str, Any]:
  """Every option as it is in a run without trouble, by name."""
  return {field.name: field.default for field in dataclasses.fields(TroubleOptions)}


def check(options: TroubleOptions) -> None:
  """Refuses options that cannot be.

  Raises:
    ConfigError: the first of them.
  """
  for name in ('malicious_share', 'attack_strength'):
    if getattr(options, name) is not None and options.attack is None:
      raise ConfigError(f'--{name} is given, but there is no --attack.')
  if options.attack == 'label_flip' and options.attack_strength is not None:
    raise ConfigError('--attack_strength is given, but --attack=label_flip has no strength.')
  if options.attack_strength is not None and options.attack_strength <= 0:
    raise ConfigError(f'--attack_strength is {options.attack_strength}, expected more than 0.')
  if options.malicious_share is not None and not 0 <= options.malicious_share < 1:
    raise ConfigError(f'--malicious_share is {options.malicious_share}, expected in [0, 1).')
  for name in ('client_dropout_rate', 'straggler_rate'):
    if not 0 <= getattr(options, name) < 1:
      raise ConfigError(f'--{name} is {getattr(options, name)}, expected in [0, 1).')
