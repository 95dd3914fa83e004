"""The values of this room: labelled examples, a source of them, and its error."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
  from tff_lg.data import table_encoding

# Each client's predictions are held for every class.
MOST_CLASSES = 10_000

# Fields of examples that some data do not have.
_OPTIONAL = ('users', 'attributes', 'answers', 'weights')


class DataError(ValueError):
  """Data that cannot be used; the message names the file, what was found, what was expected."""


@dataclasses.dataclass(frozen=True, eq=False)
class Examples:
  """Labelled examples, row by row.

  Attributes:
    x: float32 [n, ...], images are [n, height, width, channels] in [0, 1]; or int32 [n, ...],
      e.g. sequences of tokens [n, T].
    y: int32, labels from 0: [n], or for sequences [n, T], one per position of x. Or float32:
      numbers to be predicted [n], or 0 and 1 [n, num_labels] where an example has any of several
      labels.
    users: str [n], the natural client of each example, where the data have one.
    attributes: int32 [n, k], protected attributes from 0, such as sex, where the data have any.
    answers: int32 [n, k], where annotators say what is right: the label that each of them gave,
      -1 for one that is not a class.
    weights: float32 [n], finite and not negative, the factor of each example's loss in training.

  Raises:
    DataError: a wrong dtype, arrays of different lengths, or a weight that cannot be.
  """

  x: np.ndarray
  y: np.ndarray
  users: np.ndarray | None = None
  attributes: np.ndarray | None = None
  answers: np.ndarray | None = None
  weights: np.ndarray | None = None

  def __post_init__(self) -> None:
    if self.x.dtype not in (np.float32, np.int32) or self.x.ndim < 1:
      found = f'{self.x.dtype} {list(self.x.shape)}'
      raise DataError(f'x is {found}, expected float32 or int32 [n, ...].')
    shapes = (self.x.shape[:1], self.x.shape[:2])
    is_float = self.y.dtype == np.float32 and self.y.ndim in (1, 2)
    if not is_float and (self.y.dtype != np.int32 or self.y.shape not in shapes):
      found = f'{self.y.dtype} {list(self.y.shape)}'
      raise DataError(
        f'y is {found}, expected int32 [{len(self.x)}], one label per row of x, or for sequences '
        'one per position of x; or float32, numbers or several labels per row.'
      )
    if is_float and len(self.y) != len(self.x):
      raise DataError(f'y has {len(self.y)} rows, expected {len(self.x)}, one per row of x.')
    users = self.users
    if users is not None and (users.dtype.kind != 'U' or users.shape != self.x.shape[:1]):
      found = f'{users.dtype} {list(users.shape)}'
      raise DataError(f'users is {found}, expected str [{len(self.x)}], one name per row of x.')
    for name in ('attributes', 'answers'):
      array = getattr(self, name)
      if array is not None and (
        array.dtype != np.int32 or array.ndim != 2 or len(array) != len(self.x)
      ):
        found = f'{array.dtype} {list(array.shape)}'
        raise DataError(f'{name} is {found}, expected int32 [{len(self.x)}, k].')
    if self.weights is not None:
      check_weights(self.weights, len(self.x), 'weights')

  def __len__(self) -> int:
    return len(self.y)

  @property
  def has_classes(self) -> bool:
    """Whether labels are classes, of an example or of its positions."""
    return self.y.dtype == np.int32

  @property
  def objective(self) -> str:
    """The kind of prediction: a class (`classification`), a number, or any of several labels."""
    if self.has_classes:
      return 'classification'
    return 'regression' if self.y.ndim == 1 else 'multilabel'

  @property
  def strata(self) -> np.ndarray:
    """Integers [n] by which examples are spread alike: classes; all alike where there are none."""
    return self.y if self.has_classes else np.zeros(len(self), np.int32)

  def take(self, indices: np.ndarray) -> Examples:
    """Returns a copy of the examples at `indices` (integers [m]), in that order."""

    def taken(of_all: np.ndarray | None) -> np.ndarray | None:
      return None if of_all is None else of_all[indices]

    more = map(taken, (getattr(self, name) for name in _OPTIONAL))
    return Examples(self.x[indices], self.y[indices], *more)

  def relative_weights(self) -> np.ndarray:
    """Returns the weights divided by their mean, float32 [n]; all are 1 without weights."""
    if self.weights is None or not self.weights.any():
      return np.ones(len(self), np.float32)
    return (self.weights / self.weights.mean(dtype=np.float64)).astype(np.float32)


def concatenate(parts: Sequence[Examples]) -> Examples:
  """Returns all examples of the parts, at least one, in their order; users only if all have them.

  The same holds for attributes, answers and weights.
  """

  def joined(name: str) -> np.ndarray | None:
    of_parts = [getattr(part, name) for part in parts]
    return None if any(values is None for values in of_parts) else np.concatenate(of_parts)

  x, y = (np.concatenate([getattr(part, name) for part in parts]) for name in ('x', 'y'))
  return Examples(x, y, *map(joined, _OPTIONAL))


@dataclasses.dataclass(frozen=True, eq=False)
class Source:
  """A data set before it is spread over clients.

  Attributes:
    name: e.g. 'mnist'.
    train: the examples that become the clients' training and validation data.
    test: the examples never trained on.
    num_classes: labels are in [0, num_classes); of numbers 1, of several labels how many.
    class_names: one name a class.
    encoding: of a table, how its columns became features; None for other data.
    inputs: the shape of each of several inputs by its name, in the order of the columns of x; empty
      for one input.

  Raises:
    DataError: a label out of range, training and test rows of different shapes, weights of one part
      alone, or not one name a class.
  """

  name: str
  train: Examples
  test: Examples
  num_classes: int
  class_names: tuple[str, ...]
  encoding: table_encoding.TableEncoding | None = None
  inputs: Mapping[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)

  def __post_init__(self) -> None:
    for part, labelled in (('train', self.train), ('test', self.test)):
      if labelled.has_classes:
        check_labels(labelled.y, self.num_classes, f'{self.name} ({part})')
    train_shape, test_shape = list(self.train.x.shape[1:]), list(self.test.x.shape[1:])
    if train_shape != test_shape:
      raise DataError(
        f'{self.name}: a test example has shape {test_shape}, expected {train_shape}.'
      )
    if (self.train.weights is None) != (self.test.weights is None):
      raise DataError(f'{self.name}: one of training and test examples has weights, expected both.')
    check_class_names(self.class_names, self.name)
    if len(self.class_names) != self.num_classes:
      raise DataError(
        f'{self.name}: {len(self.class_names)} class names, expected {self.num_classes}.'
      )


def check_class_names(names: Sequence[str], where: str) -> None:
  """Checks the names of classes; raises a `DataError` that names `where` if they cannot be."""
  if len(names) > MOST_CLASSES:
    raise DataError(f'{where}: {len(names)} classes found, expected at most {MOST_CLASSES}.')
  name, times = collections.Counter(names).most_common(1)[0]
  if times > 1:
    raise DataError(f'{where}: {times} classes are named {name!r}, expected a name for each.')


def check_labels(labels: np.ndarray, num_classes: int, where: str) -> None:
  """Checks integer `labels`; raises a `DataError` that names `where` if one is out of range."""
  wrong = np.flatnonzero((labels < 0) | (labels >= num_classes))
  if len(wrong):
    raise DataError(
      f'{where}: label {labels[wrong[0]]} found at position {wrong[0]}, '
      f'expected labels from 0 to {num_classes - 1}.'
    )


def weigh_alike(test: Examples, train: Examples) -> Examples:
  """Returns test examples of weight 1 if training examples have weights, else without any."""
  weights = None if train.weights is None else np.ones(len(test), np.float32)
  return dataclasses.replace(test, weights=weights)


def check_weights(weights: np.ndarray, size: int, where: str, first: int = 0) -> None:
  """Checks weights of examples.

  Args:
    weights: of the examples.
    size: how many examples there are.
    where: names the weights in errors.
    first: number of the first row in errors.

  Raises:
    DataError: other than float32 [size], finite and not negative; one sentence.
  """
  if weights.dtype != np.float32 or weights.shape != (size,):
    found = f'{weights.dtype} {list(weights.shape)}'
    raise DataError(f'{where} is {found}, expected {size} numbers, one a row.')
  wrong = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
  if len(wrong):
    raise DataError(
      f'{where} has {weights[wrong[0]]:g} in row {wrong[0] + first}, expected finite numbers >= 0.'
    )


def scale_pixels(pixels: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
  """Divides uint8 `pixels` by 255 into float32 (into `out` if given), with no second copy."""
  return np.divide(pixels, np.float32(255), out=out, dtype=np.float32)
