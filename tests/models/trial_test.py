"""Tests of the batches on which two networks are compared."""

import numpy as np
from absl.testing import absltest

from tff_lg.models import trial


class TrialTest(absltest.TestCase):
  def test_values_may_be_ids(self):
    batch = trial.draw((None, 40))
    self.assertEqual((batch.shape, batch.dtype), ((2, 3, 40), np.float32))
    self.assertLess(batch.min(), 0)
    for found in (batch.astype(np.int32), trial.draw((40,), 'int64')):
      self.assertEqual(set(found.flatten().tolist()), {0, 1})

  def test_a_seed_repeats_and_another_differs(self):
    np.testing.assert_array_equal(trial.draw((5,), seed=1), trial.draw((5,), seed=1))
    self.assertFalse(np.array_equal(trial.draw((5,), seed=1), trial.draw((5,))))

  def test_agree_up_to_rounding(self):
    one = np.ones((2, 2), np.float32)
    self.assertTrue(trial.agree(one, one + 1e-5))
    self.assertFalse(trial.agree(one, one + 1e-3))
    self.assertFalse(trial.agree(one, one * np.nan))


if __name__ == '__main__':
  absltest.main()
