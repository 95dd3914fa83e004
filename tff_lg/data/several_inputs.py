"""Examples with several inputs, each an array with a name: joined as the columns of one array."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tff_lg.data import examples

# Of arrays in a file: `x_age` is the input `age`.
_PREFIX = 'x_'


def gather(arrays: dict[str, Any]) -> None:
  """Replaces arrays `x_...` of a file by one entry `x`, the inputs by name; nothing if x is there.

  Args:
    arrays: of the file, by name; changed in place.
  """
  names = [name for name in arrays if name.startswith(_PREFIX) and name != _PREFIX]
  if 'x' not in arrays and names:
    arrays['x'] = {name.removeprefix(_PREFIX): arrays.pop(name) for name in names}


def shapes(x: np.ndarray | Mapping[str, np.ndarray]) -> dict[str, tuple[int, ...]]:
  """Returns the shape of each input of an example, by name; of one array nothing."""
  return {name: part.shape[1:] for name, part in x.items()} if isinstance(x, Mapping) else {}


def join(
  x: np.ndarray | Mapping[str, np.ndarray],
  inputs: Mapping[str, tuple[int, ...]],
  to_features: Callable[[np.ndarray, str], np.ndarray],
  where: str,
) -> np.ndarray:
  """Returns inputs as the columns of one array.

  Args:
    x: each input [n, ...] by name; or one array, where examples have one input.
    inputs: the shape of each by its name, in the order of the columns; empty for one array.
    to_features: (array, name in errors) -> float32 of the same shape, checked.
    where: names the data in errors.

  Returns:
    float32 [n, d]; one array as `to_features` returns it.

  Raises:
    DataError: other inputs, or other shapes or numbers of rows; one sentence.
  """
  found = x if isinstance(x, Mapping) else {'x': x}
  if found.keys() != (inputs.keys() or {'x'}):
    raise examples.DataError(
      f'{where}: the inputs {", ".join(found)} found, expected {", ".join(inputs) or "x alone"}.'
    )
  if not inputs:
    return to_features(found['x'], 'x')
  parts = {name: to_features(found[name], f'the input {name}') for name in inputs}
  num_rows = len(next(iter(parts.values())))
  for name, shape in inputs.items():
    if parts[name].shape[1:] != tuple(shape) or len(parts[name]) != num_rows:
      raise examples.DataError(
        f'{where}: the input {name} has the shape {list(parts[name].shape)}, '
        f'expected {[num_rows, *shape]}.'
      )
  return np.concatenate(
    [parts[name].reshape(num_rows, math.prod(inputs[name])) for name in inputs], 1
  )
