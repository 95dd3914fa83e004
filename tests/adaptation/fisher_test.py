"""Tests of the Fisher diagonal against per-example gradients in numpy."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.adaptation import testing
from tests.learning import testing as learning_testing
from tff_lg import adaptation, learning, models


def _fisher(model, weights, x, y, batch_size=1) -> list[np.ndarray]:
  def fisher():
    data = learning.ClientTensors(tf.constant(x), tf.constant(y))
    return adaptation.fisher_diagonal(model, testing.as_tensors(weights), data, batch_size)

  return learning_testing.in_graph(fisher)


class FisherDiagonalTest(absltest.TestCase):
  def test_mean_of_squared_gradients_of_single_examples(self):
    model = testing.softmax_regression()
    kernel, bias = weights = testing.weights(model, seed=1)
    x, y = testing.two_features(5, seed=2)[:2]
    error = testing.softmax(x @ kernel + bias) - np.eye(3)[y]
    expected_kernel = np.mean((x[:, :, None] * error[:, None, :]) ** 2, axis=0)
    got_kernel, got_bias = _fisher(model, weights, x, y)
    np.testing.assert_allclose(got_kernel, expected_kernel, rtol=1e-4)
    np.testing.assert_allclose(got_bias, np.mean(error**2, axis=0), rtol=1e-4)
    # That of a batch's mean gradient would be smaller.
    self.assertTrue(np.all(np.mean(error, axis=0) ** 2 < got_bias))

  def test_squares_of_mean_gradients_of_batches(self):
    model = testing.softmax_regression()
    kernel, bias = weights = testing.weights(model, seed=1)
    x, y = testing.two_features(3, seed=2)[:2]
    error = testing.softmax(x @ kernel + bias) - np.eye(3)[y]
    by_row = x[:, :, None] * error[:, None, :]
    got_kernel, got_bias = _fisher(model, weights, x, y, batch_size=3)
    np.testing.assert_allclose(got_kernel, by_row.mean(axis=0) ** 2, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(got_bias, error.mean(axis=0) ** 2, rtol=1e-4, atol=1e-7)
    # Batches of two rows and of the one that is left, drawn at random.
    got_kernel, _ = _fisher(model, weights, x, y, batch_size=2)
    expected = [
      (2 * np.delete(by_row, left, axis=0).mean(axis=0) ** 2 + by_row[left] ** 2) / 3
      for left in range(3)
    ]
    self.assertLess(min(np.abs(got_kernel - e).max() for e in expected), 1e-6)

  def test_batches_are_of_rows_from_everywhere(self):
    model = testing.softmax_regression()
    weights = tuple(np.zeros_like(w) for w in testing.weights(model, seed=1))
    # As of three clients with one class each: in order, no batch has a small mean gradient.
    x, y = np.zeros([300, 2], np.float32), np.repeat(np.arange(3, dtype=np.int32), 100)
    one, batch = (_fisher(model, weights, x, y, size)[1] for size in (1, 100))
    np.testing.assert_allclose(one, [2 / 9] * 3, rtol=1e-5)
    self.assertLess(batch.max(), one.max() / 20)

  def test_by_hand(self):
    # Base 1, head 2, residuals 2 - 1 and 2 * 2 - 0; gradients 2 r (head, base) x.
    got = _fisher(
      learning_testing.linear_model(),
      ([[1.0]], [[2.0]]),
      np.array([[1.0], [2.0]], np.float32),
      np.array([[1.0], [0.0]], np.float32),
    )
    np.testing.assert_allclose(got[0], [[(4**2 + (2 * 4 * 2 * 2) ** 2) / 2]])
    np.testing.assert_allclose(got[1], [[(2**2 + (2 * 4 * 1 * 2) ** 2) / 2]])

  def test_rows_of_an_embedding_that_repeat_are_added_up_first(self):
    model = testing.tokens_model()
    weights = testing.weights(model, seed=1)
    x, y = np.array([[1, 1, 2]], np.int32), np.array([[1, 2, 0]], np.int32)  # The last is padding.
    probability = testing.softmax(weights[0][1])
    error = (2 * probability - np.eye(4)[1] - np.eye(4)[2]) / 2
    expected = np.zeros((4, 4))
    expected[1] = error**2
    np.testing.assert_allclose(_fisher(model, weights, x, y)[0], expected, rtol=1e-4)

  def test_evaluation_mode(self):
    with_dropout = models.from_keras(
      models.build_mlp((2,), 3, (4,), dropout_rate=0.5),
      loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
      metrics={},
    )
    without = models.from_keras(
      models.build_mlp((2,), 3, (4,)),
      loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
      metrics={},
    )
    weights = testing.weights(without, seed=1)
    x, y = testing.two_features(4, seed=2)[:2]
    for got, expected in zip(
      _fisher(with_dropout, weights, x, y), _fisher(without, weights, x, y), strict=True
    ):
      np.testing.assert_allclose(got, expected, rtol=1e-5)

  def test_no_examples(self):
    model = testing.softmax_regression()
    x, y = testing.two_features(0, seed=2)[:2]
    for diagonal in _fisher(model, model.initial_weights, x, y):
      np.testing.assert_array_equal(diagonal, np.zeros(diagonal.shape))


if __name__ == '__main__':
  absltest.main()
