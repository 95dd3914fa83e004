"""Modules from outside that add entries, such as methods.

`--import=my_module` names one. Installed packages name theirs by entry points of the group
`tff_lg.plugins`. All are imported before the flags are defined, so that the flags of what they add
are among them.
"""

import importlib
import importlib.metadata
import sys
from collections.abc import Sequence

from absl import flags

_FLAG = 'import'
_GROUP = 'tff_lg.plugins'

# The flag is of the program that defines it: its --help is to show it.
flags.disclaim_key_flags()


def define(values: flags.FlagValues = flags.FLAGS) -> None:
  """Defines the flag, which has had its effect by then."""
  flags.DEFINE_multi_string(
    _FLAG,
    [],
    'A module that registers its own methods, aggregators, optimisers or the like',
    flag_values=values,
  )


def import_modules(command_line: Sequence[str]) -> None:
  """Imports the modules of installed plugins, and those that a command line or its flag files name.

  Args:
    command_line: the program and its arguments; errors in them are told when they are parsed.

  Raises:
    SystemExit: a module cannot be imported, or adds what cannot be; one sentence.
  """
  for plugin in sorted(importlib.metadata.entry_points(group=_GROUP)):
    _import(plugin.module, f'The plugin {plugin.name} of an installed package')
  for name in named(command_line):
    _import(name, '--import')


def named(command_line: Sequence[str]) -> tuple[str, ...]:
  """Returns the modules that a command line or its flag files name.

  Args:
    command_line: the program and its arguments; one with errors names none.
  """
  program, *arguments = command_line
  values = flags.FlagValues()
  define(values)
  values.set_gnu_getopt(True)
  try:
    # What follows -- are flags of a sweep's trials.
    values([program, *(each for each in arguments if each != '--')], known_only=True)
  except flags.Error:
    return ()
  return tuple(values[_FLAG].value or ())


def _import(name: str, what: str) -> None:
  try:
    importlib.import_module(name)
  except (ImportError, ValueError) as error:
    sys.exit(f'{what} is {name}, expected a module that can be imported: {error}')
