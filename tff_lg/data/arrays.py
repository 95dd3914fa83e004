"""The user's own data, from npz files."""

import pathlib
import types
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from absl import logging

from tff_lg import metrics
from tff_lg.data import bounded, examples, several_inputs, splits

_TEST_FRACTION = 0.2
# Above it, numbers of images are pixels from 0 to 255, with which networks learn badly.
_MOST_OF_PIXELS = 100


def load(
  data_dir: str | None = None, seed: int = 0, objective: str = 'classification'
) -> examples.Source:
  """Loads `train.npz` and, if it is there, `test.npz`.

  Each holds these arrays (write them with `np.savez`):

  - `x`: numbers [n, ...]. They are taken as they are, except that uint8 is divided by 255, as
    pixels.
  - `y`: labels, integers [n] from 0, or texts. With other objectives: numbers [n] to be predicted,
    or 0 and 1 [n, num_labels] where an example has any of several labels.
  - `users`, optional: names or integers [n], the natural client of each example.
  - `weights`, optional: numbers [n] from 0, factors of the examples' losses in training.
  - `class_names`, optional, in `train.npz`: names [num_classes], at least two, none twice.
    Without it, classes are the texts of both files, by the alphabet. Integers have as many classes
    as the largest label of both files says, and no more than there are training examples.

  Examples with several inputs have an array for each instead of `x`, such as `x_age` and `x_image`
  for the inputs `age` and `image`.

  Without `test.npz` a fifth of the examples (of each user, if there are users) is held out,
  stratified by class.

  Args:
    data_dir: the folder with the files.
    seed: of the split, where one is made.
    objective: what y is, see `examples.Examples.objective`.

  Returns:
    The data set, named 'arrays'.

  Raises:
    DataError: a file is missing or damaged, or holds other arrays.
    ValueError: no `data_dir`.
  """
  if data_dir is None:
    raise ValueError('data_dir: none found, expected the folder with train.npz.')
  train_path, test_path = (pathlib.Path(data_dir) / name for name in ('train.npz', 'test.npz'))
  train_arrays = read_npz(train_path)
  predicts = metrics.get_objective(objective)
  class_names = _class_names(train_path, train_arrays)
  test_arrays = read_npz(test_path) if test_path.exists() else None
  files = [arrays for arrays in (train_arrays, test_arrays) if arrays is not None]
  for arrays in files:
    several_inputs.gather(arrays)
  if predicts.predicts_classes:
    class_names = _encode_files(files, class_names, data_dir)
  num_classes = None if class_names is None else len(class_names)
  if predicts.predicts_numbers:
    num_classes, class_names = 1, ('target',)
  inputs = several_inputs.shapes(train_arrays.get('x', {}))
  train = to_examples(train_path, train_arrays, num_classes, objective, inputs)
  if class_names is None:
    number = train.y.max() + 1 if predicts.predicts_classes else train.y.shape[1]
    if predicts.predicts_classes and test_arrays is not None:
      number = max(number, _num_classes(test_arrays.get('y'), len(train)))
    class_names = tuple(str(label) for label in range(number))
    examples.check_class_names(class_names, str(train_path))
  if predicts.predicts_classes and len(class_names) < 2:
    raise examples.DataError(
      f'{train_path}: one class found, {class_names[0]}, expected at least two.'
    )
  if test_arrays is not None:
    test = to_examples(test_path, test_arrays, len(class_names), objective, inputs)
    test = examples.weigh_alike(test, train)
    if test.x.shape[1:] != train.x.shape[1:]:
      raise examples.DataError(
        f'{test_path}: x has rows of {list(test.x.shape[1:])}, '
        f'expected {list(train.x.shape[1:])} as in {train_path.name}.'
      )
  else:
    train, test = split(train, np.random.default_rng(seed), _TEST_FRACTION)
  return examples.Source('arrays', train, test, len(class_names), class_names, inputs=inputs)


def has_users(data_dir: str) -> bool:
  """Returns whether `train.npz` has `users`, by its list of contents; False if it is damaged."""
  try:
    with zipfile.ZipFile(pathlib.Path(data_dir).expanduser() / 'train.npz') as archive:
      return 'users.npy' in archive.namelist()
  except (OSError, zipfile.BadZipFile):
    return False


def find_files(data_dir: str) -> None:
  """Looks for `train.npz`; DataError if it is missing."""
  _check_exists(pathlib.Path(data_dir) / 'train.npz')


def _check_exists(path: pathlib.Path) -> None:
  if not path.exists():
    raise examples.DataError(f'{path.parent}: no {path.name} found, expected one with x and y.')


