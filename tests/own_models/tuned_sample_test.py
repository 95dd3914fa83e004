"""Tests of the sample that chooses hyper-parameters."""

import numpy as np
from absl.testing import absltest

from tff_lg.own_models import tuned_sample


class TunedSampleTest(absltest.TestCase):
  def test_only_clients_with_validation_examples_are_drawn(self):
    found = tuned_sample.draw_sample(np.array([1, 2, 4]), np.array([9, 9, 0, 9, 9]), 0)
    self.assertCountEqual(found, [1, 4])

  def test_at_most_twenty_each_once(self):
    found = tuned_sample.draw_sample(np.arange(50), np.ones(50, int), 3)
    self.assertLen(set(found.tolist()), 20)
    again = np.random.default_rng(3).choice(np.arange(50), 20, replace=False)
    np.testing.assert_array_equal(found, again)


if __name__ == '__main__':
  absltest.main()
