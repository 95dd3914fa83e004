"""Tests of the section on verdicts."""

import dataclasses

import pandas as pd
from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis import style
from tff_lg.analysis.sections import result, verdicts


class VerdictsTest(absltest.TestCase):
  def test_figure_shows_each_verdict(self):
    (illustration,) = verdicts.build_verdicts(testing.make_judged_run()).illustrations
    style.png_bytes(illustration.figure)
    (axes,) = illustration.figure.axes
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    self.assertEqual(labels, ['better with LG-FedAvg: 1', 'better alone: 0', 'cannot tell: 1'])
    # Sorted by difference: client b loses 20 points, client a gains 10.
    drawn = {
      line.get_xdata()[0]: line.get_ydata()[0] for line in axes.lines if len(line.get_xdata())
    }
    self.assertAlmostEqual(drawn[1], -20)
    self.assertAlmostEqual(drawn[2], 10)

  def test_table_is_sorted_and_escaped(self):
    run = testing.make_judged_run()
    run = testing.make_judged_run(clients=run.clients.rename(index={'a': '<script>'}))
    html = verdicts.build_verdicts(run).html
    self.assertIn('&lt;script&gt;', html)
    self.assertNotIn('<script>', html)
    self.assertLess(html.index('data-value="b"'), html.index('&lt;script&gt;'))
    self.assertIn('+1.00 to +19.00', html)

  def test_clients_have_marks_and_panels(self):
    run = testing.make_judged_run()
    counts = pd.DataFrame({'no': [2, 0], 'yes': [5, 1]}, index=['a', 'b'])
    local_only = testing.make_local_only()
    run = dataclasses.replace(run, label_counts=counts, baselines={'local_only': local_only})
    section = verdicts.build_verdicts(run)
    marks = [(mark.x, mark.client) for mark in section.illustrations[0].marks]
    self.assertEqual(marks, [(1, 'b'), (2, 'a')])
    self.assertEqual(section.illustrations[0].marks[1].text, 'a: +10.00 (+1.00 to +19.00), better')
    self.assertEqual(list(section.panels), ['b', 'a'])
    panel = section.panels['a']
    self.assertEqual(panel.classes, [('yes', 5), ('no', 2)])
    self.assertEqual(section.panels['b'].classes, [('yes', 1)])
    self.assertIn(('smallest difference to be seen', '5.00 points'), panel.facts)
    self.assertEqual(panel.rows[0][0], 'LG-FedAvg')
    self.assertEqual(
      panel.rows[1], ['Local only', '–', '80.00', '+10.00', '+1.00 to +19.00', 'better']
    )

  def test_panels_have_curves(self):
    scores = pd.DataFrame({'validation/accuracy': [0.5, 0.75]}, index=[2, 4])
    run = testing.make_judged_run()
    panels = verdicts.build_verdicts(dataclasses.replace(run, client_curves={'a': scores})).panels
    self.assertIn('at the end: LG-FedAvg 75.00"', panels['a'].curves)
    self.assertEqual(panels['b'].curves, '')

  def test_answer_comes_first(self):
    html = result.build_result(testing.make_judged_run()).html
    self.assertStartsWith(html, '<p class="headline">1 of 2 clients should take part, 0 should not')
    self.assertIn('1 of 2 clients (50', html)

  def test_runs_without_verdicts(self):
    self.assertIsNone(verdicts.build_verdicts(testing.make_run()))


if __name__ == '__main__':
  absltest.main()
