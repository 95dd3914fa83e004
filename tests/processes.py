"""Processes as tests see them."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

import psutil

_SERVER = 'RUN_MODULES_SOCKET'  # Set by tools/run_modules.py.


def environment(**variables: str) -> dict[str, str]:
  """Returns the environment of a Python process that finds the same modules as this one.

  Args:
    **variables: beside it, or in place of those that there are.
  """
  return {**os.environ, 'PYTHONPATH': os.pathsep.join(_import_paths()), **variables}


def _import_paths() -> list[str]:
  """Returns this process's import paths, as another folder needs them."""
  return [os.path.abspath(path) for path in sys.path if path]


def run_python(
  *arguments: str, folder: str | os.PathLike[str] | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
  """Runs `python ARGUMENTS` to its end.

  `python -m MODULE` without variables is a fork of tools/run_modules.py, where that runs the test:
  TensorFlow Federated has been imported there.

  Args:
    *arguments: Python's own.
    folder: The folder that it begins in; this process's own by default.
    **variables: of `environment`.
  """
  folder = os.fspath(folder or os.getcwd())
  server = os.environ.get(_SERVER)
  if server and arguments[0] == '-m' and not variables:
    return _run_fork(server, arguments[1], arguments[2:], folder)
  return subprocess.run(
    [sys.executable, *arguments],
    cwd=folder,
    capture_output=True,
    text=True,
    check=False,
    env=environment(**variables),
  )


def run_code(
  code: str, *arguments: str, folder: str | os.PathLike[str] | None = None
) -> subprocess.CompletedProcess[str]:
  """Runs code to its end, where imports that have been made before do no harm; see `run_python`.

  Args:
    code: may end its own process, but no group of processes, of which others are members.
    *arguments: the code's own.
    folder: The folder that it begins in; this process's own by default.
  """
  return run_python('-m', 'tests.program', code, *arguments, folder=folder)


def _run_fork(
  server: str, module: str, arguments: Sequence[str], folder: str
) -> subprocess.CompletedProcess[str]:
  """Runs a module to its end in a fork of the process that has this socket."""
  with tempfile.TemporaryDirectory() as outputs, socket.socket(socket.AF_UNIX) as connection:
    files = {name: os.path.join(outputs, name) for name in ('stdout', 'stderr')}
    request = {
      'module': module,
      'arguments': arguments,
      **files,
      'environment': environment(),
      'folder': folder,
      'paths': [folder, *_import_paths()],
    }
    connection.connect(f'\0{server}')
    connection.sendall(f'{json.dumps(request)}\n'.encode())
    status = int(connection.makefile().readline())
    texts = {name: pathlib.Path(path).read_text() for name, path in files.items()}
  return subprocess.CompletedProcess([module, *arguments], status, **texts)


def is_running(pid: int) -> bool:
  """Returns whether there is such a process; one that has ended and is not yet reaped is none."""
  try:
    return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
  except psutil.NoSuchProcess:
    return False


def has_ended(pid: int, seconds: float = 60.0) -> bool:
  """Returns whether the process ends within so many seconds."""
  deadline = time.monotonic() + seconds
  while is_running(pid):
    if time.monotonic() > deadline:
      return False
    time.sleep(0.05)
  return True
