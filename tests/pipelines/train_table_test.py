"""Test of the training pipeline on the user's own table, run as a user runs it."""

import json
import pathlib

import numpy as np
import pandas as pd
from absl.testing import absltest

from pipelines import train
from tests.pipelines import in_process
from tff_lg import data


def setUpModule():
  in_process.set_up_module()


class TrainTableTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)
    rng = np.random.default_rng(0)
    # A name with a bracket, a slash and 300 characters, as a table may have.
    hospitals = np.repeat(['North', 'a/b <i>', 'long' * 75], 40)
    age, region = rng.integers(20, 90, 120).astype(float), rng.choice(['sea', 'hill'], 120)
    ill = np.where((age > 55) == (region == 'sea'), 'yes', 'no')
    age[::10] = np.nan
    self.table = pd.DataFrame({'hospital': hospitals, 'age': age, 'region': region, 'ill': ill})
    self.table.to_csv(self.folder / 'patients.csv', index=False)

  def _train(self, *arguments):
    return in_process.run(
      train,
      '--task=table',
      f'--data_dir={self.folder}/patients.csv',
      '--label_column=ill',
      f'--run_dir={self.folder}/run',
      *arguments,
    )

  def test_from_file_to_report(self):
    result = self._train(
      *'--client_column=hospital --method=fedavg --rounds=15 --clients_per_round=3 '
      '--client_epochs=5 --baselines= --evaluate_every=5'.split()
    )
    self.assertEqual(result.returncode, 0, result.stderr)
    summary = json.loads((self.folder / 'run/summary.json').read_text())
    self.assertGreater(summary['pooled_test/accuracy'], 0.75)
    clients = pd.read_parquet(self.folder / 'run/clients.parquet')
    self.assertEqual(sorted(clients['client_id']), sorted(self.table['hospital'].unique()))
    self.assertEqual(clients['num_test'].tolist(), [8, 8, 8])
    self.assertNotIn('a/b <i>', (self.folder / 'run/report.html').read_text())
    # What the columns became can be used later.
    values = json.loads((self.folder / 'run/table_encoding.json').read_text())
    encoding = data.TableEncoding.from_json(values)
    self.assertEqual(encoding.feature_names, ('age', 'age is missing', 'region=hill', 'region=sea'))
    self.assertEqual(encoding.class_names, ('no', 'yes'))
    rows = encoding.encode(self.table)
    np.testing.assert_array_equal(rows[:, 1], np.isnan(self.table['age']))

  def test_wrong_column_is_one_sentence(self):
    result = self._train('--client_column=clinic')
    self.assertEqual(result.returncode, 1)
    self.assertIn('column clinic not found; it has hospital, age, region, ill', result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertFalse((self.folder / 'run').exists())


if __name__ == '__main__':
  absltest.main()
