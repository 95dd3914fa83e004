"""UCI Adult: who earns more than 50,000 dollars a year, with race and sex as protected attributes.

An example is a person of the US census of 1994. Preprocessing, with which the official
files give the 93 inputs of Liang et al. 2020:

- It keeps rows whose race is White or Black, as the two groups of race (30,940 of `adult.data`,
  15,507 of `adult.test`). The others, 5 %, are left out: there are too few of each for a group.
- It drops `fnlwgt`, which is a weight of the survey, and race and sex, which are attributes.
- Five numbers (age, education-num, capital-gain, capital-loss, hours-per-week) are standardised by
  the mean and the standard deviation of the training rows.
- Six categorical columns give 88 indicators: one per category in `adult.data`, except the first of
  each column in ASCII order. There are 8 of workclass, 15 of education, 6 of marital-status, 14 of
  occupation, 5 of relationship and 40 of native-country.
- A missing value `?` is that first category wherever it occurs, so it has no indicator. The row
  stays; a warning says how many. A category that is in `adult.test` only has no indicator either.

Training rows are drawn from `adult.data`, test rows are all of `adult.test`.
"""

import functools
import pathlib
from typing import TYPE_CHECKING

import numpy as np
from absl import logging

from tff_lg.data import examples, synthetic_census

if TYPE_CHECKING:  # pandas takes a second to import.
  import pandas as pd

ADULT_ATTRIBUTES = ('race', 'sex')

# In the order of the files.
_COLUMNS = (
  'age',
  'workclass',
  'fnlwgt',
  'education',
  'education-num',
  'marital-status',
  'occupation',
  'relationship',
  'race',
  'sex',
  'capital-gain',
  'capital-loss',
  'hours-per-week',
  'native-country',
  'income',
)
_NUMBERS = ('age', 'education-num', 'capital-gain', 'capital-loss', 'hours-per-week')
_CATEGORICAL = (
  'workclass',
  'education',
  'marital-status',
  'occupation',
  'relationship',
  'native-country',
)
_RACES, _SEXES, _INCOMES = ('Black', 'White'), ('Female', 'Male'), ('<=50K', '>50K')
_MISSING = '?'


