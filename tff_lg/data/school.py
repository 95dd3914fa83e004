"""Exam scores of pupils by school, from the MATLAB file of the School data, or generated ones."""

import numpy as np

from tff_lg.data import examples, federated, held_out, silos

SCHOOLS = silos.Kind('school.mat', 'school', 'scores')
_SCHOOLS, _FEATURES = 12, 6
_LEAST_PUPILS, _MOST_PUPILS = 40, 120


def load_school(
  path: str | None = None,
  *,
  test_fraction: float,
  validation_fraction: float,
  choose_held_out: held_out.ChooseHeldOut = held_out.nobody,
  seed: int = 0,
) -> federated.FederatedData:
  """Loads the pupils of each school, a client each, with their scores as numbers to predict.

  Scores are mapped to [0, 1] by the least and the greatest score of all schools. Features and the
  split are those of `silos.to_clients`.

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
  schools = generate_schools() if path is None else silos.read_silos(path, SCHOOLS)
  scores = np.concatenate([school.y for school in schools])
  least, greatest = scores.min(), scores.max()
  if not least < greatest:
    raise examples.DataError(
      f'{path}: every score is {least:g}, expected scores that differ, to predict them.'
    )
  return silos.to_clients(
    schools,
    SCHOOLS,
    target=lambda y: ((y - least) / (greatest - least)).astype(np.float32),
    class_names=('score',),
    test_fraction=test_fraction,
    validation_fraction=validation_fraction,
    choose_held_out=choose_held_out,
    seed=seed,
  )


def generate_schools() -> tuple[silos.Silo, ...]:
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
    schools.append(silos.Silo(x, y.clip(1, 70).round()))
  return tuple(schools)