def read_npz(path: pathlib.Path) -> dict[str, Any]:
  """Reads all arrays of a file; DataError if it is missing or damaged."""
  _check_exists(path)
  try:
    with bounded.open_npz(path) as arrays:
      return dict(arrays)
  except examples.DataError:
    raise
  except Exception as error:  # A damaged archive can raise nearly anything.
    raise examples.DataError(
      f'{path}: cannot be read as an npz file of plain arrays ({error}).'
    ) from error


def to_examples(
  path: pathlib.Path,
  arrays: dict[str, Any],
  num_classes: int | None,
  objective: str = 'classification',
  inputs: Mapping[str, tuple[int, ...]] = types.MappingProxyType({}),
) -> examples.Examples:
  """Checks the arrays of a file and gives them their dtypes.

  Args:
    path: named in errors.
    arrays: x, y and perhaps users and weights, as of `load`; x is taken out. It maps names to
      arrays where there are several inputs.
    num_classes: None for as many as there are rows at most; how many labels, where an example has
      any of several.
    objective: what y is, see `examples.Examples.objective`.
    inputs: see `examples.Source.inputs`.

  Returns:
    The examples.

  Raises:
    DataError: other arrays, or values that cannot be.
  """
  if not {'x', 'y'} <= arrays.keys():
    raise examples.DataError(f'{path}: arrays {sorted(arrays)} found, expected x and y.')
  x = several_inputs.join(
    arrays.pop('x'), inputs, lambda *named: _to_features(path, *named), str(path)
  )
  y, users, weights = arrays['y'], arrays.get('users'), arrays.get('weights')
  predicts = metrics.get_objective(objective)
  if predicts.predicts_classes:
    labels = _to_classes(path, y, len(x), num_classes)
  elif predicts.predicts_numbers:
    labels = _to_numbers(path, y, len(x))
  else:
    labels = _to_several_labels(path, y, len(x), num_classes)
  if users is not None and (users.dtype.kind not in 'iuU' or users.shape != x.shape[:1]):
    raise examples.DataError(
      f'{path}: users is {users.dtype} {list(users.shape)}, '
      f'expected {len(x)} names or integers, one per row of x.'
    )
  if weights is not None:
    with np.errstate(over='ignore'):  # The check finds what is too large for float32.
      weights = weights.astype(np.float32) if weights.dtype.kind in 'buif' else weights
    examples.check_weights(weights, len(x), f'{path}: weights')
  return examples.Examples(x, labels, None if users is None else users.astype(str), weights=weights)


def _to_features(path: pathlib.Path, x: np.ndarray, name: str) -> np.ndarray:
  if x.dtype.kind not in 'buif' or x.ndim < 2 or not x.size:
    raise examples.DataError(
      f'{path}: {name} is {x.dtype} {list(x.shape)}, expected numbers [n, ...], at least one row '
      'with at least one number.'
    )
  with np.errstate(over='ignore'):  # The next check finds what is too large for float32.
    features = examples.scale_pixels(x) if x.dtype == np.uint8 else x.astype(np.float32, copy=False)
  if not np.isfinite(features).all():
    row = np.argwhere(~np.isfinite(features))[0][0]
    raise examples.DataError(
      f'{path}: {name} has a value in row {row} that is not a finite float32.'
    )
  if x.ndim > 2 and x.dtype != np.uint8 and features.max() > _MOST_OF_PIXELS:
    # Once, as there may be a file for each client.
    logging.log_first_n(
      logging.WARNING,
      '%s: %s has numbers up to %g; save pixels as uint8, or divide them by 255.',
      1,
      path,
      name,
      features.max(),
    )
  return features


def _to_classes(
  path: pathlib.Path, y: np.ndarray, size: int, num_classes: int | None
) -> np.ndarray:
  if y.dtype.kind not in 'iu' or y.shape != (size,):
    raise examples.DataError(
      f'{path}: y is {y.dtype} {list(y.shape)}, expected {size} integers, one per row of x.'
    )
  # Before the cast to int32, which would turn an absurd label into another one.
  examples.check_labels(y, num_classes or len(y), str(path))
  return y.astype(np.int32)


def _encode_files(
  files: Sequence[dict[str, Any]], class_names: tuple[str, ...] | None, data_dir: str
) -> tuple[str, ...] | None:
  """Puts classes that are texts into numbers; returns names of classes, where they are known."""
  with_labels = [arrays for arrays in files if 'y' in arrays]
  labels, names = encode_texts([arrays['y'] for arrays in with_labels], class_names, data_dir)
  for arrays, y in zip(with_labels, labels, strict=True):
    arrays['y'] = y
  return names


