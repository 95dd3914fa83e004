"""The choices of the experiment on mixtures of two models, one field each; flags are made of it."""

import dataclasses

from tff_lg.config.option import ConfigError, check_values, option


@dataclasses.dataclass(frozen=True)
class MixingConfig:
  """The choices of a run; defaults are the paper's, where it states them.

  Raises:
    ConfigError: the first choice that cannot be, in one sentence.
  """

  data_dir: str | None = option(
    None, 'Folder with the files of MNIST; the embedded digits by default.', is_path=True
  )
  epochs: int = option(20, 'Epochs that each client trains.')
  learning_rate: float = option(0.1, 'Learning rate of SGD.')
  num_points: int = option(50, 'Number of mixing weights, equally far apart from -0.2 to 1.2.')
  seed: int = option(0, 'Seed of the draw of examples, initial weights and batches.')

  def __post_init__(self) -> None:
    check_values(self)
    for name, least in (('epochs', 1), ('num_points', 2), ('seed', 0)):
      if getattr(self, name) < least:
        raise ConfigError(f'--{name} is {getattr(self, name)}, expected {least} or more.')
    if self.learning_rate <= 0:
      raise ConfigError(f'--learning_rate is {self.learning_rate}, expected more than 0.')


def fast_mixing(config: MixingConfig) -> MixingConfig:
  """Returns a config of two epochs and eight mixing weights at most."""
  return dataclasses.replace(
    config, epochs=min(config.epochs, 2), num_points=min(config.num_points, 8)
  )
