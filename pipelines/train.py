"""Trains clients' models by one method, beside its baselines.

  python -m pipelines.train --task=digits --method=lg_fedavg --rounds=40 --run_dir=runs/try
  python -m pipelines.train --flagfile=pipelines/configs/mnist_lg_fedavg.flags --data_dir=mnist

Writes a run folder with metrics by round, a table of clients, checkpoints and
report.html. The same command again goes on where a stopped run was.
"""

import dataclasses
import os
import sys
import types
import typing
from collections.abc import Sequence
from typing import Any

from absl import flags, logging

from pipelines import launch
from tff_lg import config as config_lib
from tff_lg import environment

_RUN_DIR = flags.DEFINE_string('run_dir', None, 'Folder of this run: made, or gone on with.')
_FAST = flags.DEFINE_bool('fast', False, 'A complete small run on embedded data, in seconds.')


def _define_flag(field: dataclasses.Field) -> flags.FlagHolder[Any]:
  """Makes the flag of one field of the config, by the field's type."""
  choices, help_text = field.metadata['choices'], field.metadata['help']
  field_type = typing.get_type_hints(config_lib.TrainConfig)[field.name]
  if isinstance(field_type, types.UnionType):
    field_type = next(kind for kind in typing.get_args(field_type) if kind is not types.NoneType)
  if typing.get_origin(field_type) is tuple:
    if choices:
      help_text += f' Out of {", ".join(choices)}.'
    default = None if field.default is None else list(field.default)
    return flags.DEFINE_list(field.name, default, help_text)
  if choices:
    return flags.DEFINE_enum(field.name, field.default, choices, help_text)
  define = {
    bool: flags.DEFINE_bool,
    int: flags.DEFINE_integer,
    float: flags.DEFINE_float,
    str: flags.DEFINE_string,
  }[field_type]
  return define(field.name, field.default, help_text)


_CONFIG_FLAGS = {
  field.name: _define_flag(field) for field in dataclasses.fields(config_lib.TrainConfig)
}


def config_from_flags() -> config_lib.TrainConfig:
  """The config that the parsed flags say, resolved.

  Raises:
    config_lib.ConfigError: flags that cannot be, or contradict each other.
  """
  values = {
    name: tuple(holder.value) if isinstance(holder.value, list) else holder.value
    for name, holder in _CONFIG_FLAGS.items()
  }
  config = config_lib.TrainConfig(**values)
  return config_lib.resolve(config_lib.fast(config) if _FAST.value else config)


def main(argv: Sequence[str]) -> None:
  """Checks the flags, then loads, trains and reports."""
  try:
    if len(argv) > 1:
      raise config_lib.ConfigError(f'{argv[1]} is no flag: write --name=value.')
    if not _RUN_DIR.value:
      raise config_lib.ConfigError('--run_dir is missing: name a folder for this run.')
    config = config_from_flags()
    environment.check_environment()
  except (config_lib.ConfigError, environment.UnsupportedEnvironmentError) as error:
    sys.exit(f'train: {error}')

  # TensorFlow takes seconds to import: only once the flags are known to be good.
  from tff_lg import analysis, simulation

  try:
    simulation.set_execution_context(
      config.runtime, config.devices, config.clients_per_device, config.stacked_clients
    )
    simulation.run_experiment(config, _RUN_DIR.value)
  except (ValueError, OSError, simulation.RunError, simulation.CheckpointError) as error:
    logging.debug('Traceback', exc_info=True)
    sys.exit(f'train: {error}')
  except KeyboardInterrupt:
    sys.exit('train: stopped; the same command goes on from the last checkpoint.')
  report = analysis.write_report(_RUN_DIR.value)
  print(f'\n{analysis.comparison_text(_RUN_DIR.value)}')
  print(f'\nReport: {os.path.abspath(report)}')


if __name__ == '__main__':
  launch.run(main)
