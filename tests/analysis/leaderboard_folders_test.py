"""Tests of the leaderboard of run folders: what is a row, and what a repeat."""

import json
import math
import pathlib

import pandas as pd
from absl.testing import absltest

from tff_lg.analysis import leaderboard_folders, leaderboard_runs
from tff_lg.analysis.readers import RunFolderError


class _Folders(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.root = pathlib.Path(self.create_tempdir().full_path)

  def write(self, name, tests, *, method='fedavg', summary=(), columns=(), **hparams):
    """Writes a run of clients a, b, ... with these test accuracies, .1 less on validation data."""
    folder = self.root / name
    folder.mkdir(parents=True)
    scores = {
      'local_test/accuracy': tests,
      'validation/accuracy': [value - 0.1 for value in tests],
      **dict(columns),
    }
    table = pd.DataFrame({'client_id': list('abcdef')[: len(tests)], **scores})
    table.to_parquet(folder / 'clients.parquet')
    settings = {'method': method, 'task': 'digits', 'seed': 0, **hparams}
    (folder / 'hparams.json').write_text(json.dumps(settings))
    (folder / 'metrics.csv').write_text(f'round_num,method\n1,{method}\n')
    numbers = {'rounds/fedavg': 2, 'rounds/lg': 1, 'communication/bytes_total': 60}
    (folder / 'summary.json').write_text(json.dumps({**numbers, **dict(summary)}))
    return str(folder)


class ScoreRunTest(_Folders):
  def test_of_clients_and_of_the_run(self):
    reached = {f'{what}_to/0.5/local_test/accuracy/pooled': 7 for what in ('rounds', 'bytes')}
    columns = {'is_malicious': [0.0, 0.0, 1.0], 'local_test/loss': [1.0, 2.0, 9.0]}
    folder = self.write(
      'run', [0.5, 0.7, 0.1], summary=reached, columns=columns, goal_accuracy=[0.5]
    )
    scores = leaderboard_runs.load_trained(folder)
    self.assertEqual(scores.test.to_dict(), {'a': 0.5, 'b': 0.7})
    self.assertAlmostEqual(scores.main_validation.mean(), 0.5)
    self.assertEqual((scores.rounds, scores.num_bytes), (3, 60))
    self.assertEqual(scores.to_goals, {0.5: (7, 7)})
    self.assertEmpty(scores.held_out)
    loss = leaderboard_runs.load_trained(folder, 'loss', lambda values: values / 2)
    self.assertEqual(loss.test.tolist(), [0.5, 1.0])
    self.assertTrue(loss.validation.isna().all())

  def test_held_out_clients(self):
    folder = self.write('run', [0.5])
    table = pd.DataFrame({'client_id': ['x', 'y'], 'local_test/accuracy': [0.2, 0.4]})
    table.to_parquet(pathlib.Path(folder) / 'held_out_clients.parquet')
    self.assertAlmostEqual(leaderboard_runs.load_trained(folder).held_out.mean(), 0.3)

  def test_no_such_metric(self):
    with self.assertRaisesRegex(RunFolderError, 'no column local_test/auc found'):
      leaderboard_runs.load_trained(self.write('run', [0.5]), 'auc')


class CompareFoldersTest(_Folders):
  def _compare(self, *folders):
    _, (csv, _) = leaderboard_folders.compare_folders(str(self.root), folders, 'command')
    return pd.read_csv(csv)

  def test_seeds_are_repeats_and_settings_make_rows(self):
    board = self._compare(
      self.write('0', [0.5, 0.7], mtl_strength=1.0),
      self.write('1', [0.6, 0.8], mtl_strength=1.0, seed=1),
      self.write('2', [0.9, 0.9], mtl_strength=2.0),
      self.write('3', [0.1, 0.1], method='ditto'),
    )
    self.assertEqual(board['method'].tolist(), ['FedAvg', 'FedAvg', 'Ditto'])
    self.assertEqual(board['num_runs'].tolist(), [2, 1, 1])
    self.assertEqual(board['options'].tolist()[:2], ['mtl_strength=1.0', 'mtl_strength=2.0'])
    self.assertTrue(math.isnan(board['options'].tolist()[2]))
    self.assertEqual(board['is_default'].tolist(), [False, True, False])
    self.assertAlmostEqual(board['mean'][0], 0.65)

  def test_run_that_is_too_old_to_know_an_option_is_a_repeat(self):
    board = self._compare(
      self.write('0', [0.5, 0.7]),
      self.write('1', [0.6, 0.8], seed=1, reproducible_gpus=True, validation_fraction=0.1),
      self.write('2', [0.9, 0.9], batch_size=7, stacked_clients=3),
    )
    self.assertEqual(board['num_runs'].tolist(), [2, 1])
    self.assertEqual(board['options'].tolist(), ['batch_size=10', 'batch_size=7'])

  def test_baselines_are_rows(self):
    folder = self.write('run', [0.5, 0.7])
    self.write('run/baselines/local_only', [0.4, 0.6], method='local_only')
    self.assertEqual(self._compare(folder)['method'].tolist(), ['Local only', 'FedAvg'])

  def test_adapted_models_are_rows(self):
    source = self.write('run', [0.5, 0.7])
    folder = self.root / 'adapted'
    folder.mkdir()
    columns = {'fine_tune/local_test/accuracy': [0.8, 1.0], 'is_held_out': [False, True]}
    columns |= {f'{name}/local_test/accuracy': [0.0, 0.0] for name in ('federated', 'best')}
    table = pd.DataFrame({'client_id': ['a', 'b'], 'best/name': ['fine_tune'] * 2, **columns})
    table.to_parquet(folder / 'clients.parquet')
    hparams = {'method': 'fedavg', 'task': 'digits', 'seed': 0}
    settings = {'adaptation': ['fine_tune'], 'from_run': source, 'source': hparams}
    (folder / 'hparams.json').write_text(json.dumps(settings))
    (folder / 'summary.json').write_text('{}')
    board = self._compare(str(folder))
    self.assertEqual(board['method'].tolist(), ['FedAvg, Fine-tuned'])
    self.assertEqual(board[['mean', 'held_out_mean', 'rounds']].values.tolist(), [[0.8, 1.0, 3]])

  def test_models_chosen_on_validation_data_are_not_a_default(self):
    source = self.write('run', [0.5, 0.7])
    folder = self.root / 'adapted'
    folder.mkdir()
    scores = {f'{name}/local_test/accuracy': [0.9] for name in ('fine_tune', 'federated', 'best')}
    columns = {
      'client_id': ['a'],
      'best/name': ['fine_tune'],
      'fine_tune/validation/accuracy': [1.0],
    }
    pd.DataFrame({**columns, **scores}).to_parquet(folder / 'clients.parquet')
    (folder / 'summary.json').write_text('{}')
    for choose, default in (('client', [True, False]), ('global', [False, True])):
      settings = {'adaptation': ['fine_tune'], 'from_run': source, 'choose': choose}
      hparams = {**settings, 'source': {'method': 'fedavg', 'task': 'digits'}}
      (folder / 'hparams.json').write_text(json.dumps(hparams))
      self.assertEqual(self._compare(source, str(folder))['is_default'].tolist(), default)

  def test_refuses(self):
    run, other = self.write('0', [0.5]), self.write('1', [0.5], task='mnist')
    for folders, sentence in (
      ((run, other), '--runs has runs on digits/classification, mnist/classification, expected'),
      (('nowhere',), '--runs has nowhere: there is no such run folder.'),
    ):
      with self.assertRaisesRegex(RunFolderError, sentence):
        self._compare(*folders)


if __name__ == '__main__':
  absltest.main()
