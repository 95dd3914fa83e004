"""Tests of whole runs: what they write, and that killing one changes nothing."""

import dataclasses
import glob
import json
import os

import numpy as np
import pandas as pd
from absl.testing import absltest

from tests import processes, reading
from tests.simulation import running
from tff_lg import client_gains, simulation
from tff_lg import config as config_lib

_CONFIG = config_lib.TrainConfig(
  task='digits',
  local_budget='cohort',
  num_clients=5,
  clients_per_round=2,
  rounds=4,
  warm_start_rounds=3,
  evaluate_every=2,
  checkpoint_every=2,
  goal_accuracy=(0.4, 0.999),
)

# Kills itself as the round given is about to be written down.
_KILLED = """
import os, signal
from tff_lg import config, simulation
from tff_lg{room} import {module}

original = {module}.{owner}.{method}
calls = 0
def dies(self, *args):
  global calls
  calls += 1
  if calls == {call}:
    os.kill(os.getpid(), signal.SIGKILL)
  return original(self, *args)
{module}.{owner}.{method} = dies
simulation.set_execution_context()
simulation.run_experiment(config.resolve(config.TrainConfig(**{fields!r})), {folder!r})
"""


def setUpModule():
  running.set_up_module()


def _fields():
  return {f.name: getattr(_CONFIG, f.name) for f in dataclasses.fields(_CONFIG)}


def _run_killed(folder, room, module, owner, method, call):
  script = _KILLED.format(
    room=room,
    module=module,
    owner=owner,
    method=method,
    call=call,
    fields=_fields(),
    folder=folder,
  )
  return processes.run_code(script).returncode


class ExperimentTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.folder = cls.create_tempdir(cls()).full_path + '/run'
    cls.summary = simulation.run_experiment(config_lib.resolve(_CONFIG), cls.folder)

  def test_run_folder_is_complete(self):
    for name in (
      'flags.txt hparams.json client_list.json metrics.csv communication.csv clients.parquet '
      'client_curves.parquet label_counts.csv model_split.txt summary.json timing.json checkpoints '
      'tensorboard baselines/local_only'
    ).split():
      self.assertTrue(os.path.exists(os.path.join(self.folder, name)), name)

  def test_summary_has_the_names_that_others_read(self):
    for name in (
      'local_test/accuracy/mean_over_clients',
      'local_test/accuracy/std_over_clients',
      'new_test/accuracy/ensemble_probability',
      'new_test/accuracy/ensemble_log_probability',
      'new_test/accuracy/ensemble_vote',
      'new_test/accuracy/weight_average',
      'local_only/local_test/accuracy/mean_over_clients',
      'communication/parameters_total',
      'communication/bytes_total',
    ):
      self.assertIsInstance(self.summary[name], (int, float), name)
    self.assertEqual((self.summary['rounds/fedavg'], self.summary['rounds/lg']), (3, 4))
    self.assertEqual(json.loads(reading.read(self.folder, 'summary.json')), self.summary)

  def test_communication_is_counted_by_phase(self):
    # 3 FedAvg rounds of all 10,730 weights, 4 LG rounds of the last three layers.
    total = (64 * 64 + 64) + (64 * 64 + 64) + (64 * 32 + 32) + (32 * 10 + 10)
    shared = total - (64 * 64 + 64)
    self.assertEqual(
      self.summary['communication/parameters_total'], 2 * 2 * (3 * total + 4 * shared)
    )
    self.assertEqual(
      self.summary['communication/broadcast_to_all/parameters_total'],
      (5 + 2) * (3 * total + 4 * shared),
    )
    self.assertEqual(self.summary['local_only/communication/bytes_total'], 0)

  def test_goals(self):
    metrics = pd.read_csv(os.path.join(self.folder, 'metrics.csv'))
    evaluated = metrics.dropna(subset='local_test/accuracy/pooled')
    # Every second round, and the last ones of both phases.
    self.assertEqual(list(evaluated['round_num']), [2, 3, 4, 6, 7])
    # The best so far is that of round 2 until round 6, which is above 0.4.
    best = evaluated['local_test/accuracy/pooled'].cummax().to_numpy()
    share = (0.4 - best[2]) / (best[3] - best[2])
    self.assertBetween(share, 0, 1)
    for name, column in (
      ('rounds_to', 'round_num'),
      ('parameters_to', 'communication/parameters_total'),
      ('bytes_to', 'communication/bytes_total'),
    ):
      counts = evaluated[column].to_numpy()
      self.assertAlmostEqual(
        self.summary[f'{name}/0.4/local_test/accuracy/pooled'],
        counts[2] + share * (counts[3] - counts[2]),
      )
      self.assertNotIn(f'{name}/0.999/local_test/accuracy/pooled', self.summary)
    self.assertEqual(self.summary['local_only/bytes_to/0.4/local_test/accuracy/pooled'], 0)

  def test_table_of_clients_agrees_with_the_summary(self):
    clients = pd.read_parquet(os.path.join(self.folder, 'clients.parquet'))
    self.assertLen(clients, 5)
    for name in ('local_test/accuracy', 'participant_test/accuracy'):
      for column in (name, f'local_only/{name}'):
        mean, deviation = clients[column].mean(), clients[column].std(ddof=0)
        self.assertAlmostEqual(mean, self.summary[f'{column}/mean_over_clients'])
        self.assertAlmostEqual(deviation, self.summary[f'{column}/std_over_clients'])
      gains = client_gains.client_gains(clients[name], clients[f'local_only/{name}'])
      for key, value in (
        ('mean_over_clients', gains.mean()),
        ('share_of_clients_worse', client_gains.share_worse(gains)),
      ):
        self.assertAlmostEqual(value, self.summary[f'gain_over/local_only/{name}/{key}'])
    self.assertTrue(set(clients['best_round']) <= {4, 6, 7})

  def test_curves_of_clients_are_what_the_rounds_metrics_summarize(self):
    curves = pd.read_parquet(f'{self.folder}/client_curves.parquet').set_index('round_num')
    rounds = pd.read_csv(f'{self.folder}/metrics.csv').set_index('round_num')
    evaluated = rounds['validation/accuracy/mean_over_clients'].dropna()
    self.assertEqual(curves.index.tolist(), np.repeat(evaluated.index, 5).tolist())
    for metric in ('accuracy', 'loss'):
      mean = curves.groupby('round_num')[f'validation/{metric}'].mean()
      expected = rounds.loc[evaluated.index, f'validation/{metric}/mean_over_clients']
      np.testing.assert_allclose(mean, expected, rtol=1e-6)

  def test_same_command_again_changes_nothing(self):
    before = reading.read(self.folder, 'summary.json')
    again = simulation.run_experiment(config_lib.resolve(_CONFIG), self.folder)
    self.assertEqual(again, self.summary)
    self.assertEqual(reading.read(self.folder, 'summary.json'), before)

  def test_folder_of_other_settings_is_refused(self):
    other = config_lib.resolve(dataclasses.replace(_CONFIG, seed=1))
    with self.assertRaisesRegex(ValueError, 'seed was 0, now 1'):
      simulation.run_experiment(other, self.folder)

  def test_folder_of_something_else_is_refused(self):
    folder = self.create_tempdir()
    folder.create_file('thesis.tex', 'years of work')
    with self.assertRaisesRegex(ValueError, 'is not empty and holds no run'):
      simulation.run_experiment(config_lib.resolve(_CONFIG), folder.full_path)
    self.assertEqual(os.listdir(folder.full_path), ['thesis.tex'])

  def test_killed_run_resumes_to_the_same_bits(self):
    # First in the baseline, then while a checkpoint is on its way, then between checkpoints.
    folder = self.create_tempdir().full_path + '/killed'
    for killer in (
      ('.training', 'releases', 'MetricsReleaser', 'release', 2),
      ('', 'checkpoints', 'CheckpointManager', 'save', 6),
      ('.training', 'releases', 'MetricsReleaser', 'release', 2),
    ):
      self.assertEqual(_run_killed(folder, *killer), -9)
      self.assertFalse(os.path.exists(folder + '/summary.json'))
    simulation.run_experiment(config_lib.resolve(_CONFIG), folder)
    for name in (
      'summary.json metrics.csv communication.csv clients.parquet client_curves.parquet '
      'baselines/local_only/client_curves.parquet'
    ).split():
      self.assertEqual(reading.read(folder, name), reading.read(self.folder, name), name)
    for mine, other in zip(
      sorted(glob.glob(folder + '/checkpoints/*')),
      sorted(glob.glob(self.folder + '/checkpoints/*')),
      strict=True,
    ):
      with np.load(mine) as a, np.load(other) as b:
        self.assertEqual(set(a.files), set(b.files))
        for name in set(a.files) - {'meta'}:  # which holds the time spent
          np.testing.assert_array_equal(a[name], b[name])


if __name__ == '__main__':
  absltest.main()
