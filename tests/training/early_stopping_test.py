"""Tests of early stopping: when training is over."""

import numpy as np
from absl.testing import absltest

from tff_lg.training import early_stopping

_NAN = float('nan')


def _rounds(*means, start=0, patience=2):
  progress = early_stopping.Progress(best_round=start)
  found = []
  for round_num, mean in enumerate(means, start + 1):
    progress = progress.after(round_num, np.array([mean - 0.25, _NAN, mean + 0.25]), patience)
    found.append(progress.is_over)
  return progress, found


class ProgressTest(absltest.TestCase):
  def test_over_after_rounds_without_a_better_mean(self):
    progress, found = _rounds(0.5, 0.25, 0.75, 0.5, 0.75)
    self.assertEqual(found, [False, False, False, False, True])
    self.assertEqual(progress, (0.75, 3, True))

  def test_counts_from_the_start_of_the_phase(self):
    # Models that diverge at once are never better than nothing.
    progress, found = _rounds(-np.inf, -np.inf, start=10)
    self.assertEqual(found, [False, True])
    self.assertEqual(progress.best_round, 10)


if __name__ == '__main__':
  absltest.main()
