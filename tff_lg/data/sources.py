"""The data sets known by name."""

import importlib
import os

from tff_lg.data import examples

# Each is a module of the room with a function `load`, imported with what it needs when it is used.
SOURCE_NAMES = ('arrays', 'cifar10', 'diabetes', 'digits', 'mnist')


def load_source(
  name: str, data_dir: str | None = None, seed: int = 0, objective: str | None = None
) -> examples.Source:
  """Loads a data set.

  | name | data |
  |---|---|
  | `arrays` | the user's own `train.npz` and `test.npz` in `data_dir` |
  | `cifar10` | the official python batches in `data_dir`, else downloaded by Keras |
  | `diabetes` | scikit-learn's 442 patients, a number to predict, no file needed |
  | `digits` | scikit-learn's 1797 handwritten digits, no file needed |
  | `mnist` | the official idx files in `data_dir`, else downloaded by Keras |

  Args:
    name: one of `SOURCE_NAMES`.
    data_dir: the folder with the files. If it is given, nothing is downloaded.
    seed: of the train/test split, for data that come without one (`digits`, and `arrays`
      without `test.npz`).
    objective: what the labels of `arrays` are, see `examples.Examples.objective`; other data say it
      themselves.

  Returns:
    The data set, in memory.

  Raises:
    DataError: data missing or damaged; the message names the file.
    ValueError: an unknown name, or a `data_dir` that does not fit it.
  """
  if name not in SOURCE_NAMES:
    raise ValueError(f'Unknown data source {name!r}, expected one of {", ".join(SOURCE_NAMES)}.')
  if data_dir is not None:
    data_dir = os.path.expanduser(data_dir)
    if not os.path.isdir(data_dir):
      raise examples.DataError(f'data_dir: {data_dir} found, expected a folder that exists.')
  options = {} if objective is None else {'objective': objective}
  return importlib.import_module(f'tff_lg.data.{name}').load(data_dir, seed, **options)
