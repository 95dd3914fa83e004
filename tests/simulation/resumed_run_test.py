"""Tests of run folders that are resumed: by whom, with which data, and with which settings."""

import dataclasses
import json
import os
import shutil
from concurrent import futures
from unittest import mock

import pandas as pd
from absl.testing import absltest

from tests import processes, reading
from tests.simulation import running
from tff_lg import checkpoints, folder_lock, simulation
from tff_lg import config as config_lib
from tff_lg.inputs import tasks
from tff_lg.simulation import run_phases
from tff_lg.training import divergence

_CONFIG = config_lib.resolve(
  config_lib.TrainConfig(
    task='digits',
    local_budget='cohort',
    num_clients=5,
    clients_per_round=2,
    rounds=4,
    evaluate_every=2,
    checkpoint_every=2,
  )
)

# Runs to the end.
_SCRIPT = """
from tff_lg import config, simulation
simulation.set_execution_context()
simulation.run_experiment(config.TrainConfig(**{fields!r}), {folder!r})
"""


# Which builds again what runs of another process have built.
_BUILD_PHASES = run_phases.build_phases


def setUpModule():
  running.set_up_module()


class ResumedRunTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.folder = cls.create_tempdir(cls()).full_path + '/run'
    cls.summary = simulation.run_experiment(_CONFIG, cls.folder)

  def test_lost_tables_of_a_finished_run_come_back(self):
    folder = shutil.copytree(self.folder, self.create_tempdir().full_path + '/copy')
    os.truncate(f'{folder}/metrics.csv', 300)
    os.unlink(f'{folder}/baselines/local_only/communication.csv')
    simulation.run_experiment(_CONFIG, folder)
    for name in ('metrics.csv', 'baselines/local_only/communication.csv'):
      self.assertEqual(reading.read(folder, name), reading.read(self.folder, name), name)

  def test_damaged_results_of_a_finished_run_come_back(self):
    folder = shutil.copytree(self.folder, self.create_tempdir().full_path + '/damaged')
    # Those that may differ are left out.
    names = {*os.listdir(folder)} - {'timing.json', 'tensorboard', 'checkpoints', 'baselines'}
    for name in ('clients.parquet', 'label_counts.csv', 'summary.json'):
      os.truncate(f'{folder}/{name}', 9)
    os.unlink(f'{folder}/baselines/local_only/clients.parquet')
    self.assertEqual(simulation.run_experiment(_CONFIG, folder), self.summary)
    for name in names:
      self.assertEqual(reading.read(folder, name), reading.read(self.folder, name), name)
    self.assertEqual(
      reading.read(folder, 'baselines/local_only/clients.parquet'),
      reading.read(self.folder, 'baselines/local_only/clients.parquet'),
    )

  def test_folder_that_is_deleted_under_a_run(self):
    folder = self.create_tempdir().full_path + '/deleted'
    save, calls = checkpoints.CheckpointManager.save, []

    def save_and_delete(manager, *args):
      save(manager, *args)
      calls.append(args[0])
      if len(calls) == 3:
        shutil.rmtree(folder)

    with mock.patch.object(checkpoints.CheckpointManager, 'save', save_and_delete):
      with self.assertRaisesRegex(ValueError, f'{folder} was deleted or moved while it was writ'):
        simulation.run_experiment(_CONFIG, folder)
    self.assertLen(calls, 3)

  @mock.patch.object(run_phases, 'build_phases', _BUILD_PHASES)
  def test_finished_run_with_more_rounds(self):
    folder = self.create_tempdir().full_path + '/grown'
    simulation.run_experiment(dataclasses.replace(_CONFIG, rounds=2), folder)
    grown = simulation.run_experiment(_CONFIG, folder)
    self.assertEqual(grown.pop('changed_settings'), 'after round 2 rounds from 2 to 4')
    baseline = grown.pop('local_only/changed_settings')
    self.assertEqual(baseline, 'after round 2 rounds from 2 to 4')
    self.assertEqual(grown, self.summary)
    for name in (
      'metrics.csv',
      'clients.parquet',
      'hparams.json',
      'baselines/local_only/metrics.csv',
    ):
      self.assertEqual(reading.read(folder, name), reading.read(self.folder, name), name)

  def test_diverged_run_resumes_with_a_lower_rate(self):
    folder = self.create_tempdir().full_path + '/diverged'
    check = divergence.UpdateWatch.check

    def diverges(watch, round_num, clients, output):
      # The baseline has trained its last round before.
      rounds_seen.append(round_num)
      if round_num == 4 and rounds_seen.count(4) == 2:
        return 'Round 4: diverged.'
      return check(watch, round_num, clients, output)

    rounds_seen = []
    with mock.patch.object(divergence.UpdateWatch, 'check', diverges):
      with self.assertRaisesRegex(simulation.RunError, 'Round 4: diverged'):
        simulation.run_experiment(_CONFIG, folder)
    finished = reading.read(folder, 'baselines/local_only/hparams.json')
    before = pd.read_csv(f'{folder}/metrics.csv')
    lower = dataclasses.replace(_CONFIG, client_learning_rate=0.01)
    summary = simulation.run_experiment(lower, folder)
    self.assertEqual(
      summary['changed_settings'], 'after round 2 client_learning_rate from 0.05 to 0.01'
    )
    # The baseline had ended before.
    self.assertEqual(reading.read(folder, 'baselines/local_only/hparams.json'), finished)
    after = pd.read_csv(f'{folder}/metrics.csv')
    self.assertEqual(list(after['round_num']), [1, 2, 3, 4])
    pd.testing.assert_frame_equal(after[:2], before[:2])
    self.assertEqual(json.loads(reading.read(folder, 'hparams.json'))['client_learning_rate'], 0.01)
    self.assertEqual(simulation.run_experiment(lower, folder), summary)
    with self.assertRaisesRegex(ValueError, 'client_learning_rate was 0.01, now 0.001'):
      simulation.run_experiment(dataclasses.replace(lower, client_learning_rate=1e-3), folder)

  def test_data_that_changed_are_refused(self):
    load_data = tasks.load_data

    def negated(config):
      loaded = load_data(config)
      first = loaded.clients[0]
      train = dataclasses.replace(first.train, x=-first.train.x)
      clients = (dataclasses.replace(first, train=train), *loaded.clients[1:])
      return dataclasses.replace(loaded, clients=clients)

    with mock.patch.object(tasks, 'load_data', negated):
      with self.assertRaisesRegex(ValueError, 'began with: the examples differ'):
        simulation.run_experiment(_CONFIG, self.folder)

  def test_folder_of_another_process_is_refused(self):
    new = self.create_tempdir().full_path + '/new'
    for folder in (self.folder, new):
      with folder_lock.hold(folder):
        with self.assertRaisesRegex(ValueError, f'{folder} is in use by process {os.getpid()} on'):
          simulation.run_experiment(_CONFIG, folder)
    self.assertFalse(os.path.exists(new))

  def test_one_of_two_processes_is_refused(self):
    folder = self.create_tempdir().full_path + '/shared'
    script = _SCRIPT.format(fields=dataclasses.asdict(_CONFIG), folder=folder)
    with futures.ThreadPoolExecutor() as pool:
      results = list(pool.map(processes.run_code, [script] * 2))
    # Both succeed if one of them has ended before the other begins.
    self.assertIn(0, [result.returncode for result in results])
    for result in results:
      if result.returncode:
        self.assertRegex(result.stderr, f'--run_dir={folder} is in use by process ')
    for name in ('summary.json', 'metrics.csv', 'clients.parquet'):
      self.assertEqual(reading.read(folder, name), reading.read(self.folder, name), name)
    self.assertNotIn('lock', os.listdir(folder))


if __name__ == '__main__':
  absltest.main()
