"""Pipelines run as a user runs them."""

import os
import subprocess
import sys


def run(pipeline: str, *arguments: str) -> subprocess.CompletedProcess[str]:
  """Runs `python -m pipelines.PIPELINE` to its end, with these arguments."""
  return subprocess.run(
    [sys.executable, '-m', f'pipelines.{pipeline}', *arguments],
    capture_output=True,
    text=True,
    check=False,
    env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)},
  )
