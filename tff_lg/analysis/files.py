"""Files that are either whole or not there at all."""

import os


def write_atomically(path: str, content: str | bytes) -> str:
  """Writes a file through a temporary one, so that a killed writer leaves no half of it.

  Args:
    path: the file; its folder is made if need be.
    content: text, written as UTF-8, or bytes.

  Returns:
    `path`.

  Raises:
    OSError: the folder cannot be made or written.
  """
  folder = os.path.dirname(path)
  if folder:
    os.makedirs(folder, exist_ok=True)
  # The name is fixed, so what a killed writer left is overwritten by the next.
  temporary = f'{path}.tmp'
  with open(temporary, 'wb') as file:
    file.write(content.encode('utf-8') if isinstance(content, str) else content)
    file.flush()
    os.fsync(file.fileno())
  os.replace(temporary, path)
  return path
