"""Tests of how a program says how far it is."""

import contextlib
import io
from unittest import mock

from absl.testing import absltest

from tff_lg import progress


class _Terminal(io.StringIO):
  def isatty(self):
    return True


class ProgressTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.out = io.StringIO()
    self.enter_context(contextlib.redirect_stderr(self.out))

  def lines(self):
    return self.out.getvalue().splitlines()

  def test_a_line_says_what_the_bar_would_show(self):
    with progress.Bar(1200, 'round', initial=200) as bar:
      bar.set_description('fedavg')
      progress.report()
      bar._time = lambda: bar.start_t + 50.0
      bar.update(100)
      bar.set_postfix(loss=0.5, refresh=False)
      progress.report()
    progress.report()
    first, second = self.lines()
    self.assertEqual(first, 'fedavg: 200 of 1,200 rounds, 00:00 so far')
    self.assertRegex(
      second, r'^fedavg: 300 of 1,200 rounds, 2 rounds per second, 07:30 left, loss=0.5$'
    )

  def test_time_left_gets_shorter_between_updates(self):
    with progress.Bar(400, 'client') as bar:
      bar._time = lambda: bar.start_t + 100.0
      bar.update(100)
      for seconds in (130.0, 1030.0):
        bar._time = lambda seconds=seconds: bar.start_t + seconds
        progress.report()
    self.assertEqual(
      self.lines(),
      [
        '100 of 400 clients, 1 clients per second, 04:30 left',
        '100 of 400 clients, 00:10 per client, 51:30 left',
      ],
    )

  def test_slow_work_tells_the_time_of_one(self):
    with progress.Bar(24, 'trial') as bar:
      bar._time = lambda: bar.start_t + 1290.0
      bar.update(3)
      progress.report()
    self.assertEqual(self.lines(), ['3 of 24 trials, 07:10 per trial, 2:30:30 left'])

  def test_nothing_is_drawn_without_a_terminal(self):
    with progress.Bar(3, 'round'):
      self.assertEqual(list(progress.over('abc', 3, 'letter')), ['a', 'b', 'c'])
    self.assertEqual(self.out.getvalue(), '')

  def test_the_line_is_of_what_was_begun_last(self):
    with progress.Bar(3, 'round', 'lg_fedavg'):
      with progress.part('baseline 1 of 2'), progress.Bar(10, 'client', 'scoring', is_nested=True):
        progress.report()
        with progress.stage('loading data'):
          progress.report()
      progress.report()
    self.assertEqual(
      self.lines(),
      [
        'lg_fedavg: 0 of 3 rounds, 00:00 so far; '
        'baseline 1 of 2, scoring: 0 of 10 clients, 00:00 so far',
        'baseline 1 of 2, loading data: 00:00 so far',
        'lg_fedavg: 0 of 3 rounds, 00:00 so far',
      ],
    )

  def test_lines_come_by_themselves(self):
    wait = mock.Mock(side_effect=[None, None, InterruptedError])
    with progress.Bar(2, 'round'), self.assertRaises(InterruptedError):
      progress._report_forever(wait)
    wait.assert_called_with(30.0)
    self.assertLen(self.lines(), 2)

  def test_one_thread_reports_for_all(self):
    for _ in range(2):
      with progress.Bar(2, 'round'):
        thread = progress._reporter
    self.assertIs(progress._reporter, thread)
    self.assertTrue(thread.daemon)

  def test_bars_and_stages_on_a_terminal(self):
    out = _Terminal()
    with contextlib.redirect_stderr(out), progress.part('baseline 1 of 2'):
      with progress.stage('loading data'):
        self.assertEqual(out.getvalue(), 'baseline 1 of 2, loading data\n')
      with progress.Bar(2, 'round', 'fedavg') as bar:
        bar.update(2)
      drawn = out.getvalue()
      with progress.Bar(2, 'client', 'scoring', is_nested=True) as bar:
        bar.update(2)
    self.assertIn('baseline 1 of 2, fedavg: 100%', drawn)
    self.assertNotIn('scoring', out.getvalue())


if __name__ == '__main__':
  absltest.main()
