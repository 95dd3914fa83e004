"""A synthetic table with the columns of UCI Adult, for runs without its files.

Nobody in it is real, and no number from it says anything about people. It is made so that there is
something to hide. Sex decides in part relationship, occupation and hours; race decides in part
country, workclass and education. Income follows from those columns alone. So a representation that
predicts income leaks both attributes, and one that predicts it less well need not.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # pandas takes a second to import.
  import pandas as pd


def generate(num_rows: int, rng: np.random.Generator) -> 'pd.DataFrame':
  """Draws rows.

  Args:
    num_rows: how many.
    rng: draws them.

  Returns:
    The columns of `adult.data` that are used: numbers as float64, the others as str, `?`
    for a missing workclass. About 85 % White, 67 % male, a quarter above 50K.
  """
  import pandas as pd

  white, male = rng.random(num_rows) < 0.85, rng.random(num_rows) < 0.67
  age = np.clip(np.round(rng.normal(39, 13, num_rows)), 17, 90)
  schooling = np.clip(np.round(rng.normal(9.2 + white, 2.5)), 1, 16)
  married = rng.random(num_rows) < _logistic(0.08 * (age - 36) + 0.9 * male - 0.6)
  spouse = np.where(male, 'Husband', 'Wife')
  alone = _choose(
    rng,
    ('Not-in-family', 'Own-child', 'Unmarried'),
    np.where(male[:, np.newaxis], (0.6, 0.32, 0.08), (0.45, 0.2, 0.35)),
  )
  occupation = _choose(
    rng,
    ('Adm-clerical', 'Craft-repair', 'Exec-managerial', 'Other-service', 'Prof-specialty'),
    np.exp(
      np.stack([-0.9 * male, 1.6 * male - 0.8, 0.3 * (schooling - 10), -0.5 * male, schooling - 12])
    ).T,
  )
  hours = np.clip(np.round(rng.normal(36 + 6 * male, 9)), 1, 99)
  gain = np.where(rng.random(num_rows) < 0.08, np.round(rng.lognormal(8.5, 0.9, num_rows)), 0)
  loss = np.where(rng.random(num_rows) < 0.05, np.round(rng.normal(1870, 250, num_rows)), 0)
  better_paid = np.isin(occupation, ('Exec-managerial', 'Prof-specialty'))
  score = 0.45 * (schooling - 10) + 0.03 * (age - 39) + 0.05 * (hours - 40) + gain / 4000
  income = rng.random(num_rows) < _logistic(score + 1.6 * married + 0.9 * better_paid - 3.1)
  return pd.DataFrame(
    {
      'age': age,
      'workclass': _choose(
        rng,
        ('?', 'Private', 'Government', 'Self-employed'),
        np.where(white[:, np.newaxis], (0.05, 0.72, 0.1, 0.13), (0.08, 0.6, 0.28, 0.04)),
      ),
      'education': np.char.add('level-', schooling.astype(int).astype(str)),
      'education-num': schooling,
      'marital-status': np.where(married, 'Married', 'Not-married'),
      'occupation': occupation,
      'relationship': np.where(married, spouse, alone),
      'race': np.where(white, 'White', 'Black'),
      'sex': np.where(male, 'Male', 'Female'),
      'capital-gain': gain,
      'capital-loss': loss,
      'hours-per-week': hours,
      'native-country': _choose(
        rng,
        ('United-States', 'Mexico', 'Germany', 'Jamaica', 'Haiti'),
        np.where(white[:, np.newaxis], (0.93, 0.05, 0.02, 0.0, 0.0), (0.86, 0.0, 0.01, 0.08, 0.05)),
      ),
      'income': np.where(income, '>50K', '<=50K'),
    }
  )


def _logistic(score: np.ndarray) -> np.ndarray:
  return 1 / (1 + np.exp(-score))


def _choose(rng: np.random.Generator, options: Sequence[str], weights: np.ndarray) -> np.ndarray:
  """Returns an option a row, str [n], by the row's weights [n, options], not negative."""
  cumulative = np.cumsum(weights, axis=1)
  drawn = rng.random((len(weights), 1)) * cumulative[:, -1:]
  return np.array(options)[(drawn >= cumulative).sum(axis=1)]
