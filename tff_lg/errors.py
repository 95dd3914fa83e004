"""Errors that end a program without a mistake in it: the text is one sentence for the user."""

from collections.abc import Sequence


class RunFailure(RuntimeError):
  """A run that cannot begin, or cannot continue, though all its values are allowed."""


# Values that are not allowed are `ValueError`s, files that cannot be read or written `OSError`s.
SENTENCES = (ValueError, OSError, RunFailure)


def first_line(error: BaseException) -> str:
  """Returns the first line of a message, which can have pages; the error's class without one."""
  lines = [line.strip() for line in str(error).splitlines() if line.strip()]
  return (lines or [type(error).__name__])[0]


def describe(error: BaseException) -> str:
  """Returns an error's class and the first line of its message."""
  line = first_line(error) if str(error).strip() else 'no message'
  return f'{type(error).__name__}: {line}'


def list_some(texts: Sequence[str], separator: str = ', ', most: int = 5) -> str:
  """Returns texts as a sentence lists them; of many the first ones, and how many more there are."""
  rest = [f'and {len(texts) - most} more'] if len(texts) > most else []
  return separator.join([*texts[:most], *rest])
