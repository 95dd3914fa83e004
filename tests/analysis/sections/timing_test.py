"""Tests of the section on timing."""

from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis.sections import timing


class TimingTest(absltest.TestCase):
  def test_units(self):
    values = {
      'seconds': 75.0,
      'rounds_per_second': 2.5,
      'evaluation_seconds': 1.25,
      'device': 'CPU',
    }
    html = timing.build_timing(testing.make_run(timing=values)).html
    self.assertIn('<th scope="row">whole run</th><td>1 min 15 s</td>', html)
    self.assertIn('<th scope="row">rounds per second</th><td>2.5</td>', html)
    self.assertIn('<th scope="row">evaluation</th><td>1.2 s</td>', html)
    self.assertIn('<th scope="row">device</th><td>CPU</td>', html)

  def test_not_recorded(self):
    self.assertIsNone(timing.build_timing(testing.make_run()))


if __name__ == '__main__':
  absltest.main()
