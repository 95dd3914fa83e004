"""Tests of the lines of the cumulative gain, by hand."""

import math

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg.analysis import figures, style

_SERIES = {
  'federated': style.Series('Federated', '#111111', '-', 'X'),
  'ewc': style.Series('EWC', '#222222', ':', 'o'),
}


def _draw(**panels):
  figure = figures.cumulative_gain(
    {name: pd.DataFrame(gains) for name, gains in panels.items()}, series=_SERIES
  )
  style.png_bytes(figure)
  return figure.axes


def _lines(axes):
  """Returns the lines without the one at zero."""
  return [line.get_xydata() for line in axes.get_lines()[:-1]]


class CumulativeGainTest(absltest.TestCase):
  def test_highest_first(self):
    (axes,) = _draw(own={'ewc': [-0.25, 0.5, 0.0, 0.25]})
    ((line),) = _lines(axes)
    # Sorted 50, 25, 0, -25 points, summed and divided by 4; it ends in the mean, 12.5.
    np.testing.assert_allclose(
      line, [[0, 0], [25, 12.5], [50, 18.75], [75, 18.75], [100, 12.5]], atol=1e-12
    )
    self.assertEqual(axes.get_title('left'), 'own')

  def test_panels_and_their_legend(self):
    first, second = _draw(own={'federated': [0.5], 'ewc': [0.5]}, federated={'ewc': [-0.5]})
    self.assertLen(_lines(first), 2)
    self.assertLen(_lines(second), 1)
    self.assertIsNone(first.get_legend())
    legend = [text.get_text() for text in second.get_legend().get_texts()]
    self.assertEqual(legend, ['Federated', 'EWC'])

  def test_unknown_clients_are_left_out(self):
    (axes,) = _draw(own={'ewc': [0.5, math.nan]})
    np.testing.assert_allclose(_lines(axes)[0], [[0, 0], [100, 50]])

  def test_no_client(self):
    (axes,) = _draw(own={'ewc': [math.nan]})
    np.testing.assert_allclose(_lines(axes)[0], [[0, 0]])


if __name__ == '__main__':
  absltest.main()
