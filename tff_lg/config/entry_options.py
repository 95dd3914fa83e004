"""Options that a config has from entries: its fields, what they stand for, what they fit."""

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import attrs

from tff_lg import entries
from tff_lg.config.option import ConfigError, check_belongs, option
from tff_lg.learning.methods import METHODS


def _own_default(name: str, field: attrs.Attribute) -> Any:
  del name
  return field.default


@dataclasses.dataclass(frozen=True)
class EntryOptions:
  """The options of a registry's entries in a config; None stands for the default, or for none.

  Attributes:
    registry: of the entries.
    flag: that chooses one, or several.
    prefix: that an option's field has before its name.
    default: (name of an entry, field) -> the default of an option.
    keeps_defaults: whether a field has the option's default, instead of None.
  """

  registry: entries.Registry[Any]
  flag: str
  prefix: str = ''
  default: Callable[[str, attrs.Attribute], Any] = _own_default
  keeps_defaults: bool = False

  def make_class(self) -> Any:
    """Makes a dataclass with a field for each option, for configs to inherit from."""
    fields = [
      (
        self.prefix + each.name,
        each.type if self.keeps_defaults else each.type | None,
        option(self._field_default(each), each.help, each.choices, is_path=each.is_path),
      )
      for each in self._list()
    ]
    name = f'{self.flag.title().replace("_", "")}Options'
    return dataclasses.make_dataclass(name, fields, frozen=True)

  def given(self, config: Any, name: str) -> dict[str, Any]:
    """Returns the options of an entry that are not None, by the entry's names of them."""
    names = self.registry[name].option_names()
    values = {each: getattr(config, self.prefix + each) for each in names}
    return {name: value for name, value in values.items() if value is not None}

  def defaults(self, names: Iterable[str]) -> dict[str, Any]:
    """Returns what fields that are None stand for with entries of these names, where they apply."""
    values = {
      self.prefix + field: value for name in names for field, value in self._defaults(name).items()
    }
    return {name: value for name, value in values.items() if value is not None}

  def without(self, name: str | None = None) -> dict[str, Any]:
    """Returns fields that do not belong to an entry, of all for None, each as None."""
    return {self.prefix + each.name: None for each in self._list() if name not in each.owners}

  def build(self, config: Any, name: str) -> Any:
    """Returns the options of an entry as a value of its class, with its defaults.

    Raises:
      ConfigError: one has to be given, or cannot be; one sentence.
    """
    values = {**self._defaults(name), **self.given(config, name)}
    for field in attrs.fields(self.registry[name].options):
      if values.get(field.name, field.default) is attrs.NOTHING:
        raise ConfigError(f'--{self.flag}={name} needs --{self.prefix}{field.name}.')
    try:
      return self.registry[name].options(**values)
    except ValueError as error:
      raise ConfigError(f'--{self.prefix}{error}') from error

  def check(self, config: Any, chosen: Sequence[str | None], found: str | None = None) -> None:
    """Checks the options, and what the entries do not fit.

    Args:
      config: as the user gave it.
      chosen: names of the entries that it has, the flag's own first; None for none.
      found: the flag's value as a sentence has it, if it is not the first of `chosen`.

    Raises:
      ConfigError: the first fault; one sentence.
    """
    for each in self._list():
      name, default = self.prefix + each.name, self._field_default(each)
      if getattr(config, name) != default:
        check_belongs(config, (name,), self.flag, chosen, each.owners, found)
    for entry in filter(None, chosen):
      for sentence in self.registry[entry].contradictions(config):
        raise ConfigError(sentence)
      self.build(config, entry)

  def check_names(self, config_class: type) -> None:
    """Refuses an option whose field has the name of another field.

    Args:
      config_class: a dataclass that inherits from `make_class()` and others.

    Raises:
      ValueError: there is one; otherwise the two would be one flag.
    """
    count = Counter(name for each in config_class.__mro__ for name in _own_fields(each))
    for each in self._list():
      if count[self.prefix + each.name] > 1:
        raise ValueError(
          f'{self.registry.flag} {each.owners[0]} has the option {each.name}, but runs have '
          f'--{self.prefix}{each.name} already, expected another name.'
        )

  def _defaults(self, name: str) -> dict[str, Any]:
    fields = attrs.fields(self.registry[name].options)
    values = {each.name: self.default(name, each) for each in fields}
    return {name: value for name, value in values.items() if value is not attrs.NOTHING}

  def _field_default(self, each: entries.Option) -> Any:
    if not self.keeps_defaults:
      return None
    owner = each.owners[0]
    return self.default(owner, getattr(attrs.fields(self.registry[owner].options), each.name))

  def _list(self) -> tuple[entries.Option, ...]:
    return self.registry.list_options(self.flag, self.default)


def _own_fields(cls: type) -> Iterable[str]:
  return vars(cls).get('__annotations__', ())


METHOD_OPTIONS = EntryOptions(METHODS, 'method')
