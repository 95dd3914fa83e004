"""Rounds that another run has trained: from its checkpoints, a run resumes as from its own."""

import os
import shutil

from tff_lg import checkpoints, file_names


def has_checkpoints(run_dir: str) -> bool:
  """Returns whether a run has a checkpoint, from which it resumes."""
  return bool(rounds(run_dir))


def rounds(run_dir: str) -> list[int]:
  """Returns the rounds of a run's checkpoints, in order."""
  folder = os.path.join(run_dir, file_names.CHECKPOINTS)
  return checkpoints.CheckpointManager(folder).rounds()


def adopt(source: str, run_dir: str) -> None:
  """Copies a run's rounds into the folder of another, unless that has a checkpoint of its own.

  Args:
    source: the folder of the run.
    run_dir: the folder of the other, with the same settings of these rounds, and the same data.
  """
  if has_checkpoints(run_dir):
    return
  events, own = (os.path.join(each, file_names.TENSORBOARD) for each in (source, run_dir))
  if os.path.isdir(events):
    shutil.copytree(events, own, dirs_exist_ok=True)
  theirs, target = (os.path.join(each, file_names.CHECKPOINTS) for each in (source, run_dir))
  checkpoints.copy(theirs, target)
