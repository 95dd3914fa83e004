"""Tests of the server's step on y = head * base * x from base 1, head 2, by hand."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.learning import testing
from tff_lg import simulation
from tff_lg.compatibility import tff
from tff_lg.learning import server

_START = (np.array([[1.0]], np.float32), np.array([[2.0]], np.float32))


def setUpModule():
  simulation.set_execution_context()


def _weights(base, head):
  return np.array([[base]], np.float32), np.array([[head]], np.float32)


class ServerOptimizerTest(absltest.TestCase):
  def _steps(self, *updates, **changes):
    """Returns global weights and what the last step was found to be, after all updates."""
    optimizer = server.build_server_optimizer(testing.linear_model(), testing.settings(**changes))
    weights, state = _START, optimizer.initialize(_START)
    for round_num, update in enumerate(updates):
      weights, state, of_step = optimizer.next(weights, state, update, round_num)
    return [float(weight[0, 0]) for weight in weights], list(of_step)

  def test_a_mean_update_is_subtracted(self):
    weights, of_step = self._steps(_weights(0.5, -2))
    self.assertEqual((weights, of_step), ([0.5, 4], [True, True, 2]))

  def test_momentum_stays_between_rounds(self):
    momentum = tff.learning.optimizers.build_sgdm(1.0, 0.5)
    weights, _ = self._steps(_weights(1, 0), _weights(0, 1), server_optimizer=momentum)
    # Steps (1, 0) and (1/2, 1).
    self.assertEqual(weights, [-0.5, 1])

  def test_learning_rate_by_round(self):
    halves = {'server_learning_rate_fn': lambda round_num: 1 / 2 ** tf.cast(round_num, tf.float32)}
    weights, of_step = self._steps(_weights(1, 1), _weights(1, 1), **halves)
    self.assertEqual((weights, of_step), ([-0.5, 0.5], [True, True, 0.5]))

  def test_an_update_that_is_not_finite_counts_as_zeros(self):
    weights, of_step = self._steps(_weights(1, float('nan')))
    self.assertEqual((weights, of_step), ([1, 2], [False, True, 0]))

  def test_says_that_weights_overflow(self):
    weights, of_step = self._steps(_weights(-3e38, 0), _weights(-3e38, 0))
    self.assertEqual((weights, of_step), ([float('inf'), 2], [True, False, float('inf')]))


if __name__ == '__main__':
  absltest.main()
