"""Clients in a folder, an npz file each, read when needed."""

import pathlib
import zipfile
import zlib

import numpy as np

from tff_lg.data import arrays, client_examples, client_parts, client_reader, examples, federated

# What follows x and y in the name of an array.
_ENDINGS = {
  client_parts.ALL: '',
  'train': '_train',
  'validation': '_validation',
  'test': '_test',
}
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
  client_ids = sorted(path.stem for path in root.glob('*.npz'))
  if not client_ids:
    raise examples.DataError(f'{folder}: no npz file found, expected a folder with one per client.')
  sizes, shapes, crc = [], [], 0
  for client_id in client_ids:
    path = root / f'{client_id}.npz'
    found_shapes, crc = _read_shapes(path, crc)
    given, shape = _sizes(path, found_shapes)
    sizes.append(split.sizes(given))
    shapes.append(shape)
    if shape != shapes[0]:
      raise examples.DataError(
        f'{path}: x has rows of {list(shape)}, expected {list(shapes[0])} as in '
        f'{client_ids[0]}.npz.'
      )

  def read(number: int) -> client_examples.ClientExamples:
    path = root / f'{client_ids[number]}.npz'
    found = arrays.read_npz(path)
    given = {}
    endings = {name: ending for name, ending in _ENDINGS.items() if f'x{ending}' in found}
    for name, ending in endings.items():
      if len(found[f'x{ending}']):
        of_part = {key: found[f'{key}{ending}'] for key in 'xy' if f'{key}{ending}' in found}
        given[name] = arrays.to_examples(path, of_part, num_classes, objective)
    return split.split(client_ids[number], given, endings.keys() - given.keys())

  return client_reader.ClientReader(
    client_ids,
    {part: np.array([of_file[part] for of_file in sizes]) for part in client_parts.PARTS},
    read,
    row_shape=shapes[0],
    num_classes=num_classes,
    objective=objective,
    cache_size=cache_size,
    data_crc32=crc,
  ).federate()


def _sizes(
  path: pathlib.Path, shapes: dict[str, tuple[int, ...]]
) -> tuple[dict[str, int], tuple[int, ...]]:
  """Returns the contents of a file: the number of rows by `all` or part, and a row's shape."""
  of_x = {name: shapes[f'x{e}'] for name, e in _ENDINGS.items() if shapes.get(f'x{e}')}
  if (client_parts.ALL in of_x) == ('train' in of_x) or len(of_x) > 1 and client_parts.ALL in of_x:
    raise examples.DataError(
      f'{path}: arrays {", ".join(sorted(shapes))} found, expected x and y; or x_train, y_train '
      'and perhaps x_validation, y_validation, x_test and y_test.'
    )
  for name, shape in of_x.items():
    y = f'y{_ENDINGS[name]}'
    if shapes.get(y, ())[:1] != shape[:1]:
      raise examples.DataError(
        f'{path}: {y} is {list(shapes[y]) if y in shapes else "missing"}, expected '
        f'[{shape[0]}], one label per row of x.'
      )
  if len({shape[1:] for shape in of_x.values()}) > 1:
    raise examples.DataError(f'{path}: its parts have rows of different shapes, expected one.')
  first, *_ = of_x.values()
  if 0 in first[1:]:
    raise examples.DataError(
      f'{path}: x has rows of {list(first[1:])}, expected at least one number in each.'
    )
  if not first[0]:
    raise examples.DataError(f'{path}: no training examples found, expected at least one.')
  # A part without rows is as one that is not there, but need not be split off.
  return {name: shape[0] for name, shape in of_x.items()}, first[1:]


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
