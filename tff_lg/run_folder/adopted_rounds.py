"""Rounds that another run has trained: from its checkpoints, a run resumes as from its own."""

import os

from tff_lg import file_names


def has_checkpoints(run_dir: str) -> bool:
  """Returns whether a run has a checkpoint, from which it resumes."""
  return bool(rounds(run_dir))


def rounds(run_dir: str) -> list[int]:
  """Returns the rounds of a run's checkpoints, in order."""
  from tff_lg import checkpoints  # It imports NumPy.

  folder = os.path.join(run_dir, file_names.CHECKPOINTS)
  return checkpoints.CheckpointManager(folder).rounds()


def adopt(source: str, run_dir: str, last_round: int | None = None) -> None:
  """Copies a run's checkpoints into the folder of another, unless that has one of its own.

  Args:
    source: the folder of the run.
    run_dir: the folder of the other, with the same settings of these rounds, and the same data.
    last_round: after which no checkpoint is copied; all are by default.
  """
  from tff_lg import checkpoints

  if not has_checkpoints(run_dir):
    theirs, own = (os.path.join(each, file_names.CHECKPOINTS) for each in (source, run_dir))
    checkpoints.copy(theirs, own, last_round)
