"""A run that picks the split of its layers itself, `--global_layers=auto`: what it fits."""

from typing import Any

from tff_lg import tasks
from tff_lg.aggregators import AGGREGATORS
from tff_lg.config import entry_options
from tff_lg.config.option import ConfigError

# In place of names in `global_layers`.
AUTO = ('auto',)
# For which a split is tried, if the run has as many.
_ROUNDS = 20


def defaults(config: Any) -> dict[str, Any]:
  """Returns the values that options left at None stand for, by name, where they apply."""
  return {'auto_rounds': min(_ROUNDS, config.rounds)} if config.picks_split else {}


def check(config: Any) -> None:
  """Refuses options that cannot be, and what a choice of the split does not fit.

  Args:
    config: a `TrainConfig`, as the user gave it.

  Raises:
    ConfigError: the first of them.
  """
  if not config.picks_split:
    if config.auto_rounds is not None:
      raise ConfigError('--auto_rounds is given, but it belongs to --global_layers=auto.')
    return
  network = tasks.NETWORKS.get(config.model or '')
  has_shifts = network is not None and network.conditioning is not None
  refused = (
    (
      'global_layers' not in entry_options.METHOD_OPTIONS.given(config, config.method),
      f'--method is {config.method}: only --method=lg_fedavg has a split to pick.',
    ),
    (
      has_shifts,
      f"--model={config.model} has the client's shifts as its local part: nothing is left to pick.",
    ),
    (
      config.warm_start_rounds < 1,
      'the variances are estimated at the weights after a warm start, expected '
      f'--warm_start_rounds of 1 or more, found {config.warm_start_rounds}.',
    ),
    (
      config.choices.choose_by != 'validation',
      f'the split is picked on validation data, but {config.lack_of_validation}.',
    ),
    (
      config.auxiliary is not None,
      f'--auxiliary={config.auxiliary} needs the first layers local, which no estimate promises.',
    ),
    (
      AGGREGATORS[config.aggregator].is_private,
      f'--aggregator={config.aggregator} does not cover what the choice learns from the clients.',
    ),
    (
      config.attack is not None,
      f'--attack={config.attack} would influence the choice: name the layers.',
    ),
    (
      config.auto_rounds is not None and config.auto_rounds < 1,
      f'--auto_rounds is {config.auto_rounds}, expected more than 0.',
    ),
  )
  for found, sentence in refused:
    if found:
      raise ConfigError(f'--global_layers=auto: {sentence}')
