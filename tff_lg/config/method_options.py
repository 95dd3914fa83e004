"""Options of methods, made of the methods' entries; a run has those of its method and baselines."""

import dataclasses
from collections.abc import Collection
from typing import Any

from tff_lg.config.option import ConfigError, check_belongs, option
from tff_lg.learning.methods import METHODS

_BELONGS_TO = {
  each.name: name for name, method in METHODS.items() for each in method.list_options()
}

# A field for each option of each method; None stands for the method's default, or for none.
MethodOptions: Any = dataclasses.make_dataclass(
  'MethodOptions',
  [
    (each.name, each.type | None, option(None, each.help, each.choices))
    for method in METHODS.values()
    for each in method.list_options()
  ],
  frozen=True,
)


def check_names(config_class: type) -> None:
  """Refuses an option of a method that has the name of an option of all runs.

  Args:
    config_class: a dataclass made of `MethodOptions` and others.

  Raises:
    ValueError: there is one; otherwise the two would be one flag.
  """
  others = [each for each in config_class.__mro__ if each is not MethodOptions]
  taken = {name for each in others for name in vars(each).get('__annotations__', ())}
  for name in sorted(taken & set(_BELONGS_TO)):
    raise ValueError(
      f'method {_BELONGS_TO[name]} has the option {name}, which is one of all runs, expected '
      'another name.'
    )


def given(options: Any, method: str) -> dict[str, Any]:
  """Returns the options of a method that are not None, by name."""
  values = {each.name: getattr(options, each.name) for each in METHODS[method].list_options()}
  return {name: value for name, value in values.items() if value is not None}


def defaults(methods: Collection[str]) -> dict[str, Any]:
  """Returns what options that are None stand for, by name, where they apply."""
  options = (each for method in methods for each in METHODS[method].list_options())
  return {each.name: each.default for each in options if each.default is not None}


def without(method: str) -> dict[str, Any]:
  """Returns options that do not belong to the method, each as None, by name."""
  return {name: None for name, owner in _BELONGS_TO.items() if owner != method}


def check(config: Any) -> None:
  """Checks options of methods, and what the methods do not fit.

  Args:
    config: a `TrainConfig`, as the user gave it.

  Raises:
    ConfigError: the first fault; one sentence.
  """
  methods = (config.method, *(config.baselines or ()))
  for name, owner in _BELONGS_TO.items():
    check_belongs(config, (name,), 'method', methods, (owner,))
  for method in methods:
    for sentence in METHODS[method].contradictions(config):
      raise ConfigError(sentence)
    try:
      METHODS[method].options(**given(config, method))
    except ValueError as error:
      raise ConfigError(f'--{error}') from error
