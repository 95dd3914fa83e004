"""Tests of the generated table of patients."""

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg.data import synthetic_patients


class SyntheticPatientsTest(absltest.TestCase):
  def test_same_seed_same_table(self):
    table = synthetic_patients.generate_patients()
    pd.testing.assert_frame_equal(table, synthetic_patients.generate_patients(0))
    self.assertFalse(table.equals(synthetic_patients.generate_patients(1)))

  def test_hospitals(self):
    table = synthetic_patients.generate_patients()
    sizes = np.sort(table['hospital'].value_counts())
    self.assertEqual((len(sizes), sizes[0], sizes[-1]), (16, 160, 1600))
    shares = (table['readmitted'] == 'yes').groupby(table['hospital']).mean()
    self.assertBetween(shares.min(), 0.3, 0.7)
    self.assertBetween(shares.max(), 0.3, 0.7)
    self.assertAlmostEqual(table['age'].mean(), 62, delta=1)

  def test_three_quarters_share_a_rule(self):
    table = synthetic_patients.generate_patients()
    numbers = list(synthetic_patients._MEASUREMENTS)
    effects = {}
    for hospital, patients in table.groupby('hospital'):
      is_yes = (patients['readmitted'] == 'yes').astype(float)
      effects[hospital] = patients[numbers].corrwith(is_yes).to_numpy()
    shared = [name for k, name in enumerate(effects) if k % 4 != 3]
    mean = np.mean([effects[name] for name in shared], axis=0)
    alike = {name: float(np.corrcoef(effect, mean)[0, 1]) for name, effect in effects.items()}
    self.assertGreater(min(alike[name] for name in shared), 0.6)
    self.assertLess(max(alike[name] for name in alike if name not in shared), 0.6)


if __name__ == '__main__':
  absltest.main()
