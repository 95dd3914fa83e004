"""Text by user, from JSON lines, LEAF's JSON, tables, or posts as BigQuery exports them."""

import json
import pathlib
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from absl import logging

from tff_lg.data import bounded, examples, table_files, text_posts, text_table, visible_files

_SUFFIXES = ('.jsonl', '.jsonl.gz', '.json', '.json.gz')
_SENTENCE_END = re.compile(r'(?<=[.!?])\s+')

# File and place in it, user, and posts of the user.
_Found = tuple[str, str, list[text_posts.Post]]


def read_users(path: str, columns: Sequence[str] = ()) -> dict[str, list[str]]:
  """Reads the lines of each user.

  Four formats, UTF-8, each with or without gzip:

  - `.jsonl`: a user a line, `{"user": "ann", "lines": ["First.", "Second."]}`;
  - `.json`: LEAF's, `{"users": [...], "user_data": {"ann": {"x": [...], "y": [...]}}}`. Its
    Shakespeare has windows of characters `x` and the character `y` after each. Windows that overlap
    are joined again, and the sentences of the text become its lines. A post of its Reddit or its
    Sent140 is a line;
  - `.json` or `.jsonl`: a post a line, `{"author": "ann", "body": "First.", "created_utc": 3}`, as
    BigQuery exports them. Posts that were deleted or removed are left out;
  - `.csv`, `.tsv` or `.parquet`: a post a row, see `text_table.read_users`.

  Args:
    path: a file, or a folder with one or several of them. In JSON, a user is in one file only,
      unless all of the user's posts have times. Posts with times are sorted by them.
    columns: of users, texts and times in a table, by default those of BigQuery.

  Returns:
    By user, in the order of the files, the lines that are not blank.

  Raises:
    DataError: nothing found, a damaged file, a user found twice, or columns for JSON. The sentence
      names the file and, where there is one, the line.

  Caldas et al. 2018, LEAF.
  """
  if is_table(path):
    return text_table.read_users(path, columns)
  users: dict[str, list[text_posts.Post]] = {}
  for file in find_files(path, columns):
    read = _read_json if '.jsonl' not in file.name else _read_json_lines
    for where, user, posts in read(file):
      everything = [*users.get(user, ()), *posts]
      has_times = bool(everything) and all(post.time is not None for post in everything)
      if user in users and not has_times:
        raise examples.DataError(
          f'{where}: user {user!r} found twice, expected once, or a time of each post.'
        )
      users[user] = everything
  return {user: _to_lines(posts) for user, posts in users.items()}


def is_table(path: str) -> bool:
  """Returns whether text is in a table; in a folder with JSON as well, it is in that."""
  found = pathlib.Path(path).expanduser()
  names = [file.name.lower() for file in (visible_files.find(found) if found.is_dir() else [found])]
  return any(name.endswith(table_files.ENDINGS) for name in names) and not any(
    name.endswith(_SUFFIXES) for name in names
  )


def check_files(path: str, columns: Sequence[str] = ()) -> None:
  """Looks for the files of `read_users`, and reads the names of a table's columns.

  Args:
    path: as of `read_users`.
    columns: as of `read_users`.

  Raises:
    DataError: nothing found, a column missing, or columns for JSON.
  """
  if is_table(path):
    text_table.choose_columns(path, table_files.read_columns(path), columns)
  else:
    find_files(path, columns)


def find_files(data_dir: str, columns: Sequence[str] = ()) -> list[pathlib.Path]:
  """Finds the JSON files of a folder, or the one file.

  Args:
    data_dir: the folder or file.
    columns: that a table is expected to have.

  Raises:
    DataError: nothing found, or JSON where there are columns.
  """
  path = pathlib.Path(data_dir).expanduser()
  if path.is_file():
    found = [path]
  elif path.is_dir():
    found = [file for file in visible_files.find(path) if file.is_file()]
  else:
    raise examples.DataError(f'data_dir: {path} found, expected a file or folder that exists.')
  files = [file for file in found if file.name.endswith(_SUFFIXES)]
  if not files:
    endings = ', *'.join(_SUFFIXES + table_files.ENDINGS)
    raise examples.DataError(f'{path}: no text found, expected a file *{endings}.')
  if columns:
    raise examples.DataError(
      f'{files[0]}: JSON found, expected a table with the columns {", ".join(columns)}.'
    )
  return files


