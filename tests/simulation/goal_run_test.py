"""Tests of runs whose rounds end with a goal: bits, what is said, and resuming."""

import dataclasses
import functools
import os
from unittest import mock

import pandas as pd
from absl.testing import absltest

from tests import reading
from tests.simulation import running
from tff_lg import analysis, file_names
from tff_lg.simulation import trained_run
from tff_lg.training import releases

# Any accuracy of round 4, the first that is evaluated, reaches the goals.
_CONFIG = dataclasses.replace(
  running.LG_ON_DIGITS,
  warm_start_rounds=8,
  warm_start_until='validation/accuracy>=0.0001',
  rounds=4,
  evaluate_every=4,
  checkpoint_every=3,
)
_NAMES = ('metrics.csv', 'communication.csv', 'clients.parquet')
_run = functools.partial(running.run, _CONFIG)


def setUpModule():
  running.set_up_module()


class GoalRunTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.folder = cls.create_tempdir(cls()).full_path + '/run'
    cls.summary = _run(cls.folder)

  def _check_same(self, folder):
    for name in _NAMES:
      self.assertEqual(reading.read(folder, name), reading.read(self.folder, name), name)

  def test_is_the_run_of_so_many_rounds(self):
    folder = self.create_tempdir().full_path + '/short'
    short = _run(folder, warm_start_rounds=4, warm_start_until=None)
    told = {'warm_start_until/rounds': 4, 'warm_start_until/is_reached': 1}
    self.assertEqual(self.summary, short | told)
    self._check_same(folder)

  def test_killed_run_resumes_to_the_same_bits(self):
    release = releases.MetricsReleaser.release
    for killed_after in (4, 6):  # Before and after the change of method is in a checkpoint.
      folder = self.create_tempdir().full_path + '/killed'

      def stop(releaser, round_num, *rest, last=killed_after):
        release(releaser, round_num, *rest)
        if round_num == last:
          raise KeyboardInterrupt

      with mock.patch.object(releases.MetricsReleaser, 'release', stop):
        with self.assertRaises(KeyboardInterrupt):
          _run(folder)
      self.assertEqual(_run(folder), self.summary)
      self._check_same(folder)

  def test_finished_run_resumes_with_more_rounds(self):
    folder = self.create_tempdir().full_path + '/more'
    _run(folder, rounds=2)
    self.assertEqual(_run(folder)['rounds/lg'], 4)
    sent = [reading.read(each, 'communication.csv') for each in (folder, self.folder)]
    self.assertEqual(*sent)

  def test_last_round_is_found(self):
    self.assertLen(trained_run.load_trained_run(self.folder).weights, 5)
    last = trained_run.load_last_round(self.folder)
    self.assertEqual(last.state.round_num, 8)
    last.state.clients.close()

  def test_report_says_when(self):
    page = reading.read(analysis.write_report(self.folder)).decode()
    self.assertIn('The goal of the warm start was validation/accuracy&gt;=0.0001. Round 4', page)

  def test_goal_that_is_missed_is_told(self):
    folder = self.create_tempdir().full_path + '/missed'
    with self.assertLogs(level='WARNING') as logs:
      summary = _run(folder, warm_start_until='validation/loss<=0.000001')
    self.assertIn('--warm_start_until=validation/loss<=0.000001 was not reached', logs.output[-1])
    self.assertEqual((summary['rounds/fedavg'], summary['rounds/lg']), (8, 4))
    self.assertEqual(summary['warm_start_until/is_reached'], 0)

  def test_rounds_of_the_method_end_too(self):
    folder = self.create_tempdir().full_path + '/fedavg'
    changes = {'method': 'fedavg', 'warm_start_rounds': 0, 'warm_start_until': None, 'rounds': 20}
    summary = _run(folder, **changes, rounds_until='validation/accuracy>=0.0001')
    self.assertEqual(summary['rounds/fedavg'], 4)
    self.assertEqual(summary['early_stopping/rounds_saved'], 16)
    last = trained_run.load_last_round(folder)
    self.assertEqual(last.state.round_num, 4)
    last.state.clients.close()

  def test_rounds_end_once_targets_are_counted(self):
    folder = self.create_tempdir().full_path + '/targets'
    changes = {'method': 'fedavg', 'warm_start_rounds': 0, 'warm_start_until': None, 'rounds': 20}
    summary = _run(
      folder,
      **changes,
      evaluate_every=1,
      goal_accuracy=(0.3, 0.4),
      rounds_until='goal_accuracy',
    )
    found = pd.read_csv(os.path.join(folder, file_names.METRICS))['local_test/accuracy/pooled']
    self.assertBetween(len(found), 2, 19)
    self.assertEqual((found >= 0.4).tolist(), [False] * (len(found) - 1) + [True])
    last = summary['rounds_to/0.4/local_test/accuracy/pooled']
    self.assertBetween(last, len(found) - 1, len(found))
    self.assertLess(summary['rounds_to/0.3/local_test/accuracy/pooled'], last)

  def test_picked_split_follows_the_goal(self):
    folder = self.create_tempdir().full_path + '/auto'
    summary = _run(folder, global_layers=('auto',), auto_rounds=1, rounds=1)
    self.assertEqual((summary['rounds/fedavg'], summary['rounds/lg']), (4, 1))


if __name__ == '__main__':
  absltest.main()
