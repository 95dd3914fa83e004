"""Entries: all there is to say about a value of a flag, in a registry of its room.

An entry is light, so that flags and checks are made of it; what it builds is imported when it is
built. Modules from outside register entries as those of the rooms do.
"""

import functools
import importlib
import pkgutil
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import attrs

from tff_lg.option_check import Check


def option(
  default: Any,
  help_text: str,
  check: Check | None = None,
  *,
  choices: tuple[str, ...] | None = None,
  by_default: str = '',
  more: str = '',
  is_path: bool = False,
) -> Any:
  """Declares an option of an entry: a field of its options, and a flag of that name.

  Args:
    default: its value if it is not given; `attrs.NOTHING` for one that has to be given.
    help_text: the beginning of the flag's help, without the entry and the full stop.
    check: what is expected of its value, or of each in a tuple; None is never checked.
    choices: the values that it may have, if they are a few names.
    by_default: what `default` means, where that is not plain from it.
    more: sentences after the default.
    is_path: whether it names a file or folder.

  Returns:
    The field of an `attrs.frozen` class.
  """
  metadata = {
    'help': help_text,
    'choices': choices,
    'by_default': by_default,
    'more': more,
    'is_path': is_path,
  }
  return attrs.field(default=default, validator=check, metadata=metadata)


@attrs.frozen
class NoOptions:
  """The options of an entry that has none."""


class Option(typing.NamedTuple):
  """An option as a flag shows it.

  Attributes:
    name: of the option.
    type: of its value.
    help: the flag's help.
    choices: the values that it may have, if they are a few names.
    owners: names of the entries that have it.
    is_path: whether it names a file or folder.
  """

  name: str
  type: Any
  help: str
  choices: tuple[str, ...] | None
  owners: tuple[str, ...]
  is_path: bool = False


def _nothing_to_say(config: Any) -> Iterable[str]:
  """Returns no contradictions."""
  del config
  return ()


@attrs.frozen(kw_only=True)
class Entry:
  """The fields that all entries have.

  Attributes:
    name: what the flag takes.
    label: what reports call it.
    options: an `attrs.frozen` class of fields made by `option`.
    contradictions: (config) -> sentences on what the entry does not fit in a config, as given, in
      which it is chosen.
  """

  name: str
  label: str
  options: type = NoOptions
  contradictions: Callable[[Any], Iterable[str]] = _nothing_to_say

  def option_names(self) -> tuple[str, ...]:
    """Returns the names of its options."""
    return tuple(field.name for field in attrs.fields(self.options))


_Entry = TypeVar('_Entry', bound=Entry)
_Default = Callable[[str, attrs.Attribute], Any]


def _own_default(name: str, field: attrs.Attribute) -> Any:
  del name
  return field.default


class Registry(Mapping[str, _Entry]):
  """The entries of one flag by name, in the order in which they were registered."""

  def __init__(self, flag: str) -> None:
    """Begins without entries.

    Args:
      flag: that takes their names; also what an entry is called.
    """
    self.flag = flag
    self._entries: dict[str, _Entry] = {}
    # Of each option the first entry that has it.
    self._owners: dict[str, str] = {}

  def __getitem__(self, name: str) -> _Entry:
    return self._entries[name]

  def __iter__(self) -> Iterator[str]:
    return iter(self._entries)

  def __len__(self) -> int:
    return len(self._entries)

  def register(self, entry: _Entry) -> _Entry:
    """Adds an entry, of the room or from outside.

    `tff_lg.config` makes flags of the options of entries that are registered when it is imported;
    `--import=my_module` imports a module before that.

    Args:
      entry: its name is new; an option of another entry's name is the same option.

    Returns:
      The entry.

    Raises:
      ValueError: a name is taken.
    """
    if entry.name in self:
      raise ValueError(f'{self.flag} {entry.name} is registered already, expected a new name.')
    for field in attrs.fields(entry.options):
      owner = self._owners.get(field.name)
      if owner is not None and not _is_shared(field, entry.options, self[owner].options):
        raise ValueError(
          f'{self.flag} {entry.name} has the option {field.name}, which is one of {owner}, '
          'expected a new name.'
        )
    self._entries[entry.name] = entry
    for name in entry.option_names():
      self._owners.setdefault(name, entry.name)
    return entry

  def list_options(
    self, flag: str | None = None, default: _Default = _own_default
  ) -> tuple[Option, ...]:
    """Returns the options of all entries as flags show them, each once.

    Args:
      flag: that takes the names of entries, if it has another name than the registry says.
      default: (name of an entry, field) -> the default of an option.
    """
    fields: dict[str, dict[str, attrs.Attribute]] = {}
    for name, entry in self.items():
      for field in attrs.fields(entry.options):
        fields.setdefault(field.name, {})[name] = field
    result = []
    for name, by_owner in fields.items():
      owner, field = next(iter(by_owner.items()))
      defaults = {each: default(each, found) for each, found in by_owner.items()}
      text = _help(f'--{flag or self.flag}', field, defaults)
      kind = _types(self[owner].options)[name]
      choices, is_path = field.metadata['choices'], field.metadata['is_path']
      result.append(Option(name, kind, text, choices, tuple(by_owner), is_path))
    return tuple(result)


def _is_shared(field: attrs.Attribute, options: type, others: type) -> bool:
  """Returns whether a field of options is that of the same name of others."""
  other = getattr(attrs.fields(others), field.name)
  is_same_type = _types(options)[field.name] == _types(others)[field.name]
  return field.metadata == other.metadata and is_same_type


@functools.cache
def _types(options: type) -> dict[str, Any]:
  """Returns the types of an options class by name, which take a moment to resolve."""
  return typing.get_type_hints(options)


def import_modules(room: str, first: Sequence[str] = (), without: Iterable[str] = ()) -> None:
  """Imports all modules of a room, which register their entries.

  Args:
    room: name of its package.
    first: modules that are imported before the others, which follow by name. Help and tables have
      entries in this order.
    without: modules and packages that are imported when they are used; they have no entries.
  """
  names = {each.name for each in pkgutil.iter_modules(sys.modules[room].__path__)}
  for name in (*first, *sorted(names.difference(first, without))):
    importlib.import_module(f'{room}.{name}')


def listed(names: Iterable[str]) -> str:
  """Returns names as a sentence has them: `a, b and c`."""
  *before, last = names
  return ' and '.join(filter(None, (', '.join(before), last)))


def _help(flag: str, field: attrs.Attribute, defaults: Mapping[str, Any]) -> str:
  """Says what an option is, whose it is, and its default with each owner."""
  owners: dict[str, list[str]] = {}
  for owner, default in defaults.items():
    text = f'{meaning} by' if (meaning := field.metadata['by_default']) else _text(default)
    owners.setdefault(text, []).append(owner)
  texts = [(text, f' with {listed(of)}' if len(owners) > 1 else '') for text, of in owners.items()]
  by_default = [f'{text} default{whose}' for text, whose in texts if text]
  sentence = f'{field.metadata["help"]} ({flag}={listed(defaults)})'
  sentence = '; '.join(filter(None, (sentence, ', '.join(by_default))))
  return ' '.join(filter(None, (f'{sentence}.', field.metadata['more'])))


def _text(default: Any) -> str:
  if default is None or default is attrs.NOTHING:
    return '' if default is None else 'no'
  if isinstance(default, tuple):
    return f'{",".join(map(str, default))} by'
  return f'{default:g} by' if isinstance(default, float) else f'{default} by'
