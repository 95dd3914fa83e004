"""What ends a program without being a mistake in it: the text is one sentence for the user."""


class RunFailure(RuntimeError):
  """A run that cannot begin, or cannot go on, though all its values are allowed."""


# Values that are not allowed are `ValueError`s, files that cannot be read or written `OSError`s.
SENTENCES = (ValueError, OSError, RunFailure)
