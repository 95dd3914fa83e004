"""Errors that end a program without a mistake in it: the text is one sentence for the user."""


class RunFailure(RuntimeError):
  """A run that cannot begin, or cannot continue, though all its values are allowed."""


# Values that are not allowed are `ValueError`s, files that cannot be read or written `OSError`s.
SENTENCES = (ValueError, OSError, RunFailure)
