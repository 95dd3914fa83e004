"""A field of a config with what its flag says; and what is wrong with one."""

import dataclasses
import functools
import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from tff_lg.entries import listed

_Value = TypeVar('_Value')
_Group = TypeVar('_Group')


class ConfigError(ValueError):
  """A flag that cannot be, or two that contradict each other; one sentence."""


def option(
  default: Any,
  help_text: str,
  choices: tuple[str, ...] | None = None,
  *,
  is_path: bool = False,
) -> Any:
  """Returns a field of a config dataclass.

  Args:
    default: its value, None for one that depends on other choices.
    help_text: of the flag.
    choices: the values that it may have, if they are a few names.
    is_path: whether it names a file or folder, or several.

  Returns:
    The field.
  """
  metadata = {'help': help_text, 'choices': choices, 'is_path': is_path}
  return dataclasses.field(default=default, metadata=metadata)


def group(cls: type[_Group]) -> functools.cached_property[_Group]:
  """Returns a property of a config: the options of one of its groups, as a value.

  Args:
    cls: a dataclass of options, from which the config's class inherits.

  Returns:
    The property, made of the config's fields when it is first asked for.
  """
  names = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
  return functools.cached_property(
    lambda config: cls(**{name: getattr(config, name) for name in names})
  )


def resolved(value: _Value | None) -> _Value:
  """Returns the value of an option that is decided by now.

  Raises:
    TypeError: it is None: the config is not resolved, or the option is of another choice.
  """
  if value is None:
    raise TypeError('An option is None, expected one of a resolved config that the run has.')
  return value


def check_values(config: Any) -> None:
  """Refuses a value that is none of its field's choices, and a number that is not finite.

  Args:
    config: a dataclass of fields made by `option`.

  Raises:
    ConfigError: the first such value.
  """
  for field in dataclasses.fields(config):
    choices, value = field.metadata['choices'], getattr(config, field.name)
    check_finite(field.name, value)
    for item in value if isinstance(value, tuple) else (value,):
      if choices and item is not None and item not in choices:
        raise ConfigError(f'--{field.name} is {item}, expected one of {", ".join(choices)}.')


def check_finite(name: str, value: Any) -> None:
  """Refuses an option of this name if its value, or one in a tuple, is infinite or NaN.

  Raises:
    ConfigError: it is.
  """
  for item in value if isinstance(value, tuple) else (value,):
    if isinstance(item, float) and not math.isfinite(item):
      raise ConfigError(f'--{name} is {item}, expected a finite number.')


def check_belongs(
  options: Any,
  names: Iterable[str],
  choice: str,
  chosen: str | Sequence[str | None],
  needed: Sequence[str],
  found: str | None = None,
) -> None:
  """Refuses options that are given without the choice that they belong to.

  Args:
    options: a dataclass of fields made by `option`; those that are None are not given.
    names: of the options.
    choice: name of the other option, such as `task`.
    chosen: its value, None for none; where there are several, the first is what the sentence says.
    needed: its values, one of which the options belong to.
    found: its value as the sentence has it, if it is not the first.

  Raises:
    ConfigError: the first such option.
  """
  values = (chosen,) if isinstance(chosen, str) else tuple(chosen)
  for name in names:
    if getattr(options, name) is not None and not set(values) & set(needed):
      value = found or values[0]
      what = f'there is no --{choice}' if value is None else f'--{choice} is {value}'
      raise ConfigError(
        f'--{name} is given, but {what}: it belongs to --{choice}={listed(needed)}.'
      )
