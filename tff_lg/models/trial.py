"""Trials, in which two networks compute the same batch."""

from collections.abc import Sequence

import numpy as np

_NUM_EXAMPLES = 2
# Of dimensions of any length.
_LENGTH = 3
_TOLERANCE = 1e-4


def draw(shape: Sequence[int | None], dtype: str = 'float32', seed: int = 0) -> np.ndarray:
  """Returns a batch for one input of a network, the same for a seed.

  As whole numbers, all values are 0 or 1: they may be ids of an embedding.

  Args:
    shape: of an example; None for a dimension of any length.
    dtype: that the input has.
    seed: another one for each input.
  """
  sizes = [_NUM_EXAMPLES, *(size or _LENGTH for size in shape)]
  return np.random.default_rng(seed).normal(size=sizes).clip(-0.9, 1.9).astype(dtype)


def agree(found: np.ndarray, expected: np.ndarray) -> bool:
  """Returns whether two networks have computed the same, up to rounding."""
  return np.allclose(found, expected, rtol=_TOLERANCE, atol=_TOLERANCE)
