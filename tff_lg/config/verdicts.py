"""Options of the verdicts: which clients are said to be better or worse off."""

import dataclasses

from tff_lg.config.option import ConfigError, option

_DEFAULT = 0.05


@dataclasses.dataclass(frozen=True)
class VerdictOptions:
  """Options of the verdicts; None stands for a default."""

  false_discovery_rate: float | None = option(
    None,
    'Largest expected share of wrong calls among the clients called better or worse (Benjamini '
    'and Hochberg); the others are undecided. 0.05 by default.',
  )

  @property
  def level(self) -> float:
    """The false discovery rate, with the default in place of None."""
    return _DEFAULT if self.false_discovery_rate is None else self.false_discovery_rate


def check(options: VerdictOptions) -> None:
  """Checks the options' values.

  Args:
    options: as the user gave them.

  Raises:
    ConfigError: the rate is out of range; one sentence.
  """
  rate = options.false_discovery_rate
  if rate is not None and not 0 < rate < 1:
    raise ConfigError(f'--false_discovery_rate is {rate}, expected more than 0 and less than 1.')
