"""A generated table of patients by hospital: nobody in it is real, and it says nothing of people.

Whether a patient is readmitted follows from twelve measurements by a rule with a linear part and
products of two measurements, and from chance. Three quarters of the hospitals share one rule, so
they can learn from each other. Each of the others has a rule of its own, so one model for all
serves it badly. Sizes differ tenfold.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # pandas takes a second to import.
  import pandas as pd

CLIENT_COLUMN, LABEL_COLUMN = 'hospital', 'readmitted'
_HOSPITALS = (
  'Aspen Birch Cedar Dogwood Elm Fir Ginkgo Hazel Ironwood Juniper Katsura Larch Maple Nutmeg Oak '
  'Pine'
).split()
# Every fourth hospital has its own rule.
_PERIOD = 4
_LEAST_PATIENTS, _MOST_PATIENTS = 160, 1600
# Mean and standard deviation of each measurement.
_MEASUREMENTS = {
  'age': (62, 14),
  'weight': (78, 15),
  'systolic': (132, 18),
  'diastolic': (79, 11),
  'heart_rate': (82, 14),
  'temperature': (36.9, 0.5),
  'glucose': (118, 32),
  'creatinine': (1.1, 0.4),
  'sodium': (139, 4),
  'hemoglobin': (12.8, 1.8),
  'platelets': (240, 70),
  'days': (6, 3),
}
# The smaller, the less is by chance.
_TEMPERATURE = 0.12


def generate_patients(seed: int = 0) -> 'pd.DataFrame':
  """Draws the patients.

  Args:
    seed: the same seed, the same table.

  Returns:
    About 10,000 rows: `hospital`, twelve measurements, and `readmitted`, yes or no.
  """
  import pandas as pd

  rng = np.random.default_rng(seed)
  sizes = np.geomspace(_LEAST_PATIENTS, _MOST_PATIENTS, len(_HOSPITALS)).round().astype(int)
  common = _draw_rule(rng)
  means, deviations = np.array(list(_MEASUREMENTS.values())).T
  tables = []
  for number, (hospital, size) in enumerate(zip(_HOSPITALS, rng.permutation(sizes), strict=True)):
    has_own_rule = number % _PERIOD == _PERIOD - 1
    linear, products = _draw_rule(rng) if has_own_rule else common
    x = rng.normal(size=(size, len(_MEASUREMENTS)))
    risk = x @ linear + np.einsum('ni,ij,nj->n', x, products, x)
    chance = 1 / (1 + np.exp(-(risk - risk.mean()) / _TEMPERATURE))
    table = pd.DataFrame((means + deviations * x).round(1), columns=list(_MEASUREMENTS))
    table.insert(0, CLIENT_COLUMN, hospital)
    table[LABEL_COLUMN] = np.where(rng.random(size) < chance, 'yes', 'no')
    tables.append(table)
  return pd.concat(tables, ignore_index=True)


def _draw_rule(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
  """Draws the weights of measurements, [12], and of their products, [12, 12] and symmetric."""
  num = len(_MEASUREMENTS)
  products = rng.normal(size=(num, num))
  return rng.normal(size=num) / np.sqrt(num), (products + products.T) / 16
