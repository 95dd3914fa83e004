"""Scikit-learn's handwritten digits: 1797 images, 8 x 8, inside the package."""

import numpy as np

from tff_lg.data import examples, splits

_TEST_FRACTION = 0.2


def load(data_dir: str | None = None, seed: int = 0) -> examples.Source:
  """Loads the digits, split 80/20 into training and test, stratified by class.

  Args:
    data_dir: must be None.
    seed: of the split.

  Returns:
    1438 training and 359 test images, float32 [n, 8, 8, 1].

  Raises:
    ValueError: a `data_dir` was given.
  """
  if data_dir is not None:
    raise ValueError(f'data_dir: {data_dir} found, expected none: digits need no files.')
  # Imported here: scikit-learn takes a second to import.
  from sklearn import datasets

  bunch = datasets.load_digits()
  data = examples.Examples(
    x=(bunch.images / 16).astype(np.float32)[..., np.newaxis], y=bunch.target.astype(np.int32)
  )
  train, test = splits.hold_out(data.y, _TEST_FRACTION, np.random.default_rng(seed))
  return examples.Source(
    name='digits',
    train=data.take(train),
    test=data.take(test),
    num_classes=10,
    class_names=tuple(str(digit) for digit in range(10)),
  )
