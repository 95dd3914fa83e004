"""The flags of a run: one for each field of its config, so that there is one list."""

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from absl import flags

from pipelines import outside, path_flags
from tff_lg import config as config_lib

if TYPE_CHECKING:
  from _typeshed import DataclassInstance

Holders = Mapping[str, flags.FlagHolder[Any]]

_Config = TypeVar('_Config', bound='DataclassInstance')

_FAST = 'fast'

# The flags are of the program that defines them: its --help is to show them.
flags.disclaim_key_flags()


def define(
  values: flags.FlagValues = flags.FLAGS,
  config_class: type = config_lib.TrainConfig,
  fast_help: str = 'A complete small run on embedded data, in seconds.',
) -> Holders:
  """Defines the flags of a config; a program does so once, when it is imported."""
  outside.define(values)
  holders = define_options(config_class, values)
  holders[_FAST] = flags.DEFINE_bool(_FAST, False, fast_help, flag_values=values)
  return holders


def define_options(config_class: type, values: flags.FlagValues) -> dict[str, flags.FlagHolder]:
  """Defines the flags of options that have no fast form, for `read_options`."""
  return {
    field.name: _define(field, config_class, values) for field in dataclasses.fields(config_class)
  }


def read(holders: Holders) -> config_lib.TrainConfig:
  """Returns the config of a training run that the flags say, resolved.

  Raises:
    config_lib.ConfigError: flags that cannot be, or contradict each other.
  """
  return config_lib.resolve(read_as(config_lib.TrainConfig, holders, config_lib.fast))


def read_as(
  config_class: type[_Config], holders: Holders, fast: Callable[[_Config], _Config]
) -> _Config:
  """Returns the config that the flags say, unresolved.

  Args:
    config_class: that `define` made the flags of.
    holders: the flags.
    fast: what --fast makes of the config.

  Raises:
    config_lib.ConfigError: flags that cannot be.
  """
  config = read_options(config_class, holders)
  return fast(config) if holders[_FAST].value else config


def read_options(config_class: type[_Config], holders: Holders) -> _Config:
  """Returns the options that the flags say, unresolved.

  Raises:
    config_lib.ConfigError: flags that cannot be.
  """
  values = {field.name: holders[field.name].value for field in dataclasses.fields(config_class)}
  for field in dataclasses.fields(config_class):
    if isinstance(values[field.name], list):
      values[field.name] = _as_tuple(field, config_class, values[field.name])
  return config_class(**values)


def parse(
  arguments: Sequence[str],
  config_class: type = config_lib.TrainConfig,
  read_holders: Callable[[Holders], Any] | None = None,
) -> Any:
  """Returns the config that a command line says, whatever this program's own flags are.

  Args:
    arguments: flags as after `python -m pipelines.train`, `--flagfile` too, without
      `--run_dir`.
    config_class: what the flags are made of.
    read_holders: what makes a config of them; `read` by default.

  Returns:
    The config; of a training run resolved.

  Raises:
    flags.Error: an unknown flag or a value of the wrong type.
    config_lib.ConfigError: flags that cannot be, or contradict each other.
  """
  values = flags.FlagValues()
  holders = define(values, config_class)
  _, *rest = values(['pipeline', *arguments])
  if rest:
    raise config_lib.ConfigError(f'Unexpected argument {rest[0]!r}; use --name=value.')
  return (read_holders or read)(holders)


def _define(
  field: dataclasses.Field, config_class: type, values: flags.FlagValues
) -> flags.FlagHolder[Any]:
  """Makes the flag of one field, by the field's type."""
  choices, help_text = field.metadata['choices'], field.metadata['help']
  field_type = _field_type(field, config_class)
  is_path = field.metadata['is_path']
  default: Any = field.default
  if typing.get_origin(field_type) is tuple:
    if choices:
      help_text += f' Out of {", ".join(choices)}.'
    of_list = None if default is None else list(default)
    define_list = path_flags.define_list if is_path else flags.DEFINE_list
    return define_list(field.name, of_list, help_text, flag_values=values)
  if choices:
    return flags.DEFINE_enum(field.name, default, choices, help_text, flag_values=values)
  define_flags: Mapping[type, Callable[..., flags.FlagHolder[Any]]] = {
    bool: flags.DEFINE_bool,
    int: flags.DEFINE_integer,
    float: flags.DEFINE_float,
    str: path_flags.define if is_path else flags.DEFINE_string,
  }
  return define_flags[field_type](field.name, default, help_text, flag_values=values)


@functools.cache
def _types(config_class: type) -> dict[str, Any]:
  """Returns the types of a config's fields by name, which take a moment to resolve."""
  return typing.get_type_hints(config_class)


def _field_type(field: dataclasses.Field, config_class: type) -> Any:
  """Returns the field's type, without None."""
  field_type = _types(config_class)[field.name]
  if isinstance(field_type, types.UnionType):
    return next(kind for kind in typing.get_args(field_type) if kind is not types.NoneType)
  return field_type


def _as_tuple(field: dataclasses.Field, config_class: type, values: list[str]) -> tuple:
  element_type, _ = typing.get_args(_field_type(field, config_class))
  try:
    return tuple(map(element_type, values))
  except ValueError as error:
    raise config_lib.ConfigError(
      f'--{field.name} is {",".join(values)}, expected numbers such as 64,64.'
    ) from error
