"""Processes as tests see them."""

import os
import subprocess
import sys
import time

import psutil


def environment(**variables: str) -> dict[str, str]:
  """Returns the environment of a Python process that finds the same modules as this one.

  Args:
    **variables: beside it, or in place of those that there are.
  """
  paths = os.pathsep.join(filter(None, sys.path))
  return {**os.environ, 'PYTHONPATH': paths, **variables}


def run_python(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
  """Runs `python ARGUMENTS` to its end, in `environment` with these variables."""
  return subprocess.run(
    [sys.executable, *arguments],
    capture_output=True,
    text=True,
    check=False,
    env=environment(**variables),
  )


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
