"""Tests for tff_lg.metrics.exact and tff_lg.metrics.in_graph, against scikit-learn."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized
from sklearn import metrics as sklearn_metrics

from tff_lg.metrics import exact, in_graph


def _in_graph(objective, names, output, y, **options):
  """Computes the Keras metrics of a model's output, in batches of 7."""
  found = {}
  for name, build in in_graph.build_metrics(objective, names, output.shape[-1], **options).items():
    metric = build()
    for start in range(0, len(y), 7):
      metric.update_state(y[start : start + 7], output[start : start + 7])
    found[name] = float(metric.result())
  return found


class ExactTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.rng = np.random.default_rng(0)

  @parameterized.parameters(2, 3)
  def test_classification(self, num_classes):
    names = ('accuracy', 'macro_f1', 'auc')
    logits = self.rng.normal(size=[60, num_classes]).astype(np.float32)
    y = self.rng.integers(num_classes, size=60).astype(np.int32)
    p = tf.nn.softmax(logits).numpy()
    scores = p[:, 1] if num_classes == 2 else p.astype(np.float64) / p.sum(1, keepdims=True)
    expected = {
      'accuracy': sklearn_metrics.accuracy_score(y, p.argmax(axis=1)),
      'macro_f1': sklearn_metrics.f1_score(y, p.argmax(axis=1), average='macro'),
      'auc': sklearn_metrics.roc_auc_score(
        y, p[:, 1] if num_classes == 2 else p, multi_class='ovr', average='macro'
      )
      if num_classes == 2
      else np.mean([sklearn_metrics.roc_auc_score(y == k, scores[:, k]) for k in range(3)]),
    }
    found = exact.score('classification', names, p, y)
    for name, value in expected.items():
      self.assertAlmostEqual(found[name], value, 12)
    of_logits = _in_graph('classification', names, logits, y)
    of_probabilities = _in_graph('classification', names, p, y, are_probabilities=True)
    for name, value in expected.items():
      delta = 5e-3 if name == 'auc' else 1e-6
      self.assertAlmostEqual(of_logits[name], value, delta=delta)
      self.assertAlmostEqual(of_probabilities[name], value, delta=delta)

  def test_regression_far_from_zero(self):
    names = ('mae', 'rmse', 'r2')
    y = (2000 + 5 * self.rng.normal(size=50)).astype(np.float32)
    predicted = (y + self.rng.normal(size=50)).astype(np.float32)
    expected = {
      'mae': sklearn_metrics.mean_absolute_error(y, predicted),
      'rmse': sklearn_metrics.mean_squared_error(y, predicted) ** 0.5,
      'r2': sklearn_metrics.r2_score(y, predicted),
    }
    found = exact.score('regression', names, predicted, y)
    in_batches = _in_graph('regression', names, predicted[:, np.newaxis], y)
    for name, value in expected.items():
      self.assertAlmostEqual(found[name], value, 6)
      self.assertAlmostEqual(in_batches[name], value, 4)

  def test_multilabel(self):
    names = ('label_accuracy', 'macro_f1', 'auc')
    logits = self.rng.normal(size=[60, 4]).astype(np.float32)
    y = self.rng.integers(2, size=[60, 4]).astype(np.float32)
    p = tf.sigmoid(logits).numpy()
    expected = {
      'label_accuracy': (y == (p > 0.5)).mean(),
      'macro_f1': sklearn_metrics.f1_score(y, p > 0.5, average='macro'),
      'auc': sklearn_metrics.roc_auc_score(y, p, average='macro'),
    }
    found = exact.score('multilabel', names, p, y)
    in_batches = _in_graph('multilabel', names, logits, y)
    for name, value in expected.items():
      self.assertAlmostEqual(found[name], value, 12)
      self.assertAlmostEqual(in_batches[name], value, delta=5e-3 if name == 'auc' else 1e-6)

  def test_values_by_hand(self):
    p, y = np.array([[0.8, 0.2], [0.4, 0.6], [0.3, 0.7]], np.float32), np.array([0, 0, 1])
    found = exact.score('classification', ('accuracy', 'macro_f1', 'auc'), p, y)
    # Both classes have an F1 of 2/3: one right of one and two, and of two and one.
    self.assertEqual(
      {k: round(v, 12) for k, v in found.items()},
      {'accuracy': round(2 / 3, 12), 'macro_f1': round(2 / 3, 12), 'auc': 1.0},
    )
    found = exact.score(
      'regression', ('mae', 'rmse', 'r2'), np.array([1.0, 2.0, 5.0]), np.array([1.0, 2.0, 3.0])
    )
    self.assertEqual(found, {'mae': 2 / 3, 'rmse': (4 / 3) ** 0.5, 'r2': -1.0})

  def test_what_is_not_defined_is_nan(self):
    p, y = np.array([[0.8, 0.2]], np.float32), np.array([0], np.int32)
    self.assertTrue(np.isnan(exact.score('classification', ('auc',), p, y)['auc']))
    self.assertTrue(np.isnan(exact.score('classification', ('auc',), p * np.nan, y)['auc']))
    self.assertTrue(np.isnan(exact.score('regression', ('r2',), p[:, 0], p[:, 0])['r2']))
    self.assertTrue(np.isnan(exact.score('regression', ('mae',), p[:0, 0], p[:0, 0])['mae']))
    self.assertTrue(np.isnan(_in_graph('classification', ('auc',), p, y)['auc']))
    self.assertTrue(np.isnan(_in_graph('regression', ('r2',), p[:, :1], p[:, 0])['r2']))

  def test_a_metric_of_other_objectives_is_refused(self):
    for name in ('mae', 'loss'):
      with self.assertRaisesRegex(ValueError, f'^metric {name} does not fit classification, exp'):
        exact.score('classification', (name,), np.ones([1, 2]), np.array([0]))

  def test_a_class_that_nobody_has_does_not_count_in_f1(self):
    p, y = np.eye(3, dtype=np.float32)[[0, 1, 1]], np.array([0, 1, 0], np.int32)
    expected = sklearn_metrics.f1_score(y, p.argmax(axis=1), average='macro')
    self.assertAlmostEqual(exact.score('classification', ('macro_f1',), p, y)['macro_f1'], expected)
    logits = np.log(p + 1e-6)
    self.assertAlmostEqual(
      _in_graph('classification', ('macro_f1',), logits, y)['macro_f1'], expected, 6
    )

  def test_main_metric_by_example(self):
    p = np.array([[0.8, 0.2], [0.4, 0.6]])
    self.assertEqual(
      exact.by_example('classification', p, np.array([0, 0])).tolist(), [True, False]
    )
    errors = exact.by_example('regression', np.array([1.0, 2.0]), np.array([0.5, 4.0]))
    self.assertEqual(errors.tolist(), [0.5, 2.0])
    shares = exact.by_example('multilabel', p, np.array([[1, 0], [1, 1]]))
    self.assertEqual(shares.tolist(), [1.0, 0.5])


if __name__ == '__main__':
  absltest.main()
