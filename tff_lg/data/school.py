"""Exam scores of pupils by school, from the MATLAB file of the School data, or generated ones."""

import pathlib
from typing import NamedTuple

import numpy as np

from tff_lg.data import client_examples, examples, federated, held_out, splits

FILE = 'school.mat'
_SCHOOLS, _FEATURES = 12, 6
_LEAST_PUPILS, _MOST_PUPILS = 40, 120


class Pupils(NamedTuple):
  """The pupils of a school.

  Attributes:
    x: float64 [n, num_features].
    y: float64 [n], their scores.
  """

  x: np.ndarray
  y: np.ndarray


def load_school(
  path: str | None = None,
  *,
  test_fraction: float,
  validation_fraction: float,
  choose_held_out: held_out.ChooseHeldOut = held_out.nobody,
  seed: int = 0,
) -> federated.FederatedData:
  """Loads the pupils of each school, a client each, with their scores as numbers to predict.

  - A school's pupils are split at random. `test_fraction` of them is for testing,
    `validation_fraction` of the others for validation, the rest for training.
  - Features are standardised by the mean and the standard deviation of the school's own training
    pupils. A feature that is the same for all of them is only centred.
  - Scores are mapped to [0, 1] by the least and the greatest score of all schools.

  Args:
    path: the file, or a folder with `school.mat`; None for generated schools.
    test_fraction: in [0, 1).
    validation_fraction: in [0, 1).
    choose_held_out: which of the schools take no part in training.
    seed: of the split; the generated schools are always the same.

  Returns:
    The clients `school_001`, ..., and the test pupils of all that are not held out. x is float32
    [n, num_features], y float32 [n].

  Raises:
    DataError: a file that is missing or damaged, or values that cannot be; one sentence.

  Wu et al. 2022, Motley, the cross-silo benchmark; Bakker and Heskes 2003.
  """
  schools = generate_schools() if path is None else read_schools(path)
  scores = np.concatenate([school.y for school in schools])
  least, greatest = scores.min(), scores.max()
  if not least < greatest:
    raise examples.DataError(
      f'{path}: every score is {least:g}, expected scores that differ, to predict them.'
    )
  width = len(str(len(schools)))
  clients = {}
  for number, (school, sequence) in enumerate(
    zip(schools, np.random.SeedSequence(seed).spawn(len(schools)), strict=True), start=1
  ):
    name = f'school_{number:0{width}d}'
    rng = np.random.default_rng(sequence)
    parts = _split(len(school.y), test_fraction, validation_fraction, rng)
    known = school.x[parts[0]]
    deviations = known.std(axis=0)
    x = (school.x - known.mean(axis=0)) / np.where(deviations > 0, deviations, 1)
    y = (school.y - least) / (greatest - least)
    pupils = examples.Examples(x.astype(np.float32), y.astype(np.float32))
    clients[name] = client_examples.ClientExamples(name, *map(pupils.take, parts))
  out = frozenset(choose_held_out(list(clients)))
  taking_part = tuple(client for name, client in clients.items() if name not in out)
  return federated.FederatedData(
    taking_part,
    examples.concatenate([client.test for client in taking_part]),
    1,
    ('score',),
    held_out=tuple(client for name, client in clients.items() if name in out),
  )


def find_file(path: str) -> pathlib.Path:
  """Returns the file of a path, or of its folder; `DataError` if there is none."""
  file = pathlib.Path(path).expanduser()
  file = file / FILE if file.is_dir() else file
  if not file.is_file():
    raise examples.DataError(f'data_dir: {file} not found, expected {FILE}, or its folder.')
  return file


def read_schools(path: str) -> tuple[Pupils, ...]:
  """Reads the schools of a MATLAB file with two rows of cells, a cell a school.

  Args:
    path: the file, or a folder with `school.mat`. `X` has matrices [n, num_features], `Y` columns
      of n scores.

  Raises:
    DataError: no such file, or one that is damaged or holds something else; one sentence.
  """
  from scipy import io  # It takes a while to import.

  file = find_file(path)
  try:
    found = io.loadmat(file)
  except Exception as error:  # Its reader raises whatever a damaged file makes it raise.
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip('.')
    raise examples.DataError(f'{file}: cannot be read as a MATLAB file ({reason}).') from error
  cells = {}
  for name in ('X', 'Y'):
    if name not in found or found[name].dtype != object or not found[name].size:
      raise examples.DataError(f'{file}: {name} not found, expected cells, one per school.')
    cells[name] = found[name].ravel()
  if len(cells['X']) != len(cells['Y']):
    raise examples.DataError(
      f'{file}: X has {len(cells["X"])} cells and Y {len(cells["Y"])}, expected one per school.'
    )
  pairs = zip(cells['X'], cells['Y'], strict=True)
  schools = tuple(_pupils(file, number, *pair) for number, pair in enumerate(pairs, start=1))
  widths = sorted({school.x.shape[1] for school in schools})
  if len(widths) > 1:
    raise examples.DataError(
      f'{file}: schools with {widths[0]} and {widths[1]} features, expected the same for all.'
    )
  return schools


def _pupils(file: pathlib.Path, number: int, features: np.ndarray, scores: np.ndarray) -> Pupils:
  try:
    x, y = (np.asarray(cell, np.float64) for cell in (features, scores))
  except (TypeError, ValueError) as error:
    raise examples.DataError(f'{file}: school {number} has cells that are not numbers.') from error
  y = y.ravel()
  is_finite = np.isfinite(x).all() and np.isfinite(y).all()
  if x.ndim != 2 or not len(x) or len(x) != len(y) or not is_finite:
    raise examples.DataError(
      f'{file}: school {number} has features {list(x.shape)} and {len(y)} scores, expected finite '
      'features [n, k] and as many scores.'
    )
  return Pupils(x, y)


def generate_schools() -> tuple[Pupils, ...]:
  """Draws schools whose pupils' scores follow one linear rule with a part of each school's own.

  They are synthetic and say nothing of pupils. The last feature is the same for all pupils of
  every third school.

  Returns:
    12 schools of 40 to 120 pupils with 6 features each, always the same.
  """
  rng = np.random.default_rng(0)
  common, schools = rng.normal(size=_FEATURES), []
  for number in range(_SCHOOLS):
    size = int(rng.integers(_LEAST_PUPILS, _MOST_PUPILS + 1))
    rule = common + rng.normal(scale=0.4, size=_FEATURES)
    x = rng.normal(size=(size, _FEATURES)).round(1)
    if number % 3 == 2:
      x[:, -1] = 1
    y = 35 + 5 * (x @ rule + rng.normal() + rng.normal(size=size))
    schools.append(Pupils(x, y.clip(1, 70).round()))
  return tuple(schools)


def _split(
  num_pupils: int, test_fraction: float, validation_fraction: float, rng: np.random.Generator
) -> tuple[np.ndarray, ...]:
  """Splits a school's pupils: indices for training (at least one), validation and test."""
  alike = np.zeros(num_pupils, np.int32)
  others, test = splits.hold_out(alike, test_fraction, rng)
  train, validation = splits.hold_out(alike[others], validation_fraction, rng)
  return others[train], others[validation], test
