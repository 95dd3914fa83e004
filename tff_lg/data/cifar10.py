"""CIFAR-10 from its official python batches, or from Keras.

A batch is a pickled dictionary. Its b'data' is uint8 [n, 3072], one row per image: its red plane,
then its green one, then its blue one. Its b'labels' is a list of n labels.
"""

import io
import pathlib
import pickle

import numpy as np

from tff_lg.data import examples, keras_datasets

_CLASS_NAMES = (
  'airplane',
  'automobile',
  'bird',
  'cat',
  'deer',
  'dog',
  'frog',
  'horse',
  'ship',
  'truck',
)
_FOLDER = 'cifar-10-batches-py'
_TRAIN_FILES = tuple(f'data_batch_{number}' for number in range(1, 6))
_TEST_FILES = ('test_batch',)
_ROW = 3 * 32 * 32


def load(data_dir: str | None = None, seed: int = 0) -> examples.Source:
  """Loads CIFAR-10.

  Args:
    data_dir: the folder with `data_batch_1` to `data_batch_5` and `test_batch`, or the one
      above it, with `cifar-10-batches-py`; None downloads CIFAR-10 with Keras.
    seed: not used, the split is the official one.

  Returns:
    50,000 training and 10,000 test images, float32 [n, 32, 32, 3].

  Raises:
    DataError: a file is missing or damaged, or the download failed.

  Krizhevsky 2009.
  """
  del seed
  if data_dir is None:
    return keras_datasets.load('cifar10', _CLASS_NAMES, f'the official folder {_FOLDER}')
  folder = _folder(data_dir)
  return examples.Source(
    name='cifar10',
    train=_load_batches(folder, _TRAIN_FILES),
    test=_load_batches(folder, _TEST_FILES),
    num_classes=len(_CLASS_NAMES),
    class_names=_CLASS_NAMES,
  )


def find_files(data_dir: str) -> None:
  """Looks for the official files; DataError if one is missing."""
  for name in (*_TRAIN_FILES, *_TEST_FILES):
    _check_exists(_folder(data_dir) / name)


def _folder(data_dir: str) -> pathlib.Path:
  folder = pathlib.Path(data_dir)
  return folder / _FOLDER if (folder / _FOLDER).is_dir() else folder


def _check_exists(path: pathlib.Path) -> None:
  if not path.exists():
    raise examples.DataError(
      f'{path.parent}: no {path.name} found, '
      f'expected {_TRAIN_FILES[0]} to {_TRAIN_FILES[-1]} and {_TEST_FILES[0]}.'
    )


def _load_batches(folder: pathlib.Path, names: tuple[str, ...]) -> examples.Examples:
  """Reads some batches into one array, filled batch by batch."""
  batches = [_read_batch(folder / name) for name in names]
  labels = np.concatenate([labels for _, labels in batches])
  images = np.empty((len(labels), 32, 32, 3), np.float32)
  start = 0
  for pixels, _ in batches:
    planes = pixels.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    examples.scale_pixels(planes, out=images[start : start + len(planes)])
    start += len(planes)
  return examples.Examples(images, labels)


def _read_batch(path: pathlib.Path) -> tuple[np.ndarray, np.ndarray]:
  """Returns the pixels, uint8 [n, 3072], and the labels, int32 [n], of a batch."""
  _check_exists(path)
  try:
    batch = _BatchUnpickler(io.BytesIO(path.read_bytes()), encoding='bytes').load()
    arrays = {key: np.asarray(batch[key]) for key in (b'data', b'labels') if key in batch}
  except Exception as error:  # A damaged pickle can raise nearly anything.
    raise examples.DataError(
      f'{path}: cannot be read as a CIFAR-10 batch ({type(error).__name__}: {error}).'
    ) from error
  if len(arrays) < 2:
    raise examples.DataError(f"{path}: keys {list(arrays)} found, expected b'data' and b'labels'.")
  pixels, labels = arrays[b'data'], arrays[b'labels']
  if pixels.dtype != np.uint8 or pixels.ndim != 2 or pixels.shape[1] != _ROW or not len(pixels):
    raise examples.DataError(
      f"{path}: b'data' is {pixels.dtype} {list(pixels.shape)}, expected uint8 [n, {_ROW}]."
    )
  if labels.dtype.kind not in 'iu' or labels.shape != pixels.shape[:1]:
    raise examples.DataError(
      f"{path}: b'labels' is {labels.dtype} {list(labels.shape)}, expected {len(pixels)} integers."
    )
  examples.check_labels(labels, len(_CLASS_NAMES), str(path))
  return pixels, labels.astype(np.int32)


class _BatchUnpickler(pickle.Unpickler):
  """Unpickles what a batch needs; a pickle from elsewhere could run any code."""

  _ALLOWED = (
    ('_codecs', 'encode'),
    ('numpy', 'dtype'),
    ('numpy', 'ndarray'),
    ('numpy.core.multiarray', '_reconstruct'),  # As NumPy 1 wrote it, and NumPy 2.
    ('numpy._core.multiarray', '_reconstruct'),
  )

  def find_class(self, module: str, name: str) -> object:
    """Finds what `pickle` asks for, if it is on the list."""
    if (module, name) not in self._ALLOWED:
      raise pickle.UnpicklingError(f'{module}.{name} has no place in a batch')
    return super().find_class(module, name)
