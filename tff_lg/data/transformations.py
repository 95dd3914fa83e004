"""Transformations that make another device's examples out of known ones: same labels, other x.

Each is a function from float32 x [n, ...] to new float32 x of the same shape.
"""

from collections.abc import Callable, Mapping

import numpy as np

from tff_lg.data import examples as examples_lib


def rotate90(x: np.ndarray) -> np.ndarray:
  """Turns square images [n, size, size, channels] by 90 degrees counter-clockwise.

  Liang et al. 2020, Table 3. The paper does not say which way.
  """
  _check_images(x)
  if x.shape[1] != x.shape[2]:
    raise examples_lib.DataError(f'an image is {x.shape[1]} x {x.shape[2]}, expected a square.')
  return np.ascontiguousarray(np.rot90(x, axes=(1, 2)))


def rotate180(x: np.ndarray) -> np.ndarray:
  """Turns images [n, height, width, channels] by 180 degrees."""
  _check_images(x)
  return np.ascontiguousarray(x[:, ::-1, ::-1])


def invert(x: np.ndarray) -> np.ndarray:
  """Makes the dark pixels of images in [0, 1] bright and the bright ones dark."""
  _check_images(x)
  return 1 - x


def shift_colours(x: np.ndarray) -> np.ndarray:
  """Gives each channel of images [n, height, width, channels] the content of the one before it."""
  _check_images(x)
  if x.shape[3] < 2:
    raise examples_lib.DataError('an image has 1 channel, expected 2 or more.')
  return np.roll(x, 1, axis=3)


def shift_features(x: np.ndarray) -> np.ndarray:
  """Adds 1 to every feature of vectors [n, features], as another sensor or speaker may."""
  if x.dtype != np.float32 or x.ndim != 2:
    raise examples_lib.DataError(
      f'x is {x.dtype} {list(x.shape)}, expected vectors, float32 [n, features].'
    )
  return x + 1


def _check_images(x: np.ndarray) -> None:
  if x.dtype != np.float32 or x.ndim != 4:
    raise examples_lib.DataError(
      f'x is {x.dtype} {list(x.shape)}, expected images, float32 [n, height, width, channels].'
    )


TRANSFORMATIONS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
  'rotate90': rotate90,
  'rotate180': rotate180,
  'invert': invert,
  'shift_colours': shift_colours,
  'shift_features': shift_features,
}


def transform(examples: examples_lib.Examples, name: str) -> examples_lib.Examples:
  """Transforms labelled examples.

  Args:
    examples: of one device.
    name: one of `TRANSFORMATIONS`.

  Returns:
    New examples with the same labels, without users.

  Raises:
    DataError: x is not what the transformation takes, or the examples are questions with
      annotators' answers, whose x is features and words.
  """
  if examples.answers is not None:
    raise examples_lib.DataError(
      "examples have annotators' answers, expected images or vectors with labels."
    )
  return examples_lib.Examples(
    TRANSFORMATIONS[name](examples.x), examples.y, weights=examples.weights
  )
