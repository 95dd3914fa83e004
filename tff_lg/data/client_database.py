"""Clients in one file, TFF's SQLite database of clients, read when needed."""

import contextlib
import pathlib
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from absl import logging

from tff_lg import errors
from tff_lg.data import arrays, client_examples, client_parts, client_reader, examples, federated

# What is read of a file to notice that it has changed: pieces of so many bytes.
_PIECE, _NUM_PIECES = 4096, 1000


def load_client_database(
  path: str,
  num_classes: int,
  *,
  keys: Sequence[str] = ('x', 'y'),
  example_shape: Sequence[int] | None = None,
  split: client_parts.PartSplit | None = None,
  cache_size: int = 1000,
) -> federated.FederatedData:
  """Lists the clients of a file as `tff.simulation.datasets.save_to_sql_client_data` writes it.

  TFF's own data sets, such as EMNIST, are such files; so is what `SqlClientData` reads. A table
  `client_metadata` says who has how many examples in which split; a table `examples` has the
  examples as `tf.train.Example`. Where there is a split `train`, the splits `train`, `validation`
  and `test` are a client's parts. Else there is one split, which is split here. A client without
  training examples is left out.

  Args:
    path: of the file.
    num_classes: labels are in [0, num_classes).
    keys: names of x and y in an example. x is numbers, taken as they are; y is an integer.
    example_shape: of one x; by default all of its numbers in a row.
    split: of what is not split; `client_parts.PartSplit()` by default.
    cache_size: clients kept in memory, see `client_reader.ClientReader`.

  Returns:
    The clients by name, without a common test set.

  Raises:
    DataError: the file is missing, damaged or no such database, or holds other examples.
  """
  part_split = split or client_parts.PartSplit()
  file = pathlib.Path(path).expanduser()
  given = _read_sizes(file)
  spec = _example_spec(file, keys, example_shape)
  is_split = any('train' in of_client for of_client in given.values())
  trained_on = 'train' if is_split else client_parts.ALL
  client_ids = [name for name in sorted(given) if given[name].get(trained_on)]
  if len(client_ids) < len(given):
    logging.warning(
      '%s: %d of %d clients have no training examples and are left out.',
      file,
      len(given) - len(client_ids),
      len(given),
    )
  sizes = [part_split.sizes(given[name]) for name in client_ids]

  def read(number: int) -> client_examples.ClientExamples:
    client_id = client_ids[number]
    found: dict[str, list[bytes]] = {}
    with _connect(file, f'client {client_id}') as connection:
      for name, serialized in connection.execute(
        'SELECT split_name, serialized_example_proto FROM examples WHERE client_id = ?',
        (client_id,),
      ):
        if not isinstance(serialized, bytes):
          raise examples.DataError(
            f'{file}: client {client_id} has the example {serialized!r}, expected bytes.'
          )
        found.setdefault(name if is_split else client_parts.ALL, []).append(serialized)
    where = pathlib.Path(f'{file} (client {client_id})')
    parts = {
      name: arrays.to_examples(where, _parse(where, found[name], keys, spec), num_classes)
      for name in given[client_id]
      if name in found
    }
    if not parts.keys() & {client_parts.ALL, 'train'}:
      raise examples.DataError(f'{where}: no examples found, expected some.')
    return part_split.split(client_id, parts, given[client_id].keys() - parts.keys())

  return client_reader.ClientReader(
    client_ids,
    {part: np.array([of_client[part] for of_client in sizes]) for part in client_parts.PARTS},
    read,
    row_shape=spec[keys[0]].shape,
    num_classes=num_classes,
    cache_size=cache_size,
    data_crc32=_crc_of_pieces(file),
  ).federate()


def _crc_of_pieces(file: pathlib.Path) -> int:
  """Returns a CRC of the file's size and of pieces of it, as all of it may be many gigabytes.

  The first piece has SQLite's count of changes, so that a change in place is noticed, too.
  """
  size = file.stat().st_size
  starts = np.unique(np.linspace(0, max(size - _PIECE, 0), _NUM_PIECES).astype(np.int64))
  crc = zlib.crc32(str(size).encode())
  with open(file, 'rb') as opened:
    for start in starts.tolist():
      opened.seek(start)
      crc = zlib.crc32(opened.read(_PIECE), crc)
  return crc


@contextlib.contextmanager
def _connect(file: pathlib.Path, what: str) -> Iterator[sqlite3.Connection]:
  """Opens the database to read; whatever is wrong with it is a DataError."""
  try:
    with contextlib.closing(
      sqlite3.connect(f'{file.absolute().as_uri()}?mode=ro', uri=True)
    ) as connection:
      yield connection
  except sqlite3.Error as error:
    raise examples.DataError(
      f"{file}: {what} cannot be read ({error}), expected TFF's SQLite database of clients."
    ) from error


