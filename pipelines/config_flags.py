"""The flags of a training run: one for each field of `TrainConfig`, so that there is one list."""

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

from absl import flags

from tff_lg import config as config_lib

Holders = Mapping[str, flags.FlagHolder[Any]]

_FAST = 'fast'

# The flags are of the program that defines them: its --help is to show them.
flags.disclaim_key_flags()


def define(values: flags.FlagValues = flags.FLAGS) -> Holders:
  """Defines the flags; a program does so once, when it is imported."""
  holders = {
    field.name: _define(field, values) for field in dataclasses.fields(config_lib.TrainConfig)
  }
  holders[_FAST] = flags.DEFINE_bool(
    _FAST, False, 'A complete small run on embedded data, in seconds.', flag_values=values
  )
  return holders


def read(holders: Holders) -> config_lib.TrainConfig:
  """The config that the flags say, resolved.

  Raises:
    config_lib.ConfigError: flags that cannot be, or contradict each other.
  """
  values = {name: holder.value for name, holder in holders.items()}
  is_fast = values.pop(_FAST)
  for field in dataclasses.fields(config_lib.TrainConfig):
    if isinstance(values[field.name], list):
      values[field.name] = _as_tuple(field, values[field.name])
  config = config_lib.TrainConfig(**values)
  return config_lib.resolve(config_lib.fast(config) if is_fast else config)


def parse(arguments: Sequence[str]) -> config_lib.TrainConfig:
  """The config that a command line says, whatever this program's own flags are.

  Args:
    arguments: flags as after `python -m pipelines.train`, `--flagfile` too, without
      `--run_dir`.

  Returns:
    The config, resolved.

  Raises:
    flags.Error: an unknown flag or a value of the wrong type.
    config_lib.ConfigError: flags that cannot be, or contradict each other.
  """
  values = flags.FlagValues()
  holders = define(values)
  _, *rest = values(['train', *arguments])
  if rest:
    raise config_lib.ConfigError(f'{rest[0]} is no flag: write --name=value.')
  return read(holders)


def _define(field: dataclasses.Field, values: flags.FlagValues) -> flags.FlagHolder[Any]:
  """Makes the flag of one field, by the field's type."""
  choices, help_text = field.metadata['choices'], field.metadata['help']
  field_type = _field_type(field)
  if typing.get_origin(field_type) is tuple:
    if choices:
      help_text += f' Out of {", ".join(choices)}.'
    default = None if field.default is None else list(field.default)
    return flags.DEFINE_list(field.name, default, help_text, flag_values=values)
  if choices:
    return flags.DEFINE_enum(field.name, field.default, choices, help_text, flag_values=values)
  define_flag = {
    bool: flags.DEFINE_bool,
    int: flags.DEFINE_integer,
    float: flags.DEFINE_float,
    str: flags.DEFINE_string,
  }[field_type]
  return define_flag(field.name, field.default, help_text, flag_values=values)


def _field_type(field: dataclasses.Field) -> Any:
  """The field's type, without None."""
  field_type = typing.get_type_hints(config_lib.TrainConfig)[field.name]
  if isinstance(field_type, types.UnionType):
    return next(kind for kind in typing.get_args(field_type) if kind is not types.NoneType)
  return field_type


def _as_tuple(field: dataclasses.Field, values: list[str]) -> tuple:
  element_type, _ = typing.get_args(_field_type(field))
  try:
    return tuple(map(element_type, values))
  except ValueError as error:
    raise config_lib.ConfigError(
      f'--{field.name} is {",".join(values)}, expected numbers such as 64,64.'
    ) from error
