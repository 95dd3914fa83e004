"""Tests of choosing a learning rate by whole runs."""

import dataclasses
import json
import math
import os
import pathlib

from absl.testing import absltest

from tests import reading
from tff_lg import config as config_lib
from tff_lg import simulation, training
from tff_lg.run_folder import run_files, tuned_rate
from tff_lg.simulation import trained_run, tuning

_CONFIG = config_lib.TrainConfig(
  method='fedavg',
  num_clients=5,
  clients_per_round=5,
  rounds=2,
  client_learning_rate=0.05,
  baselines=(),
  evaluate_every=2,
  tune='validation',
)
_NAME = 'validation/accuracy/mean_over_clients'


def setUpModule():
  simulation.set_execution_context()


class TuneLearningRateTest(absltest.TestCase):
  def _tune(self, scores, **changes):
    config = config_lib.resolve(dataclasses.replace(_CONFIG, **changes))
    self.trials, self.folder = [], self.create_tempdir().full_path

    def run(trial, folder):
      self.trials.append((trial, os.path.basename(folder)))
      score = scores(trial.client_learning_rate)
      if score is None:
        raise training.DivergenceError('No client has a finite update.')
      return {_NAME: score}

    return tuning.tune_learning_rate(config, self.folder, run)

  def test_the_grid_grows_until_its_best_is_inside(self):
    tuned = self._tune(lambda rate: -abs(math.log(rate / 0.5)))
    self.assertEqual(list(tuned.tried), [0.01667, 0.05, 0.15, 0.45, 1.35])
    self.assertEqual(tuned.learning_rate, 0.45)
    for trial, folder in self.trials:
      self.assertEqual((trial.tune, trial.baselines), ('none', ()))
      self.assertEqual(folder, f'{trial.client_learning_rate:g}')
    self.assertEqual(tuned_rate.load_tuned_rate(self.folder), tuned)
    self.assertEqual(tuned.summary()['tuning/tried'], '0.01667, 0.05, 0.15, 0.45, 1.35')

  def test_a_rate_that_diverges_is_the_worst(self):
    tuned = self._tune(
      lambda rate: 0.5 if rate == 0.1 else None, tuned_learning_rates=(0.01, 0.1, 1.0)
    )
    self.assertEqual(tuned.learning_rate, 0.1)
    self.assertEqual(tuned.tried, {0.01: -math.inf, 0.1: 0.5, 1.0: -math.inf})
    with self.assertRaisesRegex(training.DivergenceError, 'every learning rate diverges'):
      self._tune(lambda rate: None)

  def test_a_damaged_file_is_named(self):
    folder = self.create_tempdir()
    path = folder.create_file('tuning.json', '{"learning_rate": 1').full_path
    with self.assertRaisesRegex(ValueError, f'{path} is damaged'):
      tuned_rate.load_tuned_rate(folder.full_path)

  def test_a_run_uses_the_best_rate(self):
    config = config_lib.resolve(dataclasses.replace(_CONFIG, tuned_learning_rates=(0.001, 0.1)))
    folder = self.create_tempdir().full_path + '/run'
    with self.assertLogs(level='WARNING') as logs:
      summary = simulation.run_experiment(config, folder)
    self.assertTrue(any('is at an end of those tried' in line for line in logs.output))
    trials = {
      rate: run_files.load_results(f'{folder}/tuning/{rate}')[0] for rate in ('0.001', '0.1')
    }
    self.assertGreater(trials['0.1'][_NAME], trials['0.001'][_NAME])
    self.assertEqual(summary['tuning/client_learning_rate'], 0.1)
    self.assertEqual(summary[_NAME], trials['0.1'][_NAME])
    self.assertEqual(trained_run.load_config(folder).client_learning_rate, 0.1)
    # The rounds are those of the trial: so is the time they took.
    self.assertEqual(*(self._rounds_seconds(each) for each in (folder, f'{folder}/tuning/0.1')))
    alone = self.create_tempdir().full_path + '/run'
    once = dataclasses.replace(config, client_learning_rate=0.1, tune='none')
    simulation.run_experiment(
      config_lib.resolve(dataclasses.replace(once, tuned_learning_rates=None)), alone
    )
    for name in ('metrics.csv', 'communication.csv', 'clients.csv'):
      read = [pathlib.Path(each, name).read_text() for each in (folder, alone)]
      self.assertEqual(*read, name)
    self.assertEqual(*map(reading.read_events, (folder, alone)))

  def _rounds_seconds(self, folder):
    return json.loads(pathlib.Path(folder, 'timing.json').read_text())['rounds_seconds']


class AdoptRoundsTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)
    trial = self.folder / 'tuning/0.1'
    (trial / 'checkpoints').mkdir(parents=True)
    (trial / 'checkpoints/round_00000002.npz').write_text('of the trial')

  def _adopted(self, **changes):
    rates = {'tuned_learning_rates': (0.01, 0.1, 1.0)}
    config = dataclasses.replace(config_lib.resolve(_CONFIG), **rates, **changes)
    tuning.tune_learning_rate(
      config, str(self.folder), lambda trial, _: {_NAME: trial.client_learning_rate == 0.1}
    )
    found = (path for path in self.folder.glob('*/*') if path.is_file())
    return {str(path.relative_to(self.folder)): path.read_text() for path in found}

  def test_takes_checkpoints(self):
    self.assertEqual(self._adopted(), {'checkpoints/round_00000002.npz': 'of the trial'})

  def test_a_run_with_more_than_checkpoints_trains(self):
    self.assertEqual(self._adopted(client_store='disk'), {})
    self.assertEqual(self._adopted(track='mlflow'), {})

  def test_a_run_with_a_checkpoint_resumes_from_that(self):
    own = self.folder / 'checkpoints/round_00000001.npz'
    own.parent.mkdir()
    own.write_text('own')
    self.assertEqual(self._adopted(), {'checkpoints/round_00000001.npz': 'own'})


if __name__ == '__main__':
  absltest.main()
