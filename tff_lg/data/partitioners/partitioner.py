"""The type of a partitioner."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
  import numpy as np

  from tff_lg.data import examples

# (training examples, number of classes, random generator) -> for each client the indices of its
# training examples: integers, no index twice. All randomness comes from the generator.
Partitioner = Callable[['examples.Examples', int, 'np.random.Generator'], tuple['np.ndarray', ...]]


def check_positive_integer(name: str, value: int) -> None:
  """Raises a ValueError that names the setting unless `value` is a positive integer."""
  if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < 1:
    raise ValueError(f'{name}: {value!r} found, expected a positive integer.')
