"""Processes as tests see them."""

import time

import psutil


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