def _read_sizes(file: pathlib.Path) -> dict[str, dict[str, int]]:
  """Returns how many examples each client has, by part or of all together."""
  if not file.is_file():
    raise examples.DataError(f'{file}: no such file found, expected a database of clients.')
  with _connect(file, 'its list of clients') as connection:
    kinds = dict(connection.execute('SELECT name, type FROM sqlite_master').fetchall())
    for table in ('client_metadata', 'examples'):
      # A view may have no end.
      if kinds.get(table, 'table') != 'table':
        raise examples.DataError(f'{file}: {table} is a {kinds[table]}, expected a table.')
    rows = connection.execute(
      'SELECT client_id, split_name, num_examples FROM client_metadata'
    ).fetchall()
    plan = connection.execute(
      "EXPLAIN QUERY PLAN SELECT * FROM examples WHERE client_id = ''"
    ).fetchall()
  if any('SCAN' in str(step) for step in plan):
    logging.warning(
      '%s has no index on client_id, so reading a client searches the whole file. Create it once: '
      'sqlite3 %s "CREATE INDEX by_client ON examples (client_id)".',
      file,
      file,
    )
  for row in rows:
    if tuple(map(type, row)) != (str, str, int) or not row[0] or row[2] < 0:
      raise examples.DataError(
        f'{file}: client_metadata has a row {row}, expected texts as client_id and split_name and '
        'a whole number as num_examples.'
      )
  names = {name for _, name, _ in rows}
  if 'train' not in names and len(names) != 1:
    raise examples.DataError(
      f'{file}: the splits {", ".join(sorted(names)) or "none"} found, expected train with perhaps '
      'validation and test, or one.'
    )
  sizes: dict[str, dict[str, int]] = {}
  for client_id, name, size in rows:
    if 'train' not in names or name in client_parts.PARTS:
      part = name if 'train' in names else client_parts.ALL
      sizes.setdefault(client_id, {})[part] = size
  return sizes


def _example_spec(
  file: pathlib.Path, keys: Sequence[str], example_shape: Sequence[int] | None
) -> dict[str, Any]:
  """Returns the features that `tf.io.parse_example` expects, as in the file's first example."""
  import tensorflow as tf  # Of this room, only what parses TFF's data needs it.

  with _connect(file, 'its first example') as connection:
    row = connection.execute('SELECT serialized_example_proto FROM examples LIMIT 1').fetchone()
  if row is None:
    raise examples.DataError(f'{file}: no examples found, expected some.')
  try:
    features = tf.train.Example.FromString(row[0]).features.feature
  except Exception as error:  # Protobuf's DecodeError, which has no public name.
    raise examples.DataError(f'{file}: its first example is not a tf.train.Example.') from error
  x, y = keys
  lists = {'float_list': tf.float32, 'int64_list': tf.int64}
  kinds = {key: features[key].WhichOneof('kind') for key in sorted(features)}
  if kinds.get(x) not in lists or kinds.get(y) != 'int64_list':
    found = ', '.join(f'{key} ({kind})' for key, kind in kinds.items())
    raise examples.DataError(
      f'{file}: an example has {found}; expected {x} with numbers and {y} with an integer, or '
      'other --example_keys.'
    )
  shape = tuple(example_shape or (len(getattr(features[x], kinds[x]).value),))
  if 0 in shape:
    raise examples.DataError(f'{file}: {x} of an example has no numbers, expected at least one.')
  return {
    x: tf.io.FixedLenFeature(shape, lists[kinds[x]]),
    y: tf.io.FixedLenFeature((), tf.int64),
  }


def _parse(
  where: pathlib.Path, serialized: list[bytes], keys: Sequence[str], spec: Mapping[str, Any]
) -> dict[str, np.ndarray]:
  """Returns features x and labels y of examples."""
  import tensorflow as tf

  try:
    parsed = tf.io.parse_example(serialized, spec)
  # TensorFlow's message may quote bytes that are no text.
  except (tf.errors.OpError, UnicodeDecodeError) as error:
    reason = errors.first_line(error)
    raise examples.DataError(
      f'{where}: an example cannot be read ({reason}), expected {keys[0]} '
      f'{list(spec[keys[0]].shape)} and {keys[1]} [].'
    ) from error
  return {name: parsed[key].numpy() for name, key in zip('xy', keys, strict=True)}
