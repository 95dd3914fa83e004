"""Test of the pipeline that compares methods by a suite, run as a user runs it."""

import json
import pathlib

import numpy as np
import pandas as pd
from absl.testing import absltest

from pipelines import benchmark
from tests.pipelines import in_process

_SUITE = '--suite=motley_cross_silo'


def setUpModule():
  in_process.set_up_module()


def _square_errors_on_others(run):
  """Returns the mean square error of a model of all clients without each client's own examples."""
  clients = pd.read_parquet(run / 'clients.parquet')
  squares = clients['local_test/rmse'] ** 2 * clients['num_test']
  return (squares.sum() - squares) / (clients['num_test'].sum() - clients['num_test'])


class BenchmarkTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)

  def _benchmark(self, *arguments):
    return in_process.run(benchmark, *arguments)

  def test_suite_again_and_its_runs_on_a_leaderboard_of_their_own(self):
    flags = (_SUITE, '--fast', '--methods=fine_tuning', '--rounds=2')
    flags += (f'--run_dir={self.folder}/suite', '--', '--batch_size=16', '--epochs=3')
    result = self._benchmark(*flags)
    self.assertEqual(result.returncode, 0, result.stderr)
    board = pd.read_csv(self.folder / 'suite/leaderboard.csv')
    self.assertEqual(board['row'].tolist(), ['fedavg', 'fine_tuning'])
    self.assertEqual(board['num_runs'].tolist(), [2, 2])
    self.assertEqual(board['rounds'].tolist(), [2, 2])
    self.assertTrue(board['published_mean'].isna().all())
    self.assertIn('FedAvg, fine-tuned', result.stdout)
    runs = sorted((self.folder / 'suite/methods/fedavg/trials').iterdir())
    adapted = (self.folder / 'suite/methods/fine_tuning/trials').glob('*/hparams.json')
    self.assertEqual([json.loads(path.read_text())['epochs'] for path in adapted], [3, 3])
    of_runs = [pd.read_parquet(run / 'clients.parquet')['local_test/rmse'] for run in runs]
    means = [(errors**2 / 2).mean() for errors in of_runs]
    self.assertAlmostEqual(board['mean'][0], sum(means) / 2)
    of_others = [_square_errors_on_others(run) / 2 for run in runs]
    self.assertAlmostEqual(board['others_mean'][0], np.mean(of_others), places=6)
    self.assertAlmostEqual(
      board['others_std_over_clients'][0],
      np.mean([each.std(ddof=0) for each in of_others]),
      places=6,
    )
    self.assertTrue((board['others_std_over_clients'] > 0).all())
    self.assertIn("others' data, mean ± std", result.stdout)

    before = (self.folder / 'suite/leaderboard.csv').read_bytes()
    written = [(run / 'summary.json').stat().st_mtime_ns for run in runs]
    self.assertEqual(self._benchmark(*flags).returncode, 0)
    self.assertEqual((self.folder / 'suite/leaderboard.csv').read_bytes(), before)
    self.assertEqual([(run / 'summary.json').stat().st_mtime_ns for run in runs], written)

    listed = ','.join(map(str, runs))
    result = self._benchmark(f'--runs={listed}', f'--run_dir={self.folder}/board')
    self.assertEqual(result.returncode, 0, result.stderr)
    board = pd.read_csv(self.folder / 'board/leaderboard.csv')
    self.assertEqual(board[['method', 'num_runs']].values.tolist(), [['FedAvg', 2]])
    self.assertIn('local test MAE, mean ± std', result.stdout)

  def test_test_clients_are_scored_and_validation_clients_choose(self):
    flags = ('--suite=motley_cross_device', '--fast', '--methods=fine_tuning,local')
    result = self._benchmark(*flags, '--repeats=1', '--rounds=1', f'--run_dir={self.folder}/suite')
    self.assertEqual(result.returncode, 0, result.stderr)
    board = pd.read_csv(self.folder / 'suite/leaderboard.csv')
    self.assertEqual(board['row'].tolist(), ['fedavg', 'fine_tuning', 'local'])
    self.assertEqual(board['num_clients'].tolist(), [1, 1, 1])
    (trained,) = (self.folder / 'suite/methods/fedavg/trials').glob('*/held_out_clients.parquet')
    clients = pd.read_parquet(trained).set_index('is_validation_client')
    self.assertAlmostEqual(board['mean'][0], 100 * clients['local_test/accuracy'][False])
    (adapted,) = (self.folder / 'suite/methods/local/trials').glob('*/clients.parquet')
    clients = pd.read_parquet(adapted).set_index('is_validation_client')
    self.assertLen(clients, 2)
    self.assertAlmostEqual(board['mean'][2], 100 * clients['fine_tune/local_test/accuracy'][False])
    self.assertEqual(board['is_default'].sum(), 1)

  def test_robustness_in_the_worst_case(self):
    flags = ('--suite=byzantine', '--fast', '--methods=trimmed_mean_arc', '--rounds=1')
    result = self._benchmark(*flags, '--repeats=1', f'--run_dir={self.folder}/robust')
    self.assertEqual(result.returncode, 0, result.stderr)
    found = pd.read_csv(self.folder / 'robust/robustness.csv')
    self.assertLen(found, 6)
    self.assertTrue(found['mean'].between(0, 1).all())
    self.assertIn('trimmed mean, ARC and NNM  client_learning_rate=0.1', result.stdout)
    attacked = sorted((self.folder / 'robust').glob('cells/*/trials/*/clients.parquet'))
    self.assertLen(attacked, 2)
    means = []
    for path in attacked:
      clients = pd.read_parquet(path)
      self.assertEqual(clients['is_malicious'].sum(), 1)
      means.append(clients['local_test/accuracy'][~clients['is_malicious']].mean())
    self.assertAlmostEqual(found['mean'][0], min(means))

  def test_refuses(self):
    folder = f'--run_dir={self.folder}/suite'
    for arguments, sentence in (
      ((folder,), 'benchmark: Expected either --suite, or --runs with finished runs.'),
      ((folder, _SUITE, '--methods=sgd'), '--methods is sgd, expected some of local, fedavg'),
      ((folder, '--suite=byzantine', '--methods=fedavg'), '--methods is fedavg, expected some of'),
      ((folder, _SUITE, '--grid=attack=mimic'), 'suite=motley_cross_silo has no cells'),
      ((folder, '--suite=byzantine', '--grid=attack=tickle'), '--grid=attack=tickle: expected'),
      ((folder, _SUITE, '--data=nowhere'), 'data_dir: nowhere found, expected a file or folder'),
      ((folder, _SUITE, '--', '--seed=1'), 'each has a seed of its own: use --repeats.'),
      ((folder, _SUITE, '--', '--rate=1'), "Unknown command line flag 'rate'"),
      ((folder, _SUITE, '--', '--evaluate_every_epochs=3'), '--evaluate_every_epochs is 3, exp'),
      ((folder, '--runs=nowhere', '--repeats=2'), '--repeats is given, but it belongs to --suite'),
    ):
      result = self._benchmark(*arguments)
      self.assertEqual(result.returncode, 1, arguments)
      self.assertIn(sentence, result.stderr)
      self.assertNotIn('Traceback', result.stderr)
      self.assertFalse((self.folder / 'suite').exists())


if __name__ == '__main__':
  absltest.main()
