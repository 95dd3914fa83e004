"""Tests of the figure of linear devices."""

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg.analysis import style
from tff_lg.analysis.figures import theory

_CURVE = pd.DataFrame(
  {
    'rho': 0.06,
    'alpha': np.linspace(0, 1, 11),
    'measured': np.linspace(1, 2, 11),
    'low': np.linspace(1, 2, 11) - 0.25,
    'high': np.linspace(1, 2, 11) + 0.5,
    'formula': np.linspace(1.5, 2.5, 11),
    'paper_formula': np.linspace(0.5, 1, 11),
  }
)
_SUMMARY = {'alpha/formula': 0.25, 'alpha/measured': 0.5, 'alpha/estimated': 0.75}


class MixtureErrorsTest(absltest.TestCase):
  def test_a_panel(self):
    figure = theory.mixture_errors([_CURVE], [_SUMMARY], 'What is plotted.')
    (axes,) = figure.axes
    self.assertEqual(
      axes.get_title('left'),
      'rho = 0.06\nalpha*: formula 0.250, measured 0.500, estimated 0.750',
    )
    lines = {line.get_label(): line for line in axes.get_lines()}
    for label, alpha in (
      ('alpha* of the formula', 0.25),
      ('alpha* measured', 0.5),
      ('alpha* estimated from training data', 0.75),
    ):
      self.assertEqual(list(lines[label].get_xdata()), [alpha, alpha])
    np.testing.assert_array_equal(lines['formula, R = d rho² / 3'].get_ydata(), _CURVE['formula'])
    paper = lines["formula with the paper's R = rho²"]
    np.testing.assert_array_equal(paper.get_ydata(), _CURVE['paper_formula'])
    # Marks at every fifth alpha, with an interval that need not be symmetric.
    (container,) = axes.containers
    ends = [segment[:, 1].tolist() for segment in container.lines[2][0].get_segments()]
    np.testing.assert_allclose(ends, [[0.75, 1.5], [1.25, 2.0], [1.75, 2.5]])
    self.assertEqual(axes.get_yscale(), 'log')

    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    self.assertIn('measured, 95 % interval', legend)
    self.assertLen(legend, 6)
    self.assertEqual(figure.get_supxlabel(), 'What is plotted.')
    self.assertStartsWith(style.png_bytes(figure), b'\x89PNG')

  def test_a_panel_for_each_setting(self):
    curves = [_CURVE.assign(rho=rho) for rho in (0.5, 0.1, 0.02)]
    figure = theory.mixture_errors(curves, [_SUMMARY] * 3, '')
    titles = [axes.get_title('left').split('\n')[0] for axes in figure.axes]
    self.assertEqual(titles, ['rho = 0.5', 'rho = 0.1', 'rho = 0.02'])


if __name__ == '__main__':
  absltest.main()
