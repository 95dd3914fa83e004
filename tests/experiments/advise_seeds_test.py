"""Test of one advice of several seeds, on tables that are made up."""

import os

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg import verdicts
from tff_lg.experiments import advise_choice, advise_seeds
from tff_lg.metrics import METRICS
from tff_lg.run_folder import run_files

_BASE = config_lib.resolve(config_lib.TrainConfig(task='digits', baselines=('local_only',)))
_IDS = ['a', 'b', 'c']
_NUM_TEST = 40
# Of 40 test examples right, by seed and client.
_OWN = [[20, 30, 20], [22, 30, 20]]
_FEDAVG = [[34, 10, 22], [38, 12, 20]]
_VALIDATION = {'own': [[0.5, 0.9, 0.5]] * 2, 'fedavg': [[0.9, 0.3, 0.45], [0.9, 0.3, 0.8]]}


class CombineTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.root = self.create_tempdir().full_path
    self.folders = [self._write(seed) for seed in range(2)]

  def _write(self, seed, ids=tuple(_IDS)):
    folder = os.path.join(self.root, 'trials', f'seed={seed}')
    candidates = []
    for part, right, key in (('local_only', _OWN, 'own'), ('fedavg', _FEDAVG, 'fedavg')):
      marks = [verdicts.to_marks(np.arange(_NUM_TEST) < number) for number in right[seed]]
      table = pd.DataFrame({'client_id': ids, verdicts.MARKS: marks})
      run_files.write_tables(os.path.join(folder, 'parts', part), {}, table)
      candidates.append(
        advise_choice.Candidate(
          part,
          np.array(_VALIDATION[key][seed]),
          np.array(right[seed]) / _NUM_TEST,
          num_bytes=0.0 if key == 'own' else 7.0,
          marks=table[verdicts.MARKS],
        )
      )
    sizes = {'num_train': 50, 'num_validation': 500, 'num_test': _NUM_TEST}
    clients = pd.DataFrame({'client_id': ids}).assign(**sizes)
    table, summary = advise_choice.choose(clients, candidates, METRICS['accuracy'])
    run_files.write_tables(folder, summary, table)
    return folder

  def test_means_over_seeds(self):
    summary = advise_seeds.combine(_BASE, self.root, self.folders)
    written, table = run_files.load_results(self.root)
    self.assertEqual(written['num_seeds'], 2)
    self.assertEqual(written['first_run'], 'trials/seed=0')
    table = table.set_index('client_id')
    # By means of validation data c gains, by those of the first seed it does not.
    self.assertEqual(list(table['advice']), ['fedavg', 'local_only', 'fedavg'])
    self.assertEqual(list(table['seeds_that_agree']), [2, 2, 1])
    self.assertAlmostEqual(summary['advice/agreement'], 5 / 6)
    self.assertAlmostEqual(table.loc['a', 'advised_test'], 36 / 40)
    self.assertAlmostEqual(table.loc['a', 'gain'], 15 / 40)
    self.assertAlmostEqual(table.loc['a', 'gain_std_over_seeds'], np.std([14, 16], ddof=1) / 40)
    of_seeds = [np.mean([14, 0, 2]) / 40, np.mean([16, 0, 0]) / 40]
    self.assertAlmostEqual(summary['gain/std_over_seeds'], np.std(of_seeds, ddof=1))
    self.assertEqual(list(table['verdict'].fillna('none')), ['better', 'none', 'cannot tell'])
    self.assertEqual(table.loc['b', 'taking_part/verdict'], 'worse')
    self.assertEqual(summary['models/fedavg/bytes_per_client'], 7.0)
    self.assertIn(f'--run_dir={self.root} --client=a', table.loc['a', 'export_command'])
    self.assertTrue(os.path.exists(os.path.join(self.root, 'advice.csv')))

  def test_refuses_seeds_without_a_common_client(self):
    folder = self._write(1, ids=('x', 'y', 'z'))
    with self.assertRaisesRegex(ValueError, 'have no client in common'):
      advise_seeds.combine(_BASE, self.root, [self.folders[0], folder])


if __name__ == '__main__':
  absltest.main()
