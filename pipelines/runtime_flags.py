"""The flags of a runtime, for pipelines that don't make theirs of `TrainConfig`."""

from absl import flags

from pipelines import config_flags
from tff_lg import config as config_lib

_HOLDERS = config_flags.define_options(config_lib.RuntimeOptions, flags.FLAGS)


def read() -> config_lib.RuntimeOptions:
  """Returns the runtime that the flags name, for `simulation.set_execution_context`.

  Raises:
    config_lib.ConfigError: flags that cannot be, or contradict each other.
  """
  options = config_flags.read_options(config_lib.RuntimeOptions, _HOLDERS)
  config_lib.check_runtime(options)
  return options