def encode_texts(
  labels: Sequence[np.ndarray], class_names: Sequence[str] | None, where: str
) -> tuple[list[np.ndarray], tuple[str, ...] | None]:
  """Encodes classes that are texts.

  Args:
    labels: arrays, of training and of test examples.
    class_names: in the order of their numbers; None for that of the alphabet.
    where: names the data in errors.

  Returns:
    Arrays of integers and the names of classes, if labels are texts; otherwise what is given.

  Raises:
    DataError: a label is missing, or not among the names; or only some labels are texts.
  """
  names = None if class_names is None else tuple(class_names)
  if not any(part.dtype.kind in 'UO' for part in labels):
    return list(labels), names
  flat = np.concatenate([part.reshape(-1).astype(object) for part in labels])
  if not all(isinstance(label, str) and label for label in flat.tolist()):
    raise examples.DataError(
      f'{where}: y has a label that is missing or not a text, expected one per row.'
    )
  found, places = np.unique(flat.astype(str), return_inverse=True)
  names = tuple(found.tolist()) if names is None else names
  if unknown := [name for name in found.tolist() if name not in names]:
    raise examples.DataError(
      f'{where}: y has the label {unknown[0]!r}, expected one of class_names.'
    )
  encoded = np.array([names.index(name) for name in found], np.int32)[places]
  ends = np.cumsum([part.size for part in labels])[:-1]
  parts = zip(np.split(encoded, ends), labels, strict=True)
  return [part.reshape(like.shape) for part, like in parts], names


def _num_classes(test_y: np.ndarray | None, most: int) -> int:
  """Returns how many classes labels of test examples say, at most `most`; 0 if they say none."""
  if test_y is None or test_y.dtype.kind not in 'iu' or not test_y.size:
    return 0  # What is wrong with them, `to_examples` says.
  return min(int(test_y.max()) + 1, most)


def _to_numbers(path: pathlib.Path, y: np.ndarray, size: int) -> np.ndarray:
  if y.dtype.kind not in 'buif' or y.shape not in ((size,), (size, 1)):
    raise examples.DataError(
      f'{path}: y is {y.dtype} {list(y.shape)}, expected {size} numbers, one per row of x.'
    )
  with np.errstate(over='ignore'):
    numbers = y.reshape(-1).astype(np.float32)
  wrong = np.flatnonzero(~np.isfinite(numbers))
  if len(wrong):
    raise examples.DataError(
      f'{path}: y has {y.reshape(-1)[wrong[0]]} in row {wrong[0]}, expected a finite float32.'
    )
  return numbers


def _to_several_labels(
  path: pathlib.Path, y: np.ndarray, size: int, num_classes: int | None
) -> np.ndarray:
  is_matrix = y.ndim == 2 and len(y) == size and y.shape[1] == (num_classes or y.shape[1])
  if y.dtype.kind not in 'buif' or not is_matrix or not np.isin(y, (0, 1)).all():
    number = 'num_labels' if num_classes is None else num_classes
    raise examples.DataError(
      f'{path}: y is {y.dtype} {list(y.shape)}, expected 0 and 1 [{size}, {number}], a row of '
      'labels for each row of x.'
    )
  return y.astype(np.float32)


def _class_names(path: pathlib.Path, arrays: dict[str, np.ndarray]) -> tuple[str, ...] | None:
  names = arrays.get('class_names')
  if names is None:
    return None
  if names.dtype.kind != 'U' or names.ndim != 1 or not len(names):
    raise examples.DataError(
      f'{path}: class_names is {names.dtype} {list(names.shape)}, expected strings [num_classes].'
    )
  examples.check_class_names(tuple(names.tolist()), str(path))
  return tuple(names.tolist())


def split(
  data: examples.Examples, rng: np.random.Generator, test_fraction: float
) -> tuple[examples.Examples, examples.Examples]:
  """Holds out a test set, within each user if there are any.

  Args:
    data: all examples.
    rng: chooses the test examples.
    test_fraction: the part held out, in [0, 1).

  Returns:
    Examples for training and for testing.
  """
  owners = None if data.users is None else np.unique(data.users, return_inverse=True)[1]
  is_test = splits.hold_out_of_each(data.strata, owners, test_fraction, rng)
  return data.take(np.flatnonzero(~is_test)), data.take(np.flatnonzero(is_test))
