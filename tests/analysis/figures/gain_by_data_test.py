"""Tests of the bins and lines of gains against the clients' data."""

import math

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg.analysis import figures, style

_SERIES = {
  'federated': style.Series('Federated', '#111111', '-', 'X'),
  'best': style.Series('Best', '#222222', ':', 'o'),
}


def _draw(gains, size, complexity, **options):
  figure = figures.gain_by_data(
    pd.DataFrame(gains),
    pd.Series(size),
    pd.Series(complexity),
    y='gain (points)',
    series=_SERIES,
    **options,
  )
  style.png_bytes(figure)
  return figure.axes


def _lines(axes):
  """Returns the lines without the one at zero."""
  return [line.get_xydata().tolist() for line in axes.get_lines()[:-1]]


class GainByDataTest(absltest.TestCase):
  def test_few_values_have_a_mean_each(self):
    gains = {'federated': [0.5, -0.25, 0.25], 'best': [0.5, 0.0, 0.5]}
    left, right = _draw(gains, [100, 10, 10], [2, 2, 4])
    self.assertEqual(_lines(left), [[[10, 0], [100, 50]], [[10, 25], [100, 50]]])
    self.assertEqual(_lines(right), [[[2, 12.5], [4, 25]], [[2, 25], [4, 50]]])
    # A dot for each client with the last model.
    self.assertEqual(left.collections[0].get_offsets().tolist(), [[100, 50], [10, 0], [10, 50]])

  def test_many_values_are_put_into_bins_of_as_many_clients(self):
    size = np.arange(1, 46)
    gains = {'federated': size / 100, 'best': np.zeros(45)}
    left, _ = _draw(gains, size, np.ones(45))
    # Three bins of 15 clients: 1 to 15, 16 to 30, 31 to 45.
    np.testing.assert_allclose(_lines(left)[0], [[8, 8], [23, 23], [38, 38]])

  def test_few_clients_are_one_bin(self):
    size = np.arange(1, 13)
    left, _ = _draw({'federated': size / 100, 'best': size / 100}, size, np.ones(12))
    np.testing.assert_allclose(_lines(left)[0], [[6.5, 6.5]])

  def test_scores_have_no_line_at_zero(self):
    scores = {'federated': [0.5, 0.25], 'best': [0.5, 0.75]}
    gains, plain = (
      _draw(scores, [10, 20], [2, 4], are_gains=are_gains)[0] for are_gains in (True, False)
    )
    self.assertLen(gains.lines, 1 + len(plain.lines))
    self.assertEqual(plain.lines[-1].get_xydata().tolist(), [[10, 50], [20, 75]])

  def test_axes(self):
    gains = {'federated': [0.1, 0.2], 'best': [0.1, 0.2]}
    for size, complexity, expected in (
      ([10, 201], [2, 40], ('log', 'linear')),
      ([10, 200], [2, 41], ('linear', 'log')),
    ):
      left, right = _draw(gains, size, complexity)
      self.assertEqual((left.get_xscale(), right.get_xscale()), expected)
      self.assertEqual(left.get_ylabel(), 'gain (points)')

  def test_numbers_under_the_axis(self):
    gains = {'federated': [0.1, 0.2], 'best': [0.1, 0.2]}
    for size, expected in (
      ([60, 3000], {'100', '200', '500', '1,000', '2,000'}),
      ([3, 40_000], {'10', '100', '1,000', '10,000'}),
    ):
      left, _ = _draw(gains, size, [1, 1])
      low, high = left.get_xlim()
      ticks = zip(left.get_xticks(), left.get_xticklabels(), strict=True)
      labels = {text.get_text() for place, text in ticks if low <= place <= high}
      self.assertEqual(labels - {'50', '5,000'}, expected)

  def test_unknown_clients_are_left_out(self):
    gains = {'federated': [0.5, 0.5, math.nan], 'best': [0.5, 0.5, 0.5]}
    left, right = _draw(gains, [10, math.nan, 10], [2, 4, 2])
    self.assertEqual(_lines(left)[0], [[10, 50]])
    self.assertEqual(_lines(right)[0], [[2, 50], [4, 50]])


if __name__ == '__main__':
  absltest.main()
