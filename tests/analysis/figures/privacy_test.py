"""Tests of the curve of the privacy budget."""

import numpy as np
from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis import figures, style


def _draw(epsilon, **summary):
  metrics = testing.make_run().metrics.assign(**{'privacy/epsilon': epsilon})
  figure = figures.epsilon_curve(testing.make_run(metrics=metrics, summary=summary))
  style.png_bytes(figure)
  return figure.axes[0]


class EpsilonCurveTest(absltest.TestCase):
  def test_curve(self):
    axes = _draw([np.nan, 1.5, 2.0], **{'privacy/delta': 1e-5})
    (line,) = axes.get_lines()
    self.assertEqual(line.get_xydata().tolist(), [[2, 1.5], [3, 2.0]])
    self.assertEqual(axes.get_ylim()[0], 0)
    self.assertEqual(axes.get_xlabel(), 'round')
    self.assertEqual(axes.get_ylabel(), 'ε spent so far\nat δ = 1e-05')

  def test_no_bound(self):
    axes = _draw([np.inf, np.inf, np.inf])
    self.assertEmpty(axes.get_lines()[0].get_xydata().tolist())
    self.assertEqual(axes.get_ylabel(), 'ε spent so far')

  def test_one_round_is_a_mark(self):
    self.assertEqual(_draw([1.0, np.nan, np.nan]).get_lines()[0].get_marker(), 'o')


class AccuracyByEpsilonTest(absltest.TestCase):
  def test_lines(self):
    metrics = testing.make_run().metrics
    name = 'local_test/accuracy'
    runs = {
      'private': testing.make_run(metrics=metrics.assign(**{'privacy/epsilon': [1.0, 1.5, 2.0]})),
      'no bound': testing.make_run(metrics=metrics.assign(**{'privacy/epsilon': np.inf})),
      'open': testing.make_run(),
    }
    figure = figures.accuracy_by_epsilon(runs, name)
    style.png_bytes(figure)
    (axes,) = figure.axes
    private, no_bound, without = axes.get_lines()
    np.testing.assert_allclose(private.get_xydata(), [[1.5, 50], [2.0, 70]])
    self.assertEmpty(no_bound.get_xydata().tolist())
    np.testing.assert_allclose(without.get_ydata(), [70, 70])
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    self.assertEqual(labels, list(runs))
    self.assertEqual(axes.get_xlabel(), 'ε spent so far')


if __name__ == '__main__':
  absltest.main()
