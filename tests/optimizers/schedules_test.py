"""Tests of learning rates by round."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg import optimizers
from tff_lg.optimizers import schedules


def _rates(schedule, num_rounds=4, rounds=5):
  rate = schedule.build(0.8, num_rounds)
  return [float(rate(tf.constant(round_num))) for round_num in range(rounds)]


class SchedulesTest(parameterized.TestCase):
  @parameterized.parameters(schedules.Constant(), schedules.Inverse(), schedules.Inverse(0.0))
  def test_constant_rates_need_no_function(self, schedule):
    self.assertIsNone(schedule.build(0.8, 4))

  @parameterized.parameters(
    (schedules.Inverse(1.0), [0.8, 0.4, 0.8 / 3, 0.2, 0.16]),
    (schedules.Cosine(), [0.8, 0.4 + 0.2 * 2**0.5, 0.4, 0.4 - 0.2 * 2**0.5, 0.0]),
    (
      schedules.Cosine(0.5),
      [0.8, 0.4 + 0.2 * (1 + 0.5**0.5), 0.6, 0.4 + 0.2 * (1 - 0.5**0.5), 0.4],
    ),
    (schedules.Step(2, 0.5), [0.8, 0.8, 0.4, 0.4, 0.2]),
  )
  def test_rates(self, schedule, expected):
    np.testing.assert_allclose(_rates(schedule), expected, rtol=1e-6, atol=1e-7)

  def test_cosine_stays_at_its_end(self):
    rates = _rates(schedules.Cosine(0.25), num_rounds=2)
    np.testing.assert_allclose(rates[2:], [0.2, 0.2, 0.2], rtol=1e-6)

  def test_names(self):
    self.assertEqual(set(optimizers.SCHEDULES), {'constant', 'inverse', 'cosine', 'step'})
    needing = [name for name, each in optimizers.SCHEDULES.items() if each.needs_num_rounds]
    self.assertEqual(needing, ['cosine'])


if __name__ == '__main__':
  absltest.main()
