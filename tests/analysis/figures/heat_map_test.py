"""Tests of what the heat map of a sweep shows."""

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg.analysis import figures, style

_AXES = {
  'attack': ('none', 'sign_flip'),
  'aggregator': ('mean', 'median', 'krum'),
  'adaptation': ('no', 'yes'),
}


def _points(axes):
  """Makes points whose mean is 0.1 * row + 0.01 * column + 0.001 * panel."""
  rows = [
    (attack, aggregator, adaptation, 0.1 * i + 0.01 * j + 0.001 * k, 0.02, 3)
    for i, attack in enumerate(axes['attack'])
    for j, aggregator in enumerate(axes['aggregator'])
    for k, adaptation in enumerate(axes['adaptation'])
  ]
  return pd.DataFrame(rows, columns=[*axes, 'mean', 'std', 'n'])


def _draw(points, axes, **changes):
  arguments = {'metric': 'auc', 'columns': 'aggregator', 'rows': 'attack'}
  figure = figures.sweep_heat_map(points, axes, **{**arguments, **changes})
  style.png_bytes(figure)
  return figure.axes


class HeatMapTest(absltest.TestCase):
  def test_values_in_the_order_of_the_axes(self):
    axes = {**_AXES, 'adaptation': ('no',)}
    plot, _ = _draw(_points(axes), axes)
    values = plot.get_images()[0].get_array()
    np.testing.assert_allclose(values, [[0, 0.01, 0.02], [0.1, 0.11, 0.12]])
    self.assertEqual(
      [text.get_text() for text in plot.get_xticklabels()], ['mean', 'median', 'krum']
    )
    self.assertEqual([text.get_text() for text in plot.get_yticklabels()], ['none', 'sign_flip'])
    self.assertEqual(plot.texts[4].get_text(), '0.1100\n± 0.0200')
    self.assertEqual((plot.get_xlabel(), plot.get_ylabel()), ('aggregator', 'attack'))

  def test_a_panel_for_each_value_of_a_third_axis(self):
    no, yes, _ = _draw(_points(_AXES), _AXES, panels=('adaptation',))
    self.assertEqual((no.get_title(), yes.get_title()), ('adaptation = no', 'adaptation = yes'))
    np.testing.assert_allclose(
      yes.get_images()[0].get_array() - no.get_images()[0].get_array(), 0.001
    )
    self.assertEqual(no.get_images()[0].get_clim(), yes.get_images()[0].get_clim())

  def test_missing_points_are_empty(self):
    axes = {**_AXES, 'adaptation': ('no',)}
    plot, _ = _draw(_points(axes).iloc[1:], axes)
    self.assertTrue(plot.get_images()[0].get_array().mask[0, 0])
    self.assertEqual(plot.texts[0].get_text(), '–')

  def test_accuracy_in_per_cent(self):
    axes = {**_AXES, 'adaptation': ('no',)}
    plot, _ = _draw(_points(axes), axes, metric='test/accuracy')
    self.assertAlmostEqual(plot.get_images()[0].get_array()[1, 0], 10)
    self.assertEqual(plot.texts[3].get_text(), '10.00\n± 2.00')
    self.assertEqual(plot.figure.get_suptitle(), 'test accuracy (%), mean ± std over seeds')


if __name__ == '__main__':
  absltest.main()
