"""Clients in a folder, an npz file each, read when needed."""

import dataclasses
import math
import pathlib
import zipfile
import zlib
from collections.abc import Iterable, Mapping

import numpy as np

from tff_lg.data import (
  arrays,
  client_examples,
  client_parts,
  client_reader,
  examples,
  federated,
  visible_files,
)

# What follows x and y in the name of an array.
_ENDINGS = {
  client_parts.ALL: '',
  'train': '_train',
  'validation': '_validation',
  'test': '_test',
}
# In place of an input's name where an example has one input, x.
_ONE = ''
_READ_HEADER = {
  (1, 0): np.lib.format.read_array_header_1_0,
  (2, 0): np.lib.format.read_array_header_2_0,
}


def load_client_folder(
  folder: str,
  num_classes: int,
  *,
  objective: str = 'classification',
  split: client_parts.PartSplit | None = None,
  cache_size: int = 1000,
) -> federated.FederatedData:
  """Lists the clients of a folder, one for each file `NAME.npz`.

  A file holds `x` and `y`, which are split; or `x_train` and `y_train` and, where there are
  such, `x_validation`, `y_validation`, `x_test` and `y_test`. All are as in `arrays.load`. `x`
  holds numbers [n, ...]; uint8 is divided by 255. `y` holds labels as the objective says: integers
  [n], numbers [n], or 0 and 1 [n, num_classes].

  Examples with the inputs `age` and `image` have the arrays `x_age` and `x_image` instead of `x`;
  or `x_train_age`, `x_train_image`, `x_test_age` and so on.

  Only the names and shapes of a file's arrays are read here; the arrays when needed.

  Args:
    folder: with the files; files other than npz are ignored.
    num_classes: labels are in [0, num_classes); of numbers 1, of several labels how many.
    objective: what labels are, see `examples.Examples.objective`.
    split: of what is not split; `client_parts.PartSplit()` by default.
    cache_size: clients kept in memory, see `client_reader.ClientReader`.

  Returns:
    The clients by name, without a common test set.

  Raises:
    DataError: there is no folder, or it has no npz file. Or a file is damaged, or holds other
      arrays, no training examples, or rows of another shape than the first file's.
  """
  split = split or client_parts.PartSplit()
  root = pathlib.Path(folder).expanduser()
  client_ids = sorted(path.stem for path in visible_files.find(root, '*.npz'))
  if not client_ids:
    raise examples.DataError(f'{folder}: no npz file found, expected a folder with one per client.')
  sizes, rows, crc = [], [], 0
  for client_id in client_ids:
    path = root / f'{client_id}.npz'
    found_shapes, crc = _read_shapes(path, crc)
    given, row = _sizes(path, found_shapes)
    sizes.append(split.sizes(given))
    rows.append(row)
    if row != rows[0]:
      raise examples.DataError(
        f'{path}: {_describe(row)}, expected {_describe(rows[0])} as in {client_ids[0]}.npz.'
      )
  inputs = rows[0] if _ONE not in rows[0] else {}

  def read(number: int) -> client_examples.ClientExamples:
    path = root / f'{client_ids[number]}.npz'
    found = arrays.read_npz(path)
    given = {}
    for part, names in (arrays_of := _arrays_of_parts(found)).items():
      of_part = {name: found[array] for name, array in names.items()}
      if any(map(len, of_part.values())):
        labels = {'y': found[f'y{_ENDINGS[part]}']} if f'y{_ENDINGS[part]}' in found else {}
        x = of_part if inputs else of_part.get(_ONE, of_part)
        given[part] = arrays.to_examples(path, {'x': x, **labels}, num_classes, objective, inputs)
    return split.split(client_ids[number], given, arrays_of.keys() - given.keys())

  federated_data = client_reader.ClientReader(
    client_ids,
    {part: np.array([of_file[part] for of_file in sizes]) for part in client_parts.PARTS},
    read,
    row_shape=[sum(map(math.prod, inputs.values()))] if inputs else rows[0][_ONE],
    num_classes=num_classes,
    objective=objective,
    cache_size=cache_size,
    data_crc32=crc,
  ).federate()
  return dataclasses.replace(federated_data, inputs=inputs)


