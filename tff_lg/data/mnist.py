"""MNIST from its four official idx files, or from Keras.

An idx file begins with two zero bytes, a byte for the type (8: uint8) and a byte for the number of
dimensions. Each dimension follows as a big-endian uint32, then the values.
"""

import math
import pathlib

import numpy as np

from tff_lg.data import bounded, examples, keras_datasets

_CLASS_NAMES = tuple(str(digit) for digit in range(10))


def load(data_dir: str | None = None, seed: int = 0) -> examples.Source:
  """Loads MNIST.

  Args:
    data_dir: the folder with `train-images-idx3-ubyte`, `train-labels-idx1-ubyte`,
      `t10k-images-idx3-ubyte` and `t10k-labels-idx1-ubyte`, each with or without `.gz`; None
      downloads MNIST with Keras. Any data of the same form will do, e.g. Fashion-MNIST.
    seed: not used, the split is the official one.

  Returns:
    60,000 training and 10,000 test images, float32 [n, 28, 28, 1].

  Raises:
    DataError: a file is missing or damaged, or the download failed.

  LeCun et al. 1998.
  """
  del seed
  if data_dir is None:
    files = 'the four official files (train-images-idx3-ubyte.gz ...)'
    return keras_datasets.load('mnist', _CLASS_NAMES, files)
  return examples.Source(
    name='mnist',
    train=_load_part(pathlib.Path(data_dir), 'train'),
    test=_load_part(pathlib.Path(data_dir), 't10k'),
    num_classes=len(_CLASS_NAMES),
    class_names=_CLASS_NAMES,
  )


def find_files(data_dir: str) -> None:
  """Looks for the official files; DataError if one is missing."""
  for part in ('train', 't10k'):
    for kind in ('images-idx3', 'labels-idx1'):
      _find(pathlib.Path(data_dir), f'{part}-{kind}-ubyte')


def _load_part(folder: pathlib.Path, part: str) -> examples.Examples:
  """Reads the images and the labels of a part, 'train' or 't10k'."""
  images_path = _find(folder, f'{part}-images-idx3-ubyte')
  labels_path = _find(folder, f'{part}-labels-idx1-ubyte')
  images = _read_idx(images_path, num_dimensions=3)
  labels = _read_idx(labels_path, num_dimensions=1)
  if images.shape[1:] != (28, 28):
    height, width = images.shape[1:]
    raise examples.DataError(
      f'{images_path}: images of {height} x {width} found, expected 28 x 28.'
    )
  if not len(images):
    raise examples.DataError(f'{images_path}: 0 images found, expected at least one.')
  if len(labels) != len(images):
    raise examples.DataError(
      f'{labels_path}: {len(labels)} labels found, expected {len(images)} '
      f'as {images_path.name} has that many images.'
    )
  examples.check_labels(labels, len(_CLASS_NAMES), str(labels_path))
  return examples.Examples(examples.scale_pixels(images[..., np.newaxis]), labels.astype(np.int32))


def _find(folder: pathlib.Path, name: str) -> pathlib.Path:
  for path in (folder / name, folder / f'{name}.gz'):
    if path.exists():
      return path
  raise examples.DataError(f'{folder}: no {name} found, expected this file or {name}.gz.')


def _read_idx(path: pathlib.Path, num_dimensions: int) -> np.ndarray:
  """Returns the uint8 array in an idx file."""
  header_size = 4 + 4 * num_dimensions
  magic = 0x0800 + num_dimensions
  content = _read(path, header_size)
  if len(content) < header_size:
    raise examples.DataError(
      f'{path}: {len(content)} bytes found, expected a header of {header_size} bytes.'
    )
  header = [int(number) for number in np.frombuffer(content, '>u4', 1 + num_dimensions)]
  if header[0] != magic:
    raise examples.DataError(f'{path}: magic number {header[0]} found, expected {magic}.')
  shape = header[1:]
  expected_size = header_size + math.prod(shape)
  content = _read(path, expected_size)
  if len(content) != expected_size:
    found = f'more than {expected_size}' if len(content) > expected_size else len(content)
    raise examples.DataError(
      f'{path}: {found} bytes found, expected {expected_size} '
      f'for {" x ".join(map(str, shape))} values.'
    )
  return np.frombuffer(content, np.uint8, offset=header_size).reshape(shape)


def _read(path: pathlib.Path, most: int) -> bytearray:
  try:
    return bounded.read(path, most)
  except OSError as error:
    raise examples.DataError(f'{path}: cannot be read as an idx file ({error}).') from error
