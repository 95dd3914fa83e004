"""Finds a task's files: what is missing is told before TensorFlow starts.

A file of moods is small, and is read as a whole.
"""

import pathlib
from collections.abc import Callable, Mapping
from typing import Any

from tff_lg.data import (
  arrays,
  cifar10,
  mnist,
  mood_files,
  table_files,
  text_files,
  vqa_files,
)


def _find_vqa(data_dir: str) -> None:
  for part in ('train', 'test'):
    vqa_files.find_files(data_dir, part)


_IN_FOLDER: Mapping[str, Callable[[str], Any]] = {
  'arrays': arrays.find_files,
  'cifar10': cifar10.find_files,
  'mnist': mnist.find_files,
  'vqa': _find_vqa,
}
_ANYWHERE: Mapping[str, Callable[[str], Any]] = {
  'chars': text_files.find_files,
  'mood': mood_files.read_scored_texts,
  'table': table_files.find_files,
  'text': text_files.find_files,
}


def find_task_files(task: str, data_dir: str) -> None:
  """Looks for the files that a task reads; of other tasks, such as digits, for none.

  Args:
    task: its name.
    data_dir: the folder or file with its data, which exists.

  Raises:
    DataError: a file is missing, or of mood is not what it has to be; the loader's sentence.
    OSError: a file cannot be read.
  """
  path = pathlib.Path(data_dir).expanduser()
  find = _ANYWHERE.get(task) or (_IN_FOLDER.get(task) if path.is_dir() else None)
  if find is not None:
    find(str(path))
