"""Tests of runs that take over the rounds of another: their bits, and what is refused."""

import dataclasses
import functools
import os
import shutil
from unittest import mock

from absl.testing import absltest, parameterized

from tests import reading
from tests.simulation import running
from tff_lg import data_fingerprint, training
from tff_lg.training import divergence, releases

_CONFIG = dataclasses.replace(
  running.LG_ON_DIGITS,
  warm_start_rounds=6,
  rounds=3,
  evaluate_every=2,
  checkpoint_every=2,
)
_FEDAVG = {'method': 'fedavg', 'warm_start_rounds': 0}
_NAMES = ('metrics.csv', 'communication.csv', 'clients.parquet', 'summary.json')
_run = functools.partial(running.run, _CONFIG)


def setUpModule():
  running.set_up_module()


def _rounds_trained(folder, **changes):
  """Runs the config, changed; returns the rounds that it has trained itself."""
  release, trained = releases.MetricsReleaser.release, []

  def note(releaser, round_num, *rest):
    trained.append(round_num)
    release(releaser, round_num, *rest)

  with mock.patch.object(releases.MetricsReleaser, 'release', note):
    _run(folder, **changes)
  return trained


class WarmStartRunTest(parameterized.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.folder = cls.create_tempdir(cls()).full_path
    cls.source = f'{cls.folder}/fedavg'
    _run(cls.source, **_FEDAVG, rounds=4)

  @parameterized.parameters(
    ({}, [5, 6, 7, 8, 9]),
    ({'warm_start_rounds': 4}, [5, 6, 7]),
    ({'method': 'apfl'}, [5, 6, 7, 8, 9]),
  )
  def test_has_the_bits_of_a_run_that_trains_all_rounds(self, changes, expected):
    own, adopted = (self.create_tempdir().full_path + '/run' for _ in range(2))
    _run(own, **changes)
    self.assertEqual(_rounds_trained(adopted, **changes, warm_start_from=self.source), expected)
    for name in _NAMES:
      self.assertEqual(reading.read(adopted, name), reading.read(own, name), name)

  def test_ends_with_the_goal_of_the_rounds(self):
    goal = 'validation/accuracy>=0.0001'  # Round 2, the first that is evaluated, reaches it.
    source, folder = (f'{self.folder}/{name}' for name in ('until', 'from_until'))
    _run(source, **_FEDAVG, rounds=6, rounds_until=goal)
    trained = _rounds_trained(folder, warm_start_until=goal, warm_start_from=source)
    self.assertEqual(trained, [3, 4, 5])

  @parameterized.parameters((6, {}, 6), (5, {}, 0), (6, {'early_stopping_rounds': 50}, 0))
  def test_takes_over_the_rounds_of_a_baseline(self, num_rounds, changes, num_taken):
    alone, beside = (self.create_tempdir().full_path + '/run' for _ in range(2))
    changes = {'warm_start_rounds': num_rounds, **changes}
    _run(alone, **changes)
    everything = list(range(1, num_rounds + 4))
    trained = _rounds_trained(beside, **changes, baselines=('fedavg',))
    self.assertEqual(trained, everything + everything[num_taken:])
    for name in ('metrics.csv', 'communication.csv', 'client_curves.parquet'):
      self.assertEqual(reading.read(beside, name), reading.read(alone, name), name)
    self.assertEqual(*map(reading.read_events, (beside, alone)))

  def test_a_run_with_a_lower_rate_than_the_baseline_trains_itself(self):
    folder, check, seen = f'{self.folder}/lower', divergence.UpdateWatch.check, []

    def diverges(watch, round_num, clients, output):
      seen.append(round_num)
      # Once in the baseline, and once in the rounds of the method.
      return 'Diverged.' if seen.count(7) == 2 else check(watch, round_num, clients, output)

    with mock.patch.object(divergence.UpdateWatch, 'check', diverges):
      with self.assertRaises(training.DivergenceError):
        _run(folder, baselines=('fedavg',))
    shutil.rmtree(f'{folder}/checkpoints')
    rates = {'client_learning_rate': 0.01}
    self.assertEqual(_rounds_trained(folder, baselines=('fedavg',), **rates), list(range(1, 10)))

  def test_a_baseline_that_was_resumed_with_a_lower_rate_is_left_alone(self):
    folder, check = f'{self.folder}/baseline_lower', divergence.UpdateWatch.check

    def diverges(watch, round_num, clients, output):
      return 'Diverged.' if round_num == 8 else check(watch, round_num, clients, output)

    with mock.patch.object(divergence.UpdateWatch, 'check', diverges):
      with self.assertRaises(training.DivergenceError):
        _run(folder, baselines=('fedavg',))
    changes = {'baselines': ('fedavg',), 'client_learning_rate': 0.01}
    trained = _rounds_trained(folder, **changes)
    self.assertEqual(trained[-9:], list(range(1, 10)))
    self.assertLess(len(trained), 18)  # The baseline goes on from its last checkpoint.

  def test_resumes_without_the_other_run(self):
    source, folder = (f'{self.folder}/{name}' for name in ('copy', 'resumed'))
    shutil.copytree(self.source, source)
    _run(folder, warm_start_from=source)
    shutil.rmtree(source)
    self.assertEqual(_rounds_trained(folder, warm_start_from=source, rounds=4), [10])
    self.assertEqual(_rounds_trained(folder, rounds=5), [11])

  def test_refuses_other_data(self):
    folder, source = f'{self.folder}/other_data', f'{self.folder}/fewer'
    shutil.copytree(self.source, source)
    os.unlink(f'{source}/client_list.json')
    data_fingerprint.write(source, {**data_fingerprint.of_list(['x'], [[1]]), 'num_clients': 5})
    with self.assertRaisesRegex(ValueError, f'the run in --warm_start_from={source} began with'):
      _run(folder, warm_start_from=source)
    self.assertFalse(os.path.exists(folder))


if __name__ == '__main__':
  absltest.main()
