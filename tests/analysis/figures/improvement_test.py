"""Tests of the bins and bars of the improvement over local models."""

import math

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from tff_lg.analysis import figures, style

_OWN = [0.60, 0.649, 0.65, 0.70, 0.80]


def _draw(own, **runs):
  figure = figures.improvement_bars(
    pd.Series(own), {label: pd.Series(values) for label, values in runs.items()}
  )
  style.png_bytes(figure)
  return figure.axes[0]


def _bars(axes):
  return [[round(bar.get_height(), 6) for bar in bars] for bars in axes.containers[::2]]


def _numbers(axes):
  return [text.get_text() for text in axes.texts][:-1]


class ImprovementBarsTest(parameterized.TestCase):
  def test_bins(self):
    axes = _draw(_OWN, A=[0.70, 0.669, 0.60, 0.60, 0.85])
    self.assertEqual(axes.get_xticks().tolist(), [60, 62, 64, 66, 68, 70, 72, 74, 76, 78, 80])
    # 64.9 and 65 share a bin, +2 and -5; 80 is in the last one.
    self.assertEqual(_numbers(axes), ['1', '2', '1', '1'])
    self.assertEqual(_bars(axes), [[10, -1.5, -10, 5]])
    self.assertEqual([bar.get_hatch() for bar in axes.containers[0]], [None, '////', '////', None])

  def test_error_bars_of_several_clients_only(self):
    axes = _draw(_OWN, A=[0.70, 0.669, 0.60, 0.60, 0.85])
    segments = [
      segment for segment in axes.containers[1].lines[2][0].get_segments() if len(segment)
    ]
    # Changes +2 and -5: mean -1.5, population std 3.5.
    self.assertLen(segments, 1)
    np.testing.assert_allclose(segments[0][:, 1], [-5, 2], atol=1e-9)

  def test_runs_side_by_side(self):
    axes = _draw([0.5, 0.5], A=[0.6, 0.6], B=[0.4, 0.5])
    self.assertEqual(_bars(axes), [[10], [-5]])
    (first,), (second,) = axes.containers[0], axes.containers[2]
    self.assertLess(first.get_x() + first.get_width(), second.get_x())
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    self.assertEqual(legend[:2], ['A:\n0 % of clients worse off', 'B:\n50 % of clients worse off'])

  @parameterized.parameters(
    ([1.0, 1.0], [99, 100]),
    ([0.5, 0.5], [50, 51]),
    ([0.29, 0.30], [29, 30]),  # 100 * 0.29 is 28.999...
    ([0.0, 1.0], [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]),
    ([0.63, 0.81], [62, 64, 66, 68, 70, 72, 74, 76, 78, 80, 82]),
    ([0.63, 0.92], [60, 65, 70, 75, 80, 85, 90, 95]),
  )
  def test_edges(self, own, expected):
    self.assertEqual(_draw(own, A=own).get_xticks().tolist(), expected)

  def test_unknown_clients_are_left_out(self):
    axes = _draw([0.5, math.nan, 0.5], A=[0.75, 0.5, math.nan])
    self.assertEqual(_numbers(axes), ['1'])
    self.assertEqual(_bars(axes), [[25]])

  def test_no_client(self):
    self.assertEqual(_bars(_draw([math.nan], A=[math.nan])), [[]])

  def test_axes(self):
    own = pd.Series([0.5])
    figure = figures.improvement_bars(own, {'A': own}, metric='participant_test/accuracy')
    self.assertEqual(
      figure.axes[0].get_xlabel(), 'locally trained model: participant test accuracy (%)'
    )


if __name__ == '__main__':
  absltest.main()
