"""Where else the metrics of rounds are sent, beside the run folder."""

import dataclasses
import importlib.util
import sys

from tff_lg.config.option import ConfigError, option

TRACKERS = ('mlflow', 'wandb')


@dataclasses.dataclass(frozen=True)
class TrackingOptions:
  """A tracker of experiments."""

  track: str | None = option(
    None,
    'Also send settings and metrics of each round to MLflow or Weights & Biases, which must be '
    'installed; TensorBoard files are always written.',
    TRACKERS,
  )


def check(options: TrackingOptions) -> None:
  """Refuses a tracker that is not installed.

  Raises:
    ConfigError: one sentence.
  """
  name = options.track
  if name is None or name in sys.modules or importlib.util.find_spec(name) is not None:
    return
  raise ConfigError(
    f'--track is {name}, but the package {name} is not installed: install it into this environment '
    f'(pip install {name}), or leave the flag out.'
  )