def load_adult(
  data_dir: str | None = None, seed: int = 0, num_train: int = 15_000, halve_rows: bool = False
) -> examples.Source:
  """Loads Adult, or a synthetic table of the same columns.

  Args:
    data_dir: the folder with the official `adult.data` and `adult.test`; None for
      `synthetic_census.generate`, which needs no files and says nothing of real people.
    seed: of the draw of training rows, and of the synthetic table.
    num_train: training rows, 15,000 in the paper.
    halve_rows: whether to split the rows of `adult.data` at random, half for training and half for
      testing, as in the paper's code. Otherwise all of `adult.test` are for testing. The synthetic
      table ignores it.

  Returns:
    The data set. x is float32 [n, 93] (of the synthetic table [n, 36]). y is 1 for an income above
    50K. The attributes are race (0 Black, 1 White) and sex (0 female, 1 male).

  Raises:
    DataError: a file is missing or damaged, or has fewer rows than `num_train`.

  Kohavi 1996 (the data); Liang et al. 2020, the experiment on fair representations.
  """
  draw_seed, table_seed = np.random.SeedSequence(seed).spawn(2)
  if data_dir is None:
    rng = np.random.default_rng(table_seed)
    train, test = (synthetic_census.generate(n, rng) for n in (num_train, max(num_train // 2, 100)))
    # As of the files, which categories there are is no matter of which rows are drawn.
    known = synthetic_census.generate(20_000, np.random.default_rng(0))
    return _encode('synthetic_census', known, train, test)
  folder = pathlib.Path(data_dir).expanduser()
  paths = (folder / name for name in ('adult.data', 'adult.test'))
  known, test = (_read(path, path.exists() and path.stat().st_mtime_ns) for path in paths)
  for_training = len(known) // 2 if halve_rows else len(known)
  if for_training < num_train:
    raise examples.DataError(
      f'{folder / "adult.data"}: {for_training} rows of a White or Black person found for '
      f'training, expected at least {num_train}.'
    )
  order = np.random.default_rng(draw_seed).permutation(len(known))
  drawn = order[:num_train]
  if halve_rows:
    test = known.iloc[np.sort(order[for_training:])]
  return _encode('adult', known, known.iloc[np.sort(drawn)], test)


@functools.lru_cache(maxsize=2)  # Each seed draws rows of the same files.
def _read(path: pathlib.Path, unused_modified: int) -> 'pd.DataFrame':
  """Returns rows of White or Black persons; numbers are float64, labels lose the test set's dot."""
  import pandas as pd

  if not path.exists():
    raise examples.DataError(
      f'{path.parent}: no {path.name} found, expected the official adult.data and adult.test.'
    )
  try:
    lines = pd.Series(path.read_text('ascii').splitlines(), dtype=str)
  except (OSError, UnicodeDecodeError) as error:
    raise examples.DataError(f'{path}: it cannot be read as ASCII text: {error}.') from None
  lines.index += 1
  lines = lines[(lines.str.strip() != '') & ~lines.str.startswith('|')]
  num_fields = lines.str.count(',') + 1
  _refuse(path, num_fields != len(_COLUMNS), num_fields, f'{len(_COLUMNS)} fields')
  if lines.empty:
    raise examples.DataError(f'{path}: no rows found, expected at least one.')
  table = lines.str.split(r'\s*,\s*', regex=True, expand=True).set_axis(_COLUMNS, axis=1)
  table['income'] = table['income'].str.strip().str.removesuffix('.')
  for name in _NUMBERS:
    numbers = pd.to_numeric(table[name], errors='coerce')
    _refuse(path, ~np.isfinite(numbers), table[name], f'a number as {name}')
    table[name] = numbers.astype(np.float64)
  for name, values in (('sex', _SEXES), ('income', _INCOMES)):
    _refuse(path, ~table[name].isin(values), table[name], f'{" or ".join(values)} as {name}')
  kept = table[table['race'].isin(_RACES)]
  if kept.empty:
    raise examples.DataError(f'{path}: no row of a White or Black person found, expected some.')
  logging.warning(
    '%s: %d of %d rows are of a White or Black person, others are left out; %d of these miss '
    'a value and stay.',
    path,
    len(kept),
    len(table),
    (kept == _MISSING).any(axis=1).sum(),
  )
  return kept


def _refuse(path: pathlib.Path, wrong: 'pd.Series', found: 'pd.Series', expected: str) -> None:
  """Raises a DataError for the first line that is wrong, if any."""
  if wrong.any():
    line = wrong.idxmax()
    raise examples.DataError(f'{path}: line {line} has {found[line]!s}, expected {expected}.')


def _encode(
  name: str, known: 'pd.DataFrame', train: 'pd.DataFrame', test: 'pd.DataFrame'
) -> examples.Source:
  """Makes examples of tables: categories are those of `known`, statistics those of `train`."""
  categories = {column: np.unique(known[column].astype(str))[1:] for column in _CATEGORICAL}
  of_train = train[list(_NUMBERS)]
  mean, std = of_train.mean(), of_train.std(ddof=0)
  std = std.where(std > 0, 1.0)

  def encode(table: 'pd.DataFrame') -> examples.Examples:
    numbers = (table[list(_NUMBERS)] - mean) / std
    indicators = [
      table[column].to_numpy(str)[:, np.newaxis] == values for column, values in categories.items()
    ]
    return examples.Examples(
      x=np.concatenate([numbers, *indicators], axis=1).astype(np.float32),
      y=(table['income'] == '>50K').to_numpy(np.int32),
      attributes=np.stack([table['race'] == 'White', table['sex'] == 'Male'], 1).astype(np.int32),
    )

  return examples.Source(name, encode(train), encode(test), len(_INCOMES), _INCOMES)
