"""Tests of the section on privacy."""

from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis.sections import privacy

_SUMMARY = {
  'privacy/accountant': 'rdp',
  'privacy/delta': 1e-5,
  'privacy/epsilon': 2.34567,
  'privacy/else': 1.0,
}


class PrivacyTest(absltest.TestCase):
  def test_table_in_order(self):
    section = privacy.build_privacy(testing.make_run(summary=_SUMMARY))
    rows = [
      '<th scope="row">ε</th><td>2.346</td>',
      '<th scope="row">δ</th><td>1e-05</td>',
      '<th scope="row">accountant</th><td>rdp</td>',
      '<th scope="row">privacy/else</th><td>1</td>',
    ]
    places = [section.html.index(row) for row in rows]
    self.assertEqual(places, sorted(places))
    self.assertNotIn('warning', section.html)
    self.assertEmpty(section.illustrations)

  def test_warning(self):
    summary = {**_SUMMARY, 'privacy/epsilon': 1e4, 'privacy/warning': 'This protects <nobody>.'}
    html = privacy.build_privacy(testing.make_run(summary=summary)).html
    self.assertIn('<p class="warning">This protects &lt;nobody&gt;.</p>', html)
    self.assertEqual(html.count('protects'), 1)

  def test_what_is_not_covered_and_what_is_assumed(self):
    summary = {
      'privacy/assumed/noise': 'Of the seed.',
      'privacy/not_covered/metrics': 'Without noise.',
      'privacy/warning/vocabulary': 'Of private text.',
      **_SUMMARY,
    }
    html = privacy.build_privacy(testing.make_run(summary=summary)).html
    self.assertIn('<p class="warning">Of private text.</p>', html)
    self.assertEqual(html.count('private text'), 1)
    rows = [
      '<th scope="row">not covered: metrics</th><td>Without noise.</td>',
      '<th scope="row">assumed: noise</th><td>Of the seed.</td>',
    ]
    places = [html.index(row) for row in rows]
    self.assertEqual(places, sorted(places))

  def test_curve(self):
    metrics = testing.make_run().metrics.assign(**{'privacy/epsilon': [1.0, 1.5, 2.0]})
    run = testing.make_run(summary=_SUMMARY, metrics=metrics)
    (illustration,) = privacy.build_privacy(run).illustrations
    self.assertEqual(illustration.name, 'epsilon')

  def test_no_privacy(self):
    self.assertIsNone(privacy.build_privacy(testing.make_run()))


if __name__ == '__main__':
  absltest.main()
