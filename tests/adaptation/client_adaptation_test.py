"""Tests of what a client does alone, by hand: the head h of y = h * x is trained."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.adaptation import testing
from tests.learning import testing as learning_testing
from tff_lg import adaptation, learning
from tff_lg.adaptation import client_adaptation
from tff_lg.compatibility import tff


def _adapt(train_y, validation, num_epochs=4, rate=0.25, patience=None):
  """Adapts from the base 1 and the head 2; with a rate of 1/4, each epoch halves h - y."""
  model = learning_testing.linear_model()
  client = client_adaptation.ClientAdaptation(
    model,
    model.with_global_layers(adaptation.freeze_base().trained_layers(model)),
    adaptation.freeze_base(),
    tff.learning.optimizers.build_sgdm(rate),
    learning.TensorBatches(1, shuffle=False),
    learning.TensorBatches(1, shuffle=False),
    epochs=tuple(range(num_epochs + 1)),
    selection_metric='loss',
    patience=patience,
  )

  def run():
    weights = testing.as_tensors([np.float32([[1]]), np.float32([[2]])])
    data = [
      learning.ClientTensors(*map(tf.constant, learning_testing.tensors(example)))
      for example in ((1, train_y), validation)
    ]
    return client.adapt(weights, (), *data)

  return learning_testing.in_graph(run)


def _head(output) -> float:
  return float(output.weights[1][0, 0])


class PatienceTest(parameterized.TestCase):
  @parameterized.parameters((None, 4, 1), (2, 3, 1), (1, 2, 1), (4, 4, 1))
  def test_a_client_stops_after_evaluations_without_an_improvement(self, patience, last, best):
    # Heads 2, 1.5, 1.25, 1.125, 1.0625: the first is best for 1.5.
    output = _adapt(1, (1, 1.5), patience=patience)
    self.assertEqual((output.num_epochs, output.best_epoch, _head(output)), (last, best, 1.5))
    # Evaluations that it did not come to have the metrics of its start.
    losses = [0.25, 0, 0.0625, 0.140625, 0.19140625]
    expected = losses[: last + 1] + losses[:1] * (4 - last)
    np.testing.assert_allclose(output.validation['loss'], expected)

  @parameterized.parameters((None, 4, 0, 2), (3, 3, 3, 1.125))
  def test_among_equals_the_first_is_kept_or_with_patience_the_last(self, patience, last, best, h):
    # Nothing that the head does changes the loss of x = 0.
    output = _adapt(1, (0, 1), patience=patience)
    self.assertEqual((output.num_epochs, output.best_epoch, _head(output)), (last, best, h))

  @parameterized.parameters((None, 0, 2), (4, 1, -2e18))
  def test_what_diverges_keeps_the_start_or_with_patience_the_best(self, patience, best, h):
    # Heads 2, -2e18, 4e36 and one that overflows; the second fits.
    output = _adapt(1, (1, -2e18), rate=1e18, patience=patience)
    self.assertEqual((output.num_epochs, output.best_epoch), (3, best))
    np.testing.assert_allclose(_head(output), h)
    self.assertFalse(output.is_finite)


if __name__ == '__main__':
  absltest.main()
