"""Tests of sets of runs with different seeds or folds, with numbers worked out by hand."""

import json
import pathlib

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg import analysis

_MEAN = 'local_test/accuracy/mean_over_clients'


def _write_run(folder, marks, own=None, *, partition_seed=0, seed=0, crc=1, method='fedavg'):
  """Writes a run of clients a and b with these marks."""
  folder.mkdir(parents=True)
  means = _means(marks)
  hparams = {'method': method, 'seed': seed, 'partition_seed': partition_seed, 'partition': 'iid'}
  (folder / 'hparams.json').write_text(json.dumps(hparams))
  (folder / 'summary.json').write_text(json.dumps({_MEAN: float(np.mean(means))}))
  (folder / 'metrics.csv').write_text('round_num,method\n')
  (folder / 'client_list.json').write_text(json.dumps({'data_crc32': crc}))
  clients = {'client_id': ['a', 'b'], 'num_test': [len(text) for text in marks]}
  columns = {'local_test/accuracy': means, 'local_test/correct': marks}
  if own is not None:
    columns['local_only/local_test/accuracy'] = _means(own)
  pd.DataFrame({**clients, **columns}).to_parquet(folder / 'clients.parquet')


def _means(marks):
  return [np.mean(list(map(int, text))) for text in marks]


def _write_set(folder, trials, axes=()):
  """Writes a set of runs: by name the seed, fold, our marks, those of own models, and more."""
  folder = pathlib.Path(folder)
  listed = {}
  for name, (seed, fold, marks, own, more) in trials.items():
    run = folder / 'trials' / name
    _write_run(run, marks, own, seed=seed, **more)
    _write_run(run / 'baselines/local_only', own, method='local_only')
    listed[name] = {'seed': seed, 'values': {'fold': fold} if axes else {}}
  definition = {'axes': dict(axes), 'trials': listed}
  (folder / 'sweep.json').write_text(json.dumps(definition))
  return str(folder)


def _seeds(**more):
  return {
    'seed=0': (0, None, ['1100', '1111'], ['1000', '1111'], {}),
    'seed=1': (1, None, ['0110', '0111'], ['1000', '1101'], more),
  }


class SeedsTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path

  def test_means_over_seeds(self):
    runs = analysis.RunSet.load(_write_set(self.folder, _seeds()))
    self.assertTrue(runs.has_same_examples)
    self.assertEqual(runs.methods, ('local_only', 'fedavg'))
    np.testing.assert_allclose(runs.replicates(_MEAN), [0.75, 0.625])
    clients = runs.clients()
    self.assertEqual(clients['num_test'].tolist(), [4, 4])
    self.assertEqual(clients['local_test/accuracy'].tolist(), [0.5, 0.875])
    np.testing.assert_allclose(
      clients['local_test/accuracy/std_over_seeds'], [0, 0.125 * 2**0.5], atol=1e-12
    )
    self.assertEqual(clients['local_only/local_test/accuracy'].tolist(), [0.25, 0.875])
    scores = runs.scores('fedavg')
    np.testing.assert_array_equal(scores['a'], [[1, 1, 0, 0], [0, 1, 1, 0]])

  def test_the_report(self):
    page, text = analysis.write_run_set(_write_set(self.folder, _seeds()), 'the command')
    self.assertIn('FedAvg        68.75 ± 8.84', text)
    self.assertIn(
      'By their test examples, each with its mean over 2 seeds, 0 of 2 clients should take part, 0 '
      'should not; for 2 these cannot tell.',
      text,
    )
    self.assertIn('the command', pathlib.Path(page).read_text())
    summary = json.loads(pathlib.Path(self.folder, 'summary.json').read_text())
    self.assertEqual(summary[f'{_MEAN}/mean'], 0.6875)
    self.assertEqual(summary['verdict_over/local_only/num_cannot_tell'], 2)
    # Of examples, by client and seed: (1/3, 1/3, 0, 1/4) / 4 on average.
    self.assertAlmostEqual(summary['variance/test_examples'], 11 / 12 / 16)
    clients = pd.read_parquet(pathlib.Path(self.folder, 'clients.parquet'))
    self.assertEqual(clients['verdict_over/local_only/difference'].tolist(), [0.25, 0.0])

  def test_seeds_with_data_of_their_own_have_no_verdicts(self):
    for more in ({'partition_seed': None}, {'crc': 2}):
      folder = self.create_tempdir().full_path
      runs = analysis.RunSet.load(_write_set(folder, _seeds(**more)))
      self.assertFalse(runs.has_same_examples)
      self.assertIsNone(runs.scores('fedavg'))
      _, text = analysis.write_run_set(folder, 'the command')
      self.assertIn('68.75 ± 8.84', text)
      self.assertIn('there are no verdicts over all of them', text)
      self.assertFalse(pathlib.Path(folder, 'clients.parquet').exists())

  def test_nothing_complete(self):
    folder = _write_set(self.folder, {})
    pathlib.Path(folder, 'sweep.json').write_text(
      json.dumps({'axes': {}, 'trials': {'seed=0': {'seed': 0, 'values': {}}}})
    )
    with self.assertRaisesRegex(analysis.RunFolderError, 'no seed has all of its runs complete'):
      analysis.RunSet.load(folder)


class FoldsTest(absltest.TestCase):
  def test_folds_are_pooled_to_one_test(self):
    trials = {
      'fold=0__seed=0': (0, '0', ['1111', '11'], ['0000', '11'], {}),
      'fold=1__seed=0': (0, '1', ['1110', '01'], ['0000', '01'], {'crc': 2}),
    }
    axes = {'fold': ['0', '1']}
    folder = _write_set(self.create_tempdir().full_path, trials, axes)
    runs = analysis.RunSet.load(folder)
    self.assertTrue(runs.has_same_examples)
    np.testing.assert_array_equal(runs.scores('fedavg')['a'], [[1, 1, 1, 1, 1, 1, 1, 0]])
    self.assertEqual(runs.clients()['local_test/accuracy'].tolist(), [0.875, 0.75])
    _, text = analysis.write_run_set(folder, 'the command')
    # Seven wins and no loss.
    self.assertIn('By their test examples in all folds, 1 of 2 clients should take part', text)
    table = pd.read_parquet(pathlib.Path(folder, 'clients.parquet'))
    self.assertAlmostEqual(table['verdict_over/local_only/adjusted_p_value'][0], 2 * 0.5**7)


if __name__ == '__main__':
  absltest.main()
