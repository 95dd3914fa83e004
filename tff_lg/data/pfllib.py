"""Data sets in folders of PFLlib: `train/0.npz`, `test/0.npz` and so on, one file per client.

Each file holds a pickled dict, and pickle can run any code. These files are read by an unpickler
that knows NumPy's arrays and Python's own containers and refuses everything else.
"""

import io
import pathlib
import pickle
import zipfile
from typing import Any

import numpy as np
from numpy.lib import format as npy_format

from tff_lg.data import bounded, examples, own_data, visible_files

_PARTS = ('train', 'test')
# What a pickled array consists of, in NumPy 1 and 2.
_ALLOWED = {
  (module, name)
  for module in ('numpy.core.multiarray', 'numpy._core.multiarray')
  for name in ('_reconstruct', 'scalar')
} | {
  ('numpy.core.numeric', '_frombuffer'),
  ('numpy._core.numeric', '_frombuffer'),
  ('numpy', 'ndarray'),
  ('numpy', 'dtype'),
  ('_codecs', 'encode'),
}


def load_pfllib(data_dir: str) -> examples.Source:
  """Loads a data set of PFLlib.

  Images [n, channels, height, width] with one or three channels become [n, height, width,
  channels]. Numbers stay as they are.

  Args:
    data_dir: the folder with `train` and `test`, each with a file per client.

  Returns:
    The data set, with the files' names as users, for the natural partition.

  Raises:
    DataError: files are missing or damaged, or hold something else; one sentence.
  """
  found = find_files(data_dir)
  parts = []
  for part in _PARTS:
    rows = [(file.stem, *_read(file)) for file in found[part]]
    shapes = {of_client.shape[1:] for _, of_client, _ in rows}
    if len(shapes) > 1:
      listed = ' and '.join(str(list(shape)) for shape in sorted(shapes)[:2])
      raise examples.DataError(f'{data_dir}: x has rows of {listed}, expected one shape.')
    clients = np.repeat([name for name, _, _ in rows], [len(y) for _, _, y in rows])
    x, y = (np.concatenate([row[index] for row in rows]) for index in (1, 2))
    parts.append((x, y, clients))
  return own_data.from_arrays(*parts[0], test=parts[1], where=str(data_dir))


def find_files(data_dir: str) -> dict[str, list[pathlib.Path]]:
  """Lists the files of both parts, without reading them.

  Raises:
    DataError: a folder or its files are missing, or a client has test data alone.
  """
  folder = pathlib.Path(data_dir).expanduser()
  found = {part: sorted(visible_files.find(folder / part, '*.npz'), key=_number) for part in _PARTS}
  for part, files in found.items():
    if not files:
      raise examples.DataError(f'{folder}: no {part}/*.npz found, expected a file per client.')
  alone = sorted({file.stem for file in found['test']} - {file.stem for file in found['train']})
  if alone:
    raise examples.DataError(
      f'{folder}: test/{alone[0]}.npz found, but not train/{alone[0]}.npz of the same client.'
    )
  return found


def _number(file: pathlib.Path) -> tuple[int, str]:
  return (int(file.stem) if file.stem.isdecimal() else 0, file.stem)


class _Unpickler(pickle.Unpickler):
  """Reads arrays of NumPy and Python's own containers."""

  def find_class(self, module: str, name: str) -> Any:
    """Returns what a pickled array needs; raises for everything else."""
    if (module, name) in _ALLOWED:
      return super().find_class(module, name)
    raise pickle.UnpicklingError(f'it names {module}.{name}, which could run code')


def _read(path: pathlib.Path) -> tuple[np.ndarray, np.ndarray]:
  """Reads x and y of a client."""
  try:
    with zipfile.ZipFile(path) as archive:
      bounded.check(path, sum(member.file_size for member in archive.infolist()))
      content = archive.read('data.npy')
    values = _unpickle(content)
  except examples.DataError:
    raise
  except Exception as error:  # A damaged archive or pickle can raise nearly anything.
    raise examples.DataError(
      f'{path}: cannot be read as PFLlib writes it, data = a dict of x and y ({error}).'
    ) from error
  if not isinstance(values, dict) or not {'x', 'y'} <= values.keys():
    found = sorted(map(str, values)) if isinstance(values, dict) else type(values).__name__
    raise examples.DataError(f'{path}: {found} found, expected a dict of x and y.')
  if isinstance(values['x'], dict):
    raise examples.DataError(
      f'{path}: x has the inputs {", ".join(map(str, values["x"]))}, but files of PFLlib have one '
      'array; several inputs are for --task=arrays and --task=client_files.'
    )
  x, y = np.asarray(values['x']), np.asarray(values['y'])
  if x.dtype.kind not in 'buif' or x.ndim < 2 or len(x) != len(y):
    raise examples.DataError(
      f'{path}: x is {x.dtype} {list(x.shape)} and y {list(y.shape)}, expected numbers [n, ...] '
      'and [n]; texts are not supported.'
    )
  is_image = x.ndim == 4 and x.shape[1] in (1, 3)
  return (np.moveaxis(x, 1, -1) if is_image else x), y


def _unpickle(content: bytes) -> Any:
  """Returns the object in a npy file of one."""
  stream = io.BytesIO(content)
  version = npy_format.read_magic(stream)
  header = (
    npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
  )
  shape, _, dtype = header(stream)
  if shape != () or not dtype.hasobject:
    raise ValueError(f'data is {dtype} {list(shape)}')
  return _Unpickler(stream).load().item()
