"""Pipelines run as a user runs them."""

import subprocess

from tests import processes


def run(pipeline: str, *arguments: str) -> subprocess.CompletedProcess[str]:
  """Runs `python -m pipelines.PIPELINE` to its end, with these arguments."""
  return processes.run_python('-m', f'pipelines.{pipeline}', *arguments)
