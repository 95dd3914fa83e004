"""Tests of what the scatter of clients shows."""

import math

import pandas as pd
from absl.testing import absltest

from tff_lg.analysis import figures, style


def _scatter(own, federated):
  figure = figures.client_scatter(pd.Series(own), pd.Series(federated), method='lg_fedavg')
  style.png_bytes(figure)
  return figure.axes[0]


def _points(axes):
  """Makes points above, on and below the diagonal."""
  return [collection.get_offsets().tolist() for collection in axes.collections]


def _legend(axes):
  return [text.get_text() for text in axes.get_legend().get_texts()]


class ClientScatterTest(absltest.TestCase):
  def test_points_by_side(self):
    axes = _scatter([0.5, 0.5, 0.75, 0.25], [0.75, 0.5, 0.5, 1.0])
    self.assertEqual(_points(axes), [[[25, 100], [50, 75]], [[50, 50]], [[75, 50]]])
    self.assertEqual(
      _legend(axes),
      ['better with LG-FedAvg: 2 (50 %)', 'equal: 1 (25 %)', 'better alone: 1 (25 %)'],
    )

  def test_sides_and_legend_agree_on_rounding(self):
    # Rounded to six decimals these two are 1e-6 apart, and yet equal.
    axes = _scatter([0.5000004, 0.5], [0.5000006, 0.75])
    self.assertEqual([len(points) for points in _points(axes)], [1, 1, 0])
    self.assertEqual(_legend(axes)[1], 'equal: 1 (50 %)')

  def test_axes(self):
    axes = _scatter([0.5, 0.9], [0.6, 0.7])
    self.assertEqual(axes.get_xlabel(), 'locally trained model: local test accuracy (%)')
    self.assertEqual(axes.get_ylabel(), 'LG-FedAvg: local test accuracy (%)')
    self.assertEqual(axes.get_xlim(), axes.get_ylim())

  def test_clients_at_one_place_make_one_mark_of_their_area(self):
    axes = _scatter([0.5, 0.5, 0.5, 0.25], [0.75, 0.75, 0.75, 0.5])
    above = axes.collections[0]
    self.assertEqual(above.get_offsets().tolist(), [[25, 50], [50, 75]])
    small, large = above.get_sizes()
    self.assertEqual(large, 3 * small)
    self.assertEqual(_legend(axes)[-1], 'larger: several clients')

  def test_unknown_clients_are_left_out(self):
    axes = _scatter([0.5, math.nan, 0.5], [0.75, 0.5, math.nan])
    self.assertEqual(_points(axes), [[[50, 75]], [], []])
    self.assertEqual(_legend(axes)[0], 'better with LG-FedAvg: 1 (100 %)')

  def test_no_client(self):
    self.assertEqual(_points(_scatter([math.nan], [math.nan])), [[], [], []])


if __name__ == '__main__':
  absltest.main()