def _to_lines(posts: list[text_posts.Post]) -> list[str]:
  """Returns the posts that are not blank, in the order of their times if all have one."""
  if all(post.time is not None for post in posts):
    posts = sorted(posts, key=lambda post: post.time or 0.0)
  return [post.text for post in posts if post.text.strip()]


def _read_json_lines(path: pathlib.Path) -> Iterator[_Found]:
  lines = [(n, line) for n, line in enumerate(_text(path).split('\n'), 1) if line.strip()]
  if lines and _is_row(_parse(lines[0][1], f'{path}, line {lines[0][0]}')):
    yield from _read_rows(path, lines)
    return
  for number, line in lines:
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
    yield where, record['user'], [text_posts.Post(line) for line in record['lines']]


def _read_rows(path: pathlib.Path, lines: list[tuple[int, str]]) -> Iterator[_Found]:
  """Reads a post a line."""
  users: dict[str, list[text_posts.Post]] = {}
  num_gone = 0
  for number, line in lines:
    where = f'{path}, line {number}'
    record = _parse(line, where)
    try:
      found = text_posts.from_row(record if isinstance(record, dict) else {})
    except (TypeError, ValueError) as error:
      raise examples.DataError(f'{where}: {_shorten(line)} found, {error}.') from error
    if found is None:
      num_gone += 1
      continue
    author, post = found
    posts = users.setdefault(author, [])
    if posts and (posts[0].time is None) != (post.time is None):
      raise examples.DataError(
        f'{where}: some posts of {author!r} have "created_utc", expected all or none.'
      )
    posts.append(post)
  if num_gone:
    logging.info('%s: %d posts were deleted or removed, and are left out.', path, num_gone)
  for author, posts in users.items():
    yield str(path), author, posts


def _read_json(path: pathlib.Path) -> Iterator[_Found]:
  """Reads a file of LEAF's, or rows."""
  text = _text(path)
  first = text.lstrip().partition('\n')[0]
  try:
    record = json.loads(first)
  except (ValueError, RecursionError):
    record = _parse(text, str(path))
  if _is_row(record):
    lines = [(n, line) for n, line in enumerate(text.split('\n'), 1) if line.strip()]
    yield from _read_rows(path, lines)
  else:
    yield from _read_leaf(path, record)


def _is_row(record: Any) -> bool:
  return isinstance(record, dict) and 'author' in record and 'body' in record


def _read_leaf(path: pathlib.Path, record: Any) -> Iterator[_Found]:
  user_data = record.get('user_data') if isinstance(record, dict) else None
  if not isinstance(user_data, dict):
    raise examples.DataError(
      f'{path}: no "user_data" found, expected LEAF\'s {{"users": [...], "user_data": {{...}}}}.'
    )
  for user, data in user_data.items():
    windows, targets = (data.get(key) if isinstance(data, dict) else None for key in 'xy')
    posts = None
    if isinstance(windows, list) and isinstance(targets, list) and len(windows) == len(targets):
      if _is_strings(windows) and _is_strings(targets):
        posts = [text_posts.Post(line) for line in _join_windows(windows, targets)]
      else:
        posts = text_posts.from_leaf(windows, targets)
    if posts is None:
      raise examples.DataError(
        f'{path}: user {user!r} has other data, expected "x" and "y", equally many each: strings '
        'of Shakespeare, comments of Reddit or tweets of Sent140.'
      )
    yield str(path), user, posts


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
  except (OSError, UnicodeDecodeError) as error:
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
