"""Options of the locally trained models that every client's federated model is compared with."""

import dataclasses
import math
from typing import Any

from tff_lg.config.option import ConfigError, option
from tff_lg.learning.methods import local_only

LOCAL_ONLY = local_only.NAME
BUDGETS = ('best', 'cohort')
NETWORK = 'network'
OWN_MODELS = (NETWORK, 'linear', 'boosting')

# The grid of learning rates depends on the run's own.
_DEFAULTS = {'local_only_epochs': 200, 'local_only_patience': 20}
# Options of the training to the best.
OF_BEST = ('own_models', 'local_only_learning_rate', *_DEFAULTS)


@dataclasses.dataclass(frozen=True)
class OwnModelOptions:
  """How clients train models of their own; None stands for a default or for none."""

  own_models: tuple[str, ...] | None = option(
    None,
    'Models that each client trains alone. The comparison is with the one that has the best metric '
    "on the client's validation data. network: the run's own network; linear: multinomial logistic "
    'regression; boosting: gradient-boosted trees. By default network and, if examples are single '
    'vectors or images with one label, linear.',
    OWN_MODELS,
  )
  local_only_epochs: int | None = option(
    None, "Maximum number of epochs of a client's own network; 200 by default."
  )
  local_only_patience: int | None = option(
    None,
    "A client's own network stops after this many epochs without a lower loss or a better metric "
    'on its validation data; 20 by default.',
  )
  local_only_learning_rate: tuple[float, ...] | None = option(
    None,
    'Learning rates to try for own networks; validation data choose. By default '
    '--client_learning_rate, a third of it and three times it; the grid grows while its best value '
    'is at an end.',
  )


def defaults() -> dict[str, Any]:
  """Returns what options that are None stand for where own models train to their best."""
  return dict(_DEFAULTS)


def without() -> dict[str, Any]:
  """Returns every option as not given, by name."""
  return dict.fromkeys(OF_BEST)


def check(options: OwnModelOptions) -> None:
  """Checks the options' values.

  Args:
    options: as the user gave them.

  Raises:
    ConfigError: a value is out of range or given twice; one sentence.
  """
  for name in ('local_only_epochs', 'local_only_patience'):
    value = getattr(options, name)
    if value is not None and value < 1:
      raise ConfigError(f'--{name} is {value}, expected more than 0.')
  for name in ('own_models', 'local_only_learning_rate'):
    values = getattr(options, name)
    if values is not None and (not values or len(set(values)) < len(values)):
      found = ','.join(map(str, values)) or 'empty'
      raise ConfigError(f'--{name} is {found}, expected one value or more, each once.')
  for rate in options.local_only_learning_rate or ():
    if not 0 < rate < math.inf:
      raise ConfigError(f'--local_only_learning_rate has {rate}, expected more than 0.')


def check_belongs(options: Any, methods: tuple[str, ...]) -> None:
  """Checks that own models are trained, and to their best, where options say how.

  Args:
    options: with `local_budget`, as the user gave them.
    methods: of the run and its baselines.

  Raises:
    ConfigError: an option is given that has no effect; one sentence.
  """
  for name in OF_BEST:
    if getattr(options, name) is None:
      continue
    if LOCAL_ONLY not in methods:
      raise ConfigError(
        f'--{name} is given, but no own models are trained: it belongs to --method={LOCAL_ONLY} or '
        f'--baselines={LOCAL_ONLY}.'
      )
    if options.local_budget != 'best':
      raise ConfigError(
        f'--{name} is given, but --local_budget is {options.local_budget}: it belongs to '
        '--local_budget=best.'
      )


def sends_nothing(config: Any) -> bool:
  """Returns whether the method of a `TrainConfig` leaves no layer global: clients learn alone."""
  return config.local_layer_share == 1


def train_to_best(config: Any) -> bool:
  """Returns whether a `TrainConfig`, resolved or not, has own models that train to their best."""
  baselines = (LOCAL_ONLY,) if config.baselines is None else config.baselines
  is_alone = sends_nothing(config) or LOCAL_ONLY in (config.method, *baselines)
  return is_alone and config.local_budget == 'best'
