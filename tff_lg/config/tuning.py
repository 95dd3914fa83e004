"""Options of the choice of a learning rate on validation data."""

import dataclasses
import math
from typing import Any

from tff_lg.aggregators import AGGREGATORS
from tff_lg.config.option import ConfigError, option

TUNINGS = ('none', 'validation')


@dataclasses.dataclass(frozen=True)
class TuningOptions:
  """Options of the choice; None stands for a default."""

  tune: str = option(
    'none',
    'validation: choose --client_learning_rate of the method and of each baseline. There is a '
    'whole run with each rate, in RUN_DIR/tuning; the best mean validation metric over clients '
    'wins.',
    TUNINGS,
  )
  tuned_learning_rates: tuple[float, ...] | None = option(
    None,
    'Rates to choose from (--tune=validation). By default --client_learning_rate, a third of it '
    'and three times it; the grid grows while its best value is at an end.',
  )


def check(config: Any) -> None:
  """Checks the options and what they do not fit.

  Args:
    config: a `TrainConfig`, as the user gave it.

  Raises:
    ConfigError: the first fault; one sentence.
  """
  rates = config.tuned_learning_rates
  if config.tune == 'none':
    if rates is not None:
      raise ConfigError('--tuned_learning_rates is given, but it belongs to --tune=validation.')
    return
  if rates is not None and (not rates or len(set(rates)) < len(rates)):
    found = ','.join(map(str, rates)) or 'empty'
    raise ConfigError(f'--tuned_learning_rates is {found}, expected one rate or more, each once.')
  for rate in rates or ():
    if not 0 < rate < math.inf:
      raise ConfigError(f'--tuned_learning_rates has {rate}, expected more than 0.')
  if AGGREGATORS[config.aggregator].is_private:
    raise ConfigError(
      f'--tune=validation does not fit --aggregator={config.aggregator}: every trial would spend '
      'privacy that no budget counts; choose the rate on public data.'
    )
  if config.choices.choose_by != 'validation':
    raise ConfigError(
      f'--tune=validation chooses on validation data, but {config.lack_of_validation}.'
    )
