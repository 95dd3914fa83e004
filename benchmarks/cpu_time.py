"""CPU seconds, which hardly depend on what else the machine does."""

import time

import psutil


def cpu_seconds() -> float:
  """Returns the CPU seconds that this process and TFF's workers have taken so far."""
  times = [child.cpu_times() for child in psutil.Process().children()]
  return time.process_time() + sum(taken.user + taken.system for taken in times)
