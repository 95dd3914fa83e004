"""Tests of objectives, by hand on y = head * base * x."""

import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import learning


def _loss(objective, global_layers=('base', 'head'), weights=(3.0, 5.0), start=(1.0, 2.0)) -> float:
  """The objective of the example (1, 1) at `weights`, where the round began at `start`."""
  model = testing.linear_model(global_layers)

  def loss():
    as_weights = [tuple(tf.constant([[w]]) for w in values) for values in (weights, start)]
    return objective(model, *as_weights, tf.constant([[1.0]]), tf.constant([[1.0]]))

  return float(testing.in_graph(loss))


class ObjectivesTest(parameterized.TestCase):
  def test_supervised_is_the_loss_of_the_model(self):
    self.assertEqual(_loss(learning.supervised), (3 * 5 - 1) ** 2)

  @parameterized.parameters(
    (('base', 'head'), 0.5 / 2 * (2**2 + 3**2)),
    (('head',), 0.5 / 2 * 3**2),
    ((), 0),
  )
  def test_proximal_term_is_over_global_weights(self, global_layers, term):
    self.assertAlmostEqual(_loss(learning.proximal(0.5), global_layers), 14**2 + term, places=4)

  def test_proximal_term_is_zero_at_the_start_of_a_round(self):
    self.assertEqual(_loss(learning.proximal(7.0), weights=(1.0, 2.0)), 1.0)

  def test_proximal_adds_to_any_objective(self):
    twice = learning.proximal(2.0, learning.proximal(4.0))
    self.assertAlmostEqual(_loss(twice), 14**2 + 3 * 13, places=4)

  def test_negative_strength_is_refused(self):
    with self.assertRaisesRegex(ValueError, 'strength is -1, expected'):
      learning.proximal(-1)


if __name__ == '__main__':
  absltest.main()
