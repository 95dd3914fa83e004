"""Tests of charts of recorded tables: what is drawn, and what a page says of it."""

import numpy as np
from absl.testing import absltest

from tff_lg import published
from tff_lg.published import drawing
from tff_lg.published.outcome import Outcome

_CHART = published.CHARTS['cifar10_by_classes']


def _outcome(table, *of_seeds):
  """Returns an outcome with the same numbers of each figure, one for each seed."""
  return Outcome(tuple(range(len(of_seeds))), (np.array(of_seeds),) * len(table.figures))


class DrawingTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    two, *_, ten = _CHART.tables
    self.outcomes = {two.name: _outcome(two, 1.0, 3.0), ten.name: _outcome(ten, 5.0)}

  def test_lines_are_ours_and_the_papers(self):
    (plot,) = drawing.draw(_CHART, self.outcomes).axes
    _, labels = plot.get_legend_handles_labels()
    self.assertEqual(labels, ['local learning', 'FedAvg', 'LG-FedAvg', 'paper'])
    self.assertEqual([each.get_text() for each in plot.get_xticklabels()], list('2345') + ['10'])
    theirs, ours, *_ = (container.lines for container in plot.containers)
    nan = np.nan
    np.testing.assert_array_equal(ours[0].get_ydata(), [2, nan, nan, nan, 5])
    np.testing.assert_array_equal(theirs[0].get_ydata(), [87.93, nan, nan, 73.42, 45.54])
    # Of the seeds' 1 and 3 the standard deviation is the square root of 2; one seed has none.
    low, high = (line.get_ydata() for line in ours[1])
    np.testing.assert_allclose(high - low, [2 * 2**0.5, nan, nan, nan, nan])

  def test_lines_without_a_paper_and_without_methods(self):
    chart = published.CHARTS['mood_by_share']
    (table,) = chart.tables
    (plot,) = drawing.draw(chart, {'mood': _outcome(table, 1.0, 3.0)}).axes
    self.assertIsNone(plot.get_legend())
    text = drawing.render(chart, {'mood': _outcome(table, 1.0, 3.0)})
    self.assertNotIn('paper', text)

  def test_logarithmic_axis_has_plain_numbers(self):
    chart = published.CHARTS['mnist_rounds_by_clients']
    (table,) = chart.tables
    figure = drawing.draw(chart, {table.name: _outcome(table, 10.0, 400.0)})
    (plot,) = figure.axes
    self.assertEqual(plot.get_yscale(), 'log')
    figure.draw_without_rendering()
    self.assertIn('200', [each.get_text() for each in plot.get_yticklabels()])

  def test_text_names_what_has_not_been_run(self):
    self.assertEqual(
      drawing.render(_CHART, self.outcomes),
      '![Accuracy on CIFAR-10 by classes per device](images/cifar10_by_classes.png)\n\n'
      '*Accuracy on CIFAR-10 by classes per device*, by `cifar10_lg` and `cifar10_classes_10`. '
      "Filled marks are ours, mean ± standard deviation over seeds. Open marks are the paper's. "
      'Not run yet: `cifar10_classes_3`, `cifar10_classes_4` and `cifar10_classes_5`.',
    )


if __name__ == '__main__':
  absltest.main()
