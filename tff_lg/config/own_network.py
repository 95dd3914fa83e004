"""A network of the user's own, `--model=my_module:build`: which choices it fits."""

from typing import Any

from tff_lg.config.option import ConfigError
from tff_lg.entries import listed
from tff_lg.tasks import TASKS
from tff_lg.tasks import is_own_network as is_own

# Whose examples are features and one label, without sequences or a second input.
_FITTING = tuple(name for name, entry in TASKS.items() if entry.fits_functions)


def check(config: Any) -> None:
  """Refuses a function's name that cannot be, and what a network of one's own does not fit.

  Args:
    config: a `TrainConfig`, as the user gave it.

  Raises:
    ConfigError: the first fault; one sentence.
  """
  if not is_own(config.model):
    return
  module, _, function = config.model.partition(':')
  conflicts = (
    (
      not function.isidentifier() or not all(map(str.isidentifier, module.split('.'))),
      'expected a module and its function, such as my_module:build.',
    ),
    (
      config.task not in _FITTING,
      f'but --task={config.task} has networks of its own: a function '
      f'belongs to --task={listed(_FITTING)}.',
    ),
    (
      config.protocol != 'validation',
      f'but --protocol={config.protocol} has the networks of the LG-FedAvg reference code.',
    ),
    (config.auxiliary is not None, f'but --auxiliary={config.auxiliary} fits our networks alone.'),
  )
  for found, sentence in conflicts:
    if found:
      raise ConfigError(f'--model is {config.model}, {sentence}')
