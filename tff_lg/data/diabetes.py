"""Scikit-learn's diabetes data: 442 patients, ten features, a number to predict, in the package."""

import numpy as np

from tff_lg.data import examples, splits

_TEST_FRACTION = 0.2
_NUM_USERS = 10


def load(data_dir: str | None = None, seed: int = 0) -> examples.Source:
  """Loads the patients, split 80/20 into training and test.

  The number to predict is the progression of the disease in a year. It and the features are
  standardised by the mean and the standard deviation of the training patients: 1 stands for about
  77 units. Where users are clients, a user is a tenth of all patients, by their age.

  Args:
    data_dir: must be None.
    seed: of the split.

  Returns:
    354 training and 88 test patients, float32 [n, 10].

  Raises:
    ValueError: a `data_dir` was given.

  Efron et al. 2004, Least angle regression.
  """
  if data_dir is not None:
    raise ValueError(f'data_dir: {data_dir} found, expected none: diabetes needs no files.')
  # Imported here: scikit-learn takes a second to import.
  from sklearn import datasets

  x, y = datasets.load_diabetes(return_X_y=True)
  tenth = np.argsort(np.argsort(x[:, 0], kind='stable')) * _NUM_USERS // len(x)
  users = np.array([f'age_{number}' for number in tenth])
  rng = np.random.default_rng(seed)
  kept, held = splits.hold_out(np.zeros(len(x), np.int32), _TEST_FRACTION, rng)
  x = ((x - x[kept].mean(axis=0)) / x[kept].std(axis=0)).astype(np.float32)
  y = ((y - y[kept].mean()) / y[kept].std()).astype(np.float32)
  train, test = (examples.Examples(x[part], y[part], users[part]) for part in (kept, held))
  return examples.Source('diabetes', train, test, 1, ('progression',))
