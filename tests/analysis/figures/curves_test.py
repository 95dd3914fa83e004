"""Tests of what the training curves show."""

import numpy as np
from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis import figures, style


def _lines(axes):
  """Returns (x, y) by label."""
  return {line.get_label(): line.get_xydata().tolist() for line in axes.get_lines()}


class TrainingCurvesTest(absltest.TestCase):
  def test_curves(self):
    run = testing.make_run(baselines={'local_only': testing.make_local_only()})
    loss, accuracy = figures.training_curves(run).axes
    self.assertEqual(_lines(loss), {'training': [[1, 3], [2, 2], [3, 1]]})
    self.assertEqual(
      _lines(accuracy),
      {
        'Local only, local test': [[2, 50], [3, 70]],
        'LG-FedAvg, local test': [[2, 50], [3, 70]],
      },
    )

  def test_axes(self):
    loss, accuracy = figures.training_curves(testing.make_run()).axes
    self.assertEqual(loss.get_ylabel(), 'mean loss')
    self.assertEqual(accuracy.get_ylabel(), 'accuracy, mean over clients (%)')
    self.assertEqual(accuracy.get_xlabel(), 'round')

  def test_warm_start_is_shaded(self):
    _, accuracy = figures.training_curves(testing.make_run()).axes
    (span,) = accuracy.patches
    self.assertEqual((span.get_x(), span.get_width()), (0.5, 1.0))
    self.assertEqual(span.get_label(), 'warm start: FedAvg rounds')

  def test_one_evaluation_is_a_mark(self):
    run = testing.make_run(metrics=testing.make_run().metrics.iloc[:2])
    (line,) = figures.training_curves(run).axes[1].get_lines()
    self.assertEqual(line.get_marker(), 'o')

  def test_missing_and_infinite_values(self):
    metrics = testing.make_run().metrics[['train/loss']].assign(**{'train/loss': [np.inf, 2, 1]})
    figure = figures.training_curves(testing.make_run(metrics=metrics))
    self.assertEmpty(figure.axes[1].get_lines())
    style.png_bytes(figure)


if __name__ == '__main__':
  absltest.main()
