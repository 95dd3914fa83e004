"""Tests of objectives, by hand on y = head * base * x."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import learning, models


def _loss(objective, global_layers=('base', 'head'), weights=(3.0, 5.0), start=(1.0, 2.0)) -> float:
  """Returns the objective of the example (1, 1) at `weights`, where the round began at `start`."""
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

  @parameterized.parameters((('base', 'head'),), (('head',),), ((),))
  def test_weight_decay_is_over_all_weights(self, global_layers):
    loss = _loss(learning.weight_decay(0.5), global_layers)
    self.assertAlmostEqual(loss, 14**2 + 0.5 * (3**2 + 5**2), places=4)

  def test_weight_decay_is_added_to_any_objective_and_not_negative(self):
    loss = _loss(learning.weight_decay(0.5, learning.proximal(4.0)))
    self.assertAlmostEqual(loss, 14**2 + 2 * 13 + 0.5 * 34, places=4)
    with self.assertRaisesRegex(ValueError, 'weight decay is -1, expected'):
      learning.weight_decay(-1)

  def test_proximal_adds_to_any_objective(self):
    twice = learning.proximal(2.0, learning.proximal(4.0))
    self.assertAlmostEqual(_loss(twice), 14**2 + 3 * 13, places=4)

  def test_objective_of_a_network_hears_nothing_of_further_weights(self):
    network = testing.linear_model()
    model = network.with_extra_weights({'more/kernel': np.float32([[1.0]])}, are_global=True)
    objective = learning.of_network(network, learning.proximal(4.0))

    def loss():
      weights, start = (
        tuple(tf.constant([[w]]) for w in values) for values in ((3.0, 5.0, 9.0), (1.0, 2.0, 1.0))
      )
      return objective(model, weights, start, tf.constant([[1.0]]), tf.constant([[1.0]]))

    self.assertAlmostEqual(float(testing.in_graph(loss)), 14**2 + 2 * 13, places=4)

  def test_negative_strength_is_refused(self):
    with self.assertRaisesRegex(ValueError, 'strength is -1, expected'):
      learning.proximal(-1)


class WithAuxiliaryTest(absltest.TestCase):
  own = {'auxiliary/kernel': np.float32([[7.0]])}
  network = models.AuxiliaryNetwork(
    ('base/kernel', 'auxiliary/kernel'),
    own,
    lambda weights, x, y, key: weights[0] * weights[1] + x - y,
  )

  def test_weight_is_that_of_the_global_loss(self):
    model = testing.linear_model(('head',)).with_extra_weights(self.own)

    def loss():
      weights = tuple(tf.constant([[w]]) for w in (3.0, 5.0, 7.0))
      objective = learning.with_auxiliary(self.network, 0.25, learning.proximal(4.0))
      start = tuple(weight - 1 for weight in weights)
      return objective(model, weights, start, tf.constant([[1.0]]), tf.constant([[2.0]]))

    # The proximal term is part of the global loss, and over global weights, here one, only.
    expected = (3 * 7 + 1 - 2) + 0.25 * ((3 * 5 - 2) ** 2 + 4 / 2 * 1)
    self.assertAlmostEqual(float(np.squeeze(testing.in_graph(loss))), expected, places=4)

  def test_weight_must_be_positive(self):
    with self.assertRaisesRegex(ValueError, 'weight of the global loss is 0, expected'):
      learning.with_auxiliary(self.network, 0)


if __name__ == '__main__':
  absltest.main()
