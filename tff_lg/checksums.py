"""CRCs of the files of a finished folder, by which damage is told from results."""

import os
import zlib

from tff_lg import file_names, files, strict_json

# The last file that a run writes: without it the folder is not finished, and nothing is checked.
_SUFFIXES = ('.json', '.csv', '.parquet', '.txt')
# What `train` makes again, from the last checkpoint if there is one.
MADE_AGAIN = (
  file_names.METRICS,
  file_names.COMMUNICATION,
  file_names.CLIENT_CURVES,
  file_names.CLIENTS,
  file_names.CLIENTS_TEXT,
  file_names.HELD_OUT_CLIENTS,
  file_names.LABEL_COUNTS,
  file_names.MODEL_SPLIT,
  file_names.SUMMARY,
)
# They may differ between runs that are the same, or be written again later.
_LEFT_OUT = {file_names.CHECKSUMS, file_names.SUMMARY, file_names.TIMING, file_names.FLAGS}


class DamagedFileError(ValueError):
  """A file that is not as it was written; one sentence that names it."""


def write(folder: str, summary: str) -> None:
  """Writes the CRCs of the files of a folder, just before its summary.

  Args:
    folder: with all other files.
    summary: the text of the summary.
  """
  names = [name for name in os.listdir(folder) if name.endswith(_SUFFIXES)]
  found = {name: _crc(os.path.join(folder, name)) for name in sorted({*names} - _LEFT_OUT)}
  _write(folder, {**found, file_names.SUMMARY: zlib.crc32(summary.encode())})


def update(path: str) -> None:
  """Takes a file that was written again for right, where its folder has a CRC of it."""
  folder, name = os.path.split(path)
  expected = _load(folder)
  if name in expected:
    _write(folder, {**expected, name: _crc(path)})


def has(path: str) -> bool:
  """Returns whether the folder of a file has a CRC of it; DamagedFileError as `check`."""
  folder, name = os.path.split(path)
  return name in _load(folder)


def check(path: str) -> None:
  """Refuses a file of a finished folder whose CRC is not as it was.

  A file that is missing, and one of a folder without CRCs, as of an older run, passes.

  Raises:
    DamagedFileError: it is damaged.
  """
  folder, name = os.path.split(path)
  if not os.path.exists(path) or not os.path.exists(os.path.join(folder, file_names.SUMMARY)):
    return
  expected = _load(folder).get(name)
  if expected is not None and expected != (found := _crc(path)):
    raise DamagedFileError(
      f'{path} is damaged: its CRC-32 is {found}, expected {expected} as in '
      f'{file_names.CHECKSUMS}; {_way_back(folder, name)}put back a copy, or delete '
      f'{file_names.CHECKSUMS} if the change is meant.'
    )


def is_whole(path: str) -> bool:
  """Returns whether a file of a finished folder is there, and as it was written; see `check`."""
  try:
    check(path)
  except DamagedFileError:
    return False
  return os.path.exists(path)


def is_whole_folder(folder: str) -> bool:
  """Returns whether a finished folder has all files that have a CRC, as they were written."""
  return all(is_whole(os.path.join(folder, name)) for name in _load(folder))


def _way_back(folder: str, name: str) -> str:
  """Returns how to make a file again, the beginning of a list; empty for no way."""
  if name not in MADE_AGAIN:
    return ''
  if not os.path.isdir(os.path.join(folder, file_names.CHECKPOINTS)):
    return f'delete {file_names.SUMMARY} and rerun the same command to make it again, '
  flagfile = os.path.join(folder, file_names.FLAGS)
  return (
    f'rerun `train --flagfile={flagfile} --run_dir={folder}` to make it again from the last '
    'checkpoint, '
  )


def _load(folder: str) -> dict[str, int]:
  path = os.path.join(folder, file_names.CHECKSUMS)
  remedy = 'delete it to resume without a check of the other files'
  try:
    return strict_json.load(path, dict, remedy, DamagedFileError)
  except FileNotFoundError:
    return {}


def _write(folder: str, crcs: dict[str, int]) -> None:
  files.write_atomically(os.path.join(folder, file_names.CHECKSUMS), strict_json.dumps(crcs))


def _crc(path: str) -> int:
  with open(path, 'rb') as file:
    return zlib.crc32(file.read())
