"""Tests of runs over seeds and folds, as a user starts them."""

import pathlib

import pandas as pd
from absl.testing import absltest, flagsaver, parameterized

from pipelines import run_sets, train
from tests.pipelines import in_process
from tff_lg import config as config_lib

_FAST = ('--fast', '--method=fedavg', '--rounds=1', '--local_only_epochs=1')


def setUpModule():
  in_process.set_up_module()


class RunSetsTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path) / 'runs'

  def _train(self, *arguments):
    return in_process.run(train, f'--run_dir={self.folder}', *arguments)

  def _bytes(self):
    return {
      path.relative_to(self.folder): path.read_bytes()
      for path in self.folder.rglob('*')
      if path.name in ('summary.json', 'clients.parquet', 'clients.csv', 'metrics.csv')
    }

  def test_seeds_by_folds_and_again(self):
    flags = (*_FAST, '--seeds=3,5', '--folds=2')
    result = self._train(*flags)
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn('over 2 seeds, each the mean of 2 folds', result.stdout)
    self.assertIn('By their test examples in all folds, each with its mean over 2', result.stdout)
    runs = sorted(path.name for path in (self.folder / 'trials').iterdir())
    self.assertEqual(runs, [f'fold={fold}__seed={seed}' for fold in (0, 1) for seed in (3, 5)])
    tables = [pd.read_parquet(self.folder / 'trials' / run / 'clients.parquet') for run in runs]
    everything = sum(table['num_test'] for table in tables) / 2
    clients = pd.read_parquet(self.folder / 'clients.parquet')
    self.assertEqual(clients['num_test'].tolist(), everything.tolist())
    sizes = tables[0][['num_train', 'num_validation', 'num_test']].sum(axis=1)
    self.assertEqual(everything.tolist(), sizes.tolist())

    # As if it had been killed in a run: the same bytes, and no run that was complete is touched.
    before = self._bytes()
    (self.folder / 'summary.json').unlink()
    (self.folder / 'trials/fold=1__seed=5/summary.json').unlink()
    kept = self.folder / 'trials/fold=0__seed=3/summary.json'
    written = kept.stat().st_mtime_ns
    result = self._train(*flags)
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertEqual(self._bytes(), before)
    self.assertEqual(kept.stat().st_mtime_ns, written)

    result = self._train(*flags, '--batch_size=7')
    self.assertEqual(result.returncode, 1)
    self.assertIn(f'--run_dir={self.folder} holds another set of runs (batch_size', result.stderr)

  @parameterized.parameters((True, None, (None, 3)), (False, None, (None, None)), (True, 7, (7, 7)))
  def test_seeds_share_clients_unless_told_otherwise(self, same_clients, given, expected):
    with flagsaver.flagsaver(seeds='3,5', same_clients=same_clients):
      config = config_lib.TrainConfig(partition_seed=given)
      configs = run_sets.plan(config, str(self.folder)).configs
    self.assertEqual(list(configs), ['seed=3', 'seed=5'])
    self.assertEqual([each.seed for each in configs.values()], [3, 5])
    self.assertEqual(tuple(each.partition_seed for each in configs.values()), expected)

  @parameterized.parameters(
    (('--seeds=2-1',), '--seeds=2-1 has the part'),
    (('--seeds=0-1', '--seed=1'), '--seed and --seeds are both given'),
    (('--jobs=2',), '--max_concurrent belongs to several runs, but there are neither --seeds nor'),
    (('--folds=1',), '--folds is 1, expected 2 or more'),
    (('--folds=3', '--task=text'), '--folds does not fit --task=text'),
    (('--seeds=0', '--task=arrays', '--data_dir=/nowhere'), '/nowhere'),
  )
  def test_refuses(self, flags, sentence):
    result = self._train(*flags)
    self.assertEqual(result.returncode, 1)
    self.assertIn(sentence, result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertFalse(self.folder.exists())

  def test_refuses_the_rounds_of_another_run_before_any_run(self):
    with flagsaver.flagsaver(seeds='0-1'):
      config = config_lib.TrainConfig(warm_start_from='/nowhere', warm_start_rounds=2)
      with self.assertRaisesRegex(ValueError, '^--warm_start_from=/nowhere holds no run'):
        run_sets.plan(config, str(self.folder))
    self.assertFalse(self.folder.exists())


if __name__ == '__main__':
  absltest.main()
