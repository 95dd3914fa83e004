"""Run folders: those of short pipelines are known by the flags that made them."""

from __future__ import annotations

import atexit
import os
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tff_lg import file_names, files, folder_lock

if TYPE_CHECKING:  # pandas takes a second to import.
  from tff_lg import analysis


def flag_lines(values: Mapping[str, Any]) -> str:
  """Returns flags by name as a flag file; one without a value is left out."""
  return ''.join(
    f'--{name}={",".join(map(str, value)) if isinstance(value, tuple) else value}\n'
    for name, value in values.items()
    if value is not None
  )


def check_can_be_made(run_dir: str) -> None:
  """Refuses a folder that cannot be made or written; leaves none.

  Args:
    run_dir: the folder, which need not exist.

  Raises:
    ValueError: it is a file, or lies in what cannot be written; one sentence.
  """
  above = os.path.abspath(run_dir)
  while not os.path.lexists(above):
    above = os.path.dirname(above)
  if not os.path.isdir(above):
    raise ValueError(f'--run_dir={run_dir} cannot be made: {above} is not a folder.')
  try:
    # Permissions tell too little: in /proc not even root can make a folder.
    os.rmdir(tempfile.mkdtemp('.tmp', dir=above))
  except OSError as error:
    raise ValueError(
      f'--run_dir={run_dir} cannot be written: {error.strerror} in {above}.'
    ) from error


def check_folder(run_dir: str, flag_lines: str) -> None:
  """Refuses a folder with anything else than an earlier run with these flags, or one not ended.

  Args:
    run_dir: the folder, which need not exist.
    flag_lines: what the run's `flags.txt` is to hold.

  Raises:
    ValueError: it is not a folder, or holds other files or a run with other flags.
    OSError: it cannot be read.
  """
  check_can_be_made(run_dir)
  names = folder_lock.written_names(run_dir)
  if names <= {file_names.FLAGS}:
    return  # Of a run that was stopped its flags alone are left.
  path = os.path.join(run_dir, file_names.FLAGS)
  if not os.path.exists(path):
    raise ValueError(f'--run_dir={run_dir} is not empty and holds no run: choose another folder.')
  with open(path, encoding='utf-8') as file:
    if file.read() != flag_lines:
      raise ValueError(
        f'--run_dir={run_dir} holds a run with other flags ({file_names.FLAGS}): choose another '
        'folder, or delete this one.'
      )


def claim_folder(run_dir: str, flag_lines: str) -> None:
  """Makes a folder that `check_folder` allows this run's, before what takes long.

  The folder is this process's until it ends.

  Args:
    run_dir: the folder.
    flag_lines: what is written to its `flags.txt`.

  Raises:
    ValueError: it cannot be written, or another process writes there; one sentence.
  """
  try:
    lock_folder(run_dir)
    files.write_atomically(os.path.join(run_dir, file_names.FLAGS), flag_lines)
  except OSError as error:
    raise ValueError(f'--run_dir={run_dir} cannot be written: {error.strerror}.') from error


def lock_folder(folder: str, option: str = '--run_dir') -> None:
  """Keeps other processes from writing in a folder until this one ends.

  Args:
    folder: made if need be.
    option: the flag that names it.

  Raises:
    folder_lock.FolderInUseError: another process writes there; one sentence.
    OSError: it cannot be made or written.
  """
  atexit.register(folder_lock.FolderLock(folder, option).release)


def load_final_metrics(run_dir: str) -> analysis.FinalMetrics:
  """Reads the folder of a finished run; `analysis.RunFolderError` if it cannot."""
  from tff_lg import analysis  # pandas takes a second to import.

  return analysis.FinalMetrics.load(run_dir)