def _arrays_of_parts(arrays_found: Iterable[str]) -> dict[str, dict[str, str]]:
  """Returns the names of arrays of x by input and part; where there is one input, it is `_ONE`."""
  found: dict[str, dict[str, str]] = {}
  for array in arrays_found:
    first, _, rest = array.partition('_')
    part, _, name = rest.partition('_')
    if part not in client_parts.PARTS:
      part, name = client_parts.ALL, rest
    if first == 'x':
      found.setdefault(part, {})[name] = array
  one = {part: {_ONE: names[_ONE]} for part, names in found.items() if _ONE in names}
  # Where x is there, what else begins so is no input.
  return {part: (one or found)[part] for part in _ENDINGS if part in (one or found)}


def _describe(row: Mapping[str, tuple[int, ...]]) -> str:
  """Says what inputs rows have."""
  if _ONE in row:
    return f'x has rows of {list(row[_ONE])}'
  return f'the inputs {", ".join(f"{name} {list(shape)}" for name, shape in row.items())}'


def _sizes(
  path: pathlib.Path, shapes: dict[str, tuple[int, ...]]
) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
  """Returns the contents of a file: the number of rows by `all` or part, and a row's inputs."""
  of_x = {
    part: {name: shapes[array] for name, array in names.items()}
    for part, names in _arrays_of_parts(name for name in shapes if shapes[name]).items()
  }
  if (client_parts.ALL in of_x) == ('train' in of_x) or len(of_x) > 1 and client_parts.ALL in of_x:
    raise examples.DataError(
      f'{path}: arrays {", ".join(sorted(shapes))} found, expected x and y; or x_train, y_train '
      'and perhaps x_validation, y_validation, x_test and y_test.'
    )
  for part, ending in _ENDINGS.items():
    if f'y{ending}' in shapes and part not in of_x:
      raise examples.DataError(
        f'{path}: y{ending} found without x{ending}, expected both, with one label per row, or '
        'neither.'
      )
  for part, of_part in of_x.items():
    y = f'y{_ENDINGS[part]}'
    for shape in of_part.values():
      if shapes.get(y, ())[:1] != shape[:1]:
        raise examples.DataError(
          f'{path}: {y} is {list(shapes[y]) if y in shapes else "missing"}, expected '
          f'[{shape[0]}], one label per row of x.'
        )
  row, *others = [{name: shape[1:] for name, shape in found.items()} for found in of_x.values()]
  if any(other != row for other in others):
    raise examples.DataError(f'{path}: its parts have rows of different shapes, expected one.')
  if any(0 in shape for shape in row.values()):
    raise examples.DataError(f'{path}: {_describe(row)}, expected at least one number in each.')
  sizes = {part: next(iter(of_part.values()))[0] for part, of_part in of_x.items()}
  if not next(iter(sizes.values())):
    raise examples.DataError(f'{path}: no training examples found, expected at least one.')
  # A part without rows is as one that is not there, but need not be split off.
  return sizes, row


def _read_shapes(path: pathlib.Path, crc: int) -> tuple[dict[str, tuple[int, ...]], int]:
  """Returns the shapes of a file's arrays, by name, and a CRC that continues with theirs.

  Their values are not read: the archive's list of contents has the CRC of each array.
  """
  shapes = {}
  try:
    with zipfile.ZipFile(path) as archive:
      for member in archive.infolist():
        with archive.open(member) as file:
          version = np.lib.format.read_magic(file)
          shapes[member.filename.removesuffix('.npy')], *_ = _READ_HEADER[version](file)
        crc = zlib.crc32(repr((member.filename, member.CRC)).encode(), crc)
  except Exception as error:  # A damaged archive can raise nearly anything.
    raise examples.DataError(
      f'{path}: cannot be read as an npz file of plain arrays ({error}).'
    ) from error
  return shapes, crc
