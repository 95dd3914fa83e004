"""Ends what a program has started, should the program itself be killed.

A small separate process watches the program: whatever ends the program, even SIGKILL, closes the
pipe between them. The processes to end have a mark in their environment, which their children
inherit. Or they have a file open in the folder that is removed with them.
"""

import contextlib
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

_MARK = 'TFF_LG_STARTED_BY'
_CHECK_SECONDS = 1.0
_PASSES = 100
_PASS_SECONDS = 0.1


class Watch:
  """Watches this program until `end`.

  Attributes:
    environment: variables for whatever is to end with the program.
  """

  def __init__(self, folder: str = '') -> None:
    """Starts the process that watches.

    Args:
      folder: is removed, too, and processes that have a file open in it are ended; empty for none.
    """
    name = secrets.token_hex(16)
    self.environment = {_MARK: name}
    inherited = {key: value for key, value in os.environ.items() if key != _MARK}
    # Of a session of its own, no Ctrl-C reaches it.
    self._process = subprocess.Popen(
      [sys.executable, '-I', '-S', os.path.abspath(__file__), str(os.getpid()), name, folder],
      stdin=subprocess.PIPE,
      stdout=subprocess.DEVNULL,
      stderr=subprocess.DEVNULL,
      env=inherited,
      start_new_session=True,
    )

  def end(self) -> None:
    """Stops watching; nothing is ended or removed."""
    self._process.kill()
    self._process.wait()
    if self._process.stdin is not None:
      self._process.stdin.close()


def _watch(parent: int, name: str, folder: str) -> None:
  """Waits for the parent's end, then ends what it has left and removes the folder."""
  # The pipe alone does not do: a fork of the parent holds it open.
  while os.getppid() == parent and not select.select([sys.stdin], [], [], _CHECK_SECONDS)[0]:
    pass
  for _ in range(_PASSES):
    orphans = list(_orphans(f'{_MARK}={name}'.encode(), folder))
    for pid in orphans:
      with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    if folder:
      shutil.rmtree(folder, ignore_errors=True)
    if not orphans and not (folder and os.path.exists(folder)):
      break
    time.sleep(_PASS_SECONDS)


def _orphans(mark: bytes, folder: str) -> Iterator[int]:
  """Yields the processes with the mark, and those with an open file in the folder."""
  for name in filter(str.isdigit, os.listdir('/proc')):
    # It may end meanwhile, or be somebody else's.
    with contextlib.suppress(OSError):
      with open(f'/proc/{name}/environ', 'rb') as file:
        is_marked = mark in file.read().split(b'\0')
      if is_marked or (folder and _has_open(name, folder)):
        yield int(name)


def _has_open(pid: str, folder: str) -> bool:
  files = f'/proc/{pid}/fd'
  return any(
    os.readlink(os.path.join(files, number)).startswith(os.path.join(folder, ''))
    for number in os.listdir(files)
  )


if __name__ == '__main__':
  _watch(int(sys.argv[1]), sys.argv[2], sys.argv[3])
