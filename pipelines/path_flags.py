"""Flags that name files or folders, in which `~` is the user's home."""

import os

from absl import flags

# The flags are of the program that defines them: its --help is to show them.
flags.disclaim_key_flags()


class _PathParser(flags.ArgumentParser):
  """Parses a path; shells expand `~` at the start of a word alone, not in --name=~/folder."""

  syntactic_help = 'a path'

  def parse(self, argument: str) -> str:
    """Returns the path."""
    return os.path.expanduser(argument)


class _PathListParser(flags.ListParser):
  """Parses paths that are separated by commas."""

  def parse(self, argument: str | list[str]) -> list[str]:
    """Returns the paths."""
    return list(map(os.path.expanduser, super().parse(argument)))


def define(
  name: str,
  default: str | None,
  help_text: str,
  flag_values: flags.FlagValues = flags.FLAGS,
) -> flags.FlagHolder[str | None]:
  """Defines a flag of a path."""
  serializer: flags.ArgumentSerializer[str] = flags.ArgumentSerializer()
  return flags.DEFINE(_PathParser(), name, default, help_text, flag_values, serializer)


def define_list(
  name: str,
  default: list[str] | None,
  help_text: str,
  flag_values: flags.FlagValues = flags.FLAGS,
) -> flags.FlagHolder[list[str] | None]:
  """Defines a flag of paths that are separated by commas."""
  serializer = flags.CsvListSerializer(',')
  return flags.DEFINE(_PathListParser(), name, default, help_text, flag_values, serializer)
