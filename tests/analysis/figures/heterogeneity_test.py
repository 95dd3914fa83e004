"""Tests of the distance against the share shuffled."""

import math

import pandas as pd
from absl.testing import absltest

from tff_lg.analysis import figures, style


def _draw(rows):
  figure = figures.distance_by_share(pd.DataFrame(rows, columns=['p', 'client', 'distance']))
  style.png_bytes(figure)
  return figure.axes[0]


class DistanceByShareTest(absltest.TestCase):
  def test_means_over_clients(self):
    axes = _draw([(0, 0, 1000), (0, 1, 3000), (0.5, 0, 10), (0.5, 1, 30), (1, 0, 0.01)])
    (line,) = axes.get_lines()
    self.assertEqual(line.get_xydata().tolist(), [[0, 2000], [0.5, 20], [1, 0.01]])
    self.assertLen(axes.collections[0].get_offsets(), 5)
    self.assertEqual([text.get_text() for text in axes.texts], ['2,000', '20.0', '0.0100'])
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    self.assertCountEqual(labels, ['client', 'mean over clients'])

  def test_axes(self):
    axes = _draw([(0, 0, 3), (1, 0, 2)])
    self.assertEqual(axes.get_xlabel(), 'share of examples reassigned at random, p')
    self.assertStartsWith(axes.get_ylabel(), 'Frechet distance')
    self.assertEqual((axes.get_yscale(), axes.get_ylim()[0]), ('linear', 0))

  def test_orders_of_magnitude(self):
    axes = _draw([(0, 0, 1000), (1, 0, 10)])
    self.assertEqual(axes.get_yscale(), 'log')
    labels = [label.get_text() for label in axes.get_yticklabels()]
    self.assertContainsSubset(['10', '100', '1000'], labels)
    self.assertEqual(_draw([(0, 0, 1000), (1, 0, 0.0)]).get_yscale(), 'linear')

  def test_clients_without_distance_are_left_out(self):
    axes = _draw([(0, 0, 4), (0, 1, math.nan), (1, 0, math.nan)])
    self.assertEqual(axes.get_lines()[0].get_xydata().tolist(), [[0, 4]])
    self.assertLen(axes.collections[0].get_offsets(), 1)

  def test_zero_and_nothing(self):
    self.assertEqual(_draw([(0, 0, 0.0)]).texts[0].get_text(), '0')
    self.assertIsNone(_draw([]).get_legend())


if __name__ == '__main__':
  absltest.main()
