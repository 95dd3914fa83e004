"""Tests of what the error bars of a sweep show."""

import math

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg.analysis import figures, style


def _points(rows, axes):
  return pd.DataFrame(rows, columns=[*axes, 'mean', 'std', 'n'])


def _draw(rows, axes, metric='auc', x_axis='p', series=('model',)):
  figure = figures.sweep_error_bars(
    _points(rows, axes), axes, metric=metric, x_axis=x_axis, series=series
  )
  style.png_bytes(figure)
  return figure.axes[0]


def _bars(container):
  """Returns (low, high) of each error bar."""
  return [tuple(segment[:, 1]) for segment in container.lines[2][0].get_segments()]


class ErrorBarsTest(absltest.TestCase):
  AXES = {'p': ('0', '1', '0.5'), 'model': ('dense', 'cgau')}
  ROWS = [
    ('0', 'dense', 0.9, 0.1, 3),
    ('1', 'dense', 0.5, 0.2, 3),
    ('0.5', 'dense', 0.7, math.nan, 1),
    ('0', 'cgau', 0.95, 0.0, 3),
  ]

  def test_lines_in_rising_order_with_bars(self):
    dense, cgau = _draw(self.ROWS, self.AXES).containers
    np.testing.assert_allclose(dense.lines[0].get_ydata(), [0.9, 0.7, 0.5])
    np.testing.assert_allclose(dense.lines[0].get_xdata(), [0, 0.5, 1], atol=0.01)
    np.testing.assert_allclose(_bars(dense), [(0.8, 1.0), (0.7, 0.7), (0.3, 0.7)])
    np.testing.assert_allclose(cgau.lines[0].get_ydata(), [0.95])
    # Set apart, so that neither hides the other.
    self.assertLess(dense.lines[0].get_xdata()[0], cgau.lines[0].get_xdata()[0])

  def test_labels(self):
    axes = _draw(self.ROWS, self.AXES)
    self.assertEqual(axes.get_xlabel(), 'p')
    self.assertEqual(axes.get_ylabel(), 'AUC,\nmean ± std over seeds')
    self.assertEqual([t.get_text() for t in axes.get_legend().get_texts()], ['dense', 'cgau'])
    self.assertEqual(axes.get_legend().get_title().get_text(), 'model')
    self.assertEqual([t.get_text() for t in axes.get_xticklabels()], ['0', '0.5', '1'])

  def test_accuracy_in_per_cent(self):
    axes = _draw(self.ROWS, self.AXES, metric='local_test/accuracy/mean_over_clients')
    np.testing.assert_allclose(axes.containers[0].lines[0].get_ydata(), [90, 70, 50])
    self.assertStartsWith(axes.get_ylabel(), 'local test accuracy, mean over clients (%)')

  def test_categories_are_not_joined(self):
    axes = {'method': ('fedavg', 'lg_fedavg')}
    rows = [('lg_fedavg', 0.9, 0.1, 3), ('fedavg', 0.5, 0.2, 3)]
    plot = _draw(rows, axes, x_axis='method', series=())
    (container,) = plot.containers
    self.assertEqual(container.lines[0].get_linestyle(), 'None')
    np.testing.assert_allclose(container.lines[0].get_xdata(), [0, 1])
    np.testing.assert_allclose(container.lines[0].get_ydata(), [0.5, 0.9])
    self.assertIsNone(plot.get_legend())
    self.assertEqual([t.get_text() for t in plot.get_xticklabels()], ['FedAvg', 'LG-FedAvg'])

  def test_methods_keep_their_colours_and_names(self):
    axes = {'p': ('0',), 'method': ('lg_fedavg', 'fedavg')}
    rows = [('0', 'lg_fedavg', 0.9, 0.1, 3), ('0', 'fedavg', 0.5, 0.2, 3)]
    plot = _draw(rows, axes, series=('method',))
    self.assertEqual(
      [container.lines[0].get_color() for container in plot.containers],
      [style.colour('lg_fedavg'), style.colour('fedavg')],
    )
    self.assertEqual(
      [text.get_text() for text in plot.get_legend().get_texts()], ['LG-FedAvg', 'FedAvg']
    )

  def test_wide_spans_are_logarithmic(self):
    axes = {'rate': ('0.001', '0.01', '1')}
    rows = [(rate, 0.5, 0.1, 2) for rate in axes['rate']]
    plot = _draw(rows, axes, x_axis='rate', series=())
    self.assertEqual(plot.get_xscale(), 'log')
    np.testing.assert_allclose(plot.containers[0].lines[0].get_xdata(), [0.001, 0.01, 1])

  def test_series_of_two_axes(self):
    axes = {'p': ('0', '1'), 'model': ('a', 'b'), 'rate': ('1', '2')}
    rows = [(p, m, r, 0.5, 0.1, 2) for p in '01' for m in 'ab' for r in '12']
    plot = _draw(rows, axes, series=('rate', 'model'))
    self.assertEqual(
      [text.get_text() for text in plot.get_legend().get_texts()],
      ['1, a', '1, b', '2, a', '2, b'],
    )


if __name__ == '__main__':
  absltest.main()
