"""Tests of runs that stop early: bits, what is saved, and resuming after a stop."""

import dataclasses
import functools
import os
from unittest import mock

import numpy as np
from absl.testing import absltest

from tests import reading
from tests.simulation import running
from tff_lg import analysis
from tff_lg.inputs import tasks
from tff_lg.simulation import trained_run
from tff_lg.training import releases

# At this rate no score changes: the first round of the method is the best one.
_CONFIG = dataclasses.replace(
  running.LG_ON_DIGITS,
  client_learning_rate=1e-12,
  warm_start_rounds=3,
  rounds=9,
  evaluate_every=1,
  checkpoint_every=4,
  early_stopping_rounds=2,
)
_NAMES = ('metrics.csv', 'communication.csv', 'clients.parquet')
_run = functools.partial(running.run, _CONFIG)


def setUpModule():
  running.set_up_module()


class EarlyStoppingRunTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.folder = cls.create_tempdir(cls()).full_path + '/run'
    cls.summary = _run(cls.folder)

  def test_is_the_run_of_so_many_rounds(self):
    folder = self.create_tempdir().full_path + '/short'
    short = _run(folder, rounds=3, early_stopping_rounds=None)
    self.assertEqual(self.summary, {**short, 'early_stopping/rounds_saved': 6})
    for name in _NAMES:
      self.assertEqual(reading.read(folder, name), reading.read(self.folder, name), name)

  def test_killed_run_stops_in_the_same_round(self):
    folder = self.create_tempdir().full_path + '/killed'
    release = releases.MetricsReleaser.release

    def stop(releaser, round_num, *rest):
      if round_num == 6:
        raise KeyboardInterrupt
      release(releaser, round_num, *rest)

    with mock.patch.object(releases.MetricsReleaser, 'release', stop):
      with self.assertRaises(KeyboardInterrupt):
        _run(folder)
    self.assertEqual(_run(folder), self.summary)
    for name in _NAMES:
      self.assertEqual(reading.read(folder, name), reading.read(self.folder, name), name)

  def test_later_phases_continue_from_its_last_round(self):
    trained = trained_run.load_trained_run(self.folder)
    self.assertLen(trained.weights, 5)
    last = trained_run.load_last_round(self.folder)
    self.assertEqual(last.state.round_num, 6)
    last.state.clients.close()

  def test_report_says_what_it_saved(self):
    page = reading.read(analysis.write_report(self.folder)).decode()
    self.assertIn('Early stopping saved 6 of 12 rounds', page)

  def test_needs_validation_examples(self):
    load_data = tasks.load_data

    def without_validation(config):
      loaded = load_data(config)
      clients = [
        dataclasses.replace(client, validation=client.validation.take(np.zeros(0, np.int64)))
        for client in loaded.clients
      ]
      return dataclasses.replace(loaded, clients=tuple(clients))

    folder = self.create_tempdir().full_path + '/none'
    with mock.patch.object(tasks, 'load_data', without_validation):
      with self.assertRaisesRegex(ValueError, '--early_stopping_rounds looks at validation data'):
        _run(folder)
    self.assertFalse(os.path.exists(folder))


if __name__ == '__main__':
  absltest.main()
