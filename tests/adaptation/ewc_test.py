"""Tests of EWC's objective by hand on y = head * base * x."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.adaptation import testing
from tests.learning import testing as learning_testing
from tff_lg import adaptation


class EwcTest(absltest.TestCase):
  def test_value_and_gradient(self):
    model = learning_testing.linear_model()
    ewc = adaptation.ewc(strength=10.0)

    def loss_and_gradients():
      importance = testing.as_tensors(([[2.0]], [[3.0]]))
      start = testing.as_tensors(([[1.0]], [[2.0]]))
      weights = testing.as_tensors(([[1.5]], [[4.0]]))
      with tf.GradientTape() as tape:
        tape.watch(weights)
        loss = ewc.objective(importance)(
          model, weights, start, tf.constant([[1.0]]), tf.constant([[1.0]])
        )
      return loss, tape.gradient(loss, weights)

    loss, gradients = learning_testing.in_graph(loss_and_gradients)
    # Residual 1.5 * 4 - 1 = 5, penalty 10 / 2 * (2 * 0.5^2 + 3 * 2^2).
    self.assertAlmostEqual(float(loss), 25 + 5 * 12.5, places=4)
    np.testing.assert_allclose(gradients[0], [[2 * 5 * 4 + 10 * 2 * 0.5]], rtol=1e-6)
    np.testing.assert_allclose(gradients[1], [[2 * 5 * 1.5 + 10 * 3 * 2.0]], rtol=1e-6)

  def test_trains_all_layers(self):
    model = learning_testing.linear_model()
    self.assertEqual(adaptation.ewc().trained_layers(model), ('base', 'head'))

  def test_measures_the_form_of_the_fisher_information_that_is_asked_for(self):
    # Residuals 2 - 1 and 4 - 2, gradients 2 r (head, base) x: (4, 2) and (16, 8).
    data = learning_testing.tensors((1.0, 1.0), (2.0, 2.0))
    model = learning_testing.linear_model()
    for batch_size, expected in ((1, (4**2 + 16**2) / 2), (2, ((4 + 16) / 2) ** 2)):
      measure = adaptation.ewc(fisher_batch_size=batch_size).measure
      start = ([[1.0]], [[2.0]])

      def measured(measure=measure, start=start):
        tensors = data._replace(x=tf.constant(data.x), y=tf.constant(data.y))
        return measure(model, testing.as_tensors(start), tensors)

      np.testing.assert_allclose(learning_testing.in_graph(measured)[0], [[expected]])

  def test_refuses(self):
    with self.assertRaisesRegex(ValueError, 'strength is -1, expected'):
      adaptation.ewc(-1)
    with self.assertRaisesRegex(ValueError, 'fisher_batch_size is 0, expected'):
      adaptation.ewc(fisher_batch_size=0)


if __name__ == '__main__':
  absltest.main()
