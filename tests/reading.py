"""Reading what runs write."""

import os


def read(*path: str) -> bytes:
  """Returns the content of the file at a path, given in one part or several."""
  with open(os.path.join(*path), 'rb') as file:
    return file.read()
