"""Text by user, from JSON lines or from LEAF's JSON."""

import json
import pathlib
import re
import zlib
from collections.abc import Iterator
from typing import Any, TypeGuard

from tff_lg.data import bounded, examples

_SUFFIXES = ('.jsonl', '.jsonl.gz', '.json', '.json.gz')
_SENTENCE_END = re.compile(r'(?<=[.!?])\s+')


def read_users(path: str) -> dict[str, list[str]]:
  """Reads the lines of each user.

  Two formats, UTF-8, each with or without gzip:

  - `.jsonl`: a user a line, `{"user": "ann", "lines": ["First.", "Second."]}`;
  - `.json`: LEAF's, `{"users": [...], "user_data": {"ann": {"x": [...], "y": [...]}}}` with
    windows of characters `x` and the character `y` after each, as its Shakespeare has them.
    Windows that overlap are joined again, and the sentences of the text become its lines.

  Args:
    path: a file, or a folder with one or several of them; a user is in one file only.

  Returns:
    By user, in the order of the files, the lines that are not blank.

  Raises:
    DataError: nothing found, a damaged file, or a user found twice; the sentence names the
      file and, where there is one, the line.

  Caldas et al. 2018, LEAF.
  """
  users: dict[str, list[str]] = {}
  for file in find_files(path):
    read = _read_leaf if '.jsonl' not in file.name else _read_json_lines
    for where, user, lines in read(file):
      if user in users:
        raise examples.DataError(f'{where}: user {user!r} found twice, expected once.')
      users[user] = [line for line in lines if line.strip()]
  return users


def find_files(data_dir: str) -> list[pathlib.Path]:
  """Finds the files of a folder, or the one file; DataError if there is none."""
  path = pathlib.Path(data_dir).expanduser()
  if path.is_file():
    found = [path]
  elif path.is_dir():
    found = sorted(file for file in path.iterdir() if file.is_file())
  else:
    raise examples.DataError(f'data_dir: {path} found, expected a file or folder that exists.')
  files = [file for file in found if file.name.endswith(_SUFFIXES)]
  if not files:
    raise examples.DataError(f'{path}: no text found, expected a file *{", *".join(_SUFFIXES)}.')
  return files


def _read_json_lines(path: pathlib.Path) -> Iterator[tuple[str, str, list[str]]]:
  for number, line in enumerate(_text(path).split('\n'), 1):
    if line.strip():
      where = f'{path}, line {number}'
      record = _parse(line, where)
      if not (
        isinstance(record, dict)
        and isinstance(record.get('user'), str)
        and _is_strings(record.get('lines'))
      ):
        raise examples.DataError(
          f'{where}: {_shorten(line)} found, expected {{"user": "...", "lines": ["...", ...]}}.'
        )
      yield where, record['user'], record['lines']


def _read_leaf(path: pathlib.Path) -> Iterator[tuple[str, str, list[str]]]:
  record = _parse(_text(path), str(path))
  user_data = record.get('user_data') if isinstance(record, dict) else None
  if not isinstance(user_data, dict):
    raise examples.DataError(
      f'{path}: no "user_data" found, expected LEAF\'s {{"users": [...], "user_data": {{...}}}}.'
    )
  for user, data in user_data.items():
    windows, targets = (data.get(key) if isinstance(data, dict) else None for key in 'xy')
    if not (_is_strings(windows) and _is_strings(targets) and len(windows) == len(targets)):
      raise examples.DataError(
        f'{path}: user {user!r} has other data, expected "x" and "y", equally many strings each.'
      )
    yield str(path), user, _join_windows(windows, targets)


def _join_windows(windows: list[str], targets: list[str]) -> list[str]:
  """Returns the sentences of the text that overlapping windows were cut from."""
  texts: list[list[str]] = []
  before = None
  for window, target in zip(windows, targets, strict=True):
    if before is not None and before.endswith(window):
      texts[-1].append(target)
    else:
      texts.append([window, target])
    before = window + target
  return [sentence for text in texts for sentence in _SENTENCE_END.split(''.join(text))]


def _text(path: pathlib.Path) -> str:
  try:
    return bounded.read(path).decode('utf-8')
  except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
    raise examples.DataError(f'{path}: cannot be read as UTF-8 text ({error}).') from error


def _parse(text: str, where: str) -> Any:
  try:
    return json.loads(text)
  except (ValueError, RecursionError) as error:
    raise examples.DataError(f'{where}: is not JSON ({error}).') from error


def _is_strings(value: Any) -> TypeGuard[list[str]]:
  return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _shorten(text: str) -> str:
  return text if len(text) <= 60 else f'{text[:60]}...'
