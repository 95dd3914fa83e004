"""Tests that a run folder is read with its baselines, and that a damaged one is refused."""

import math
import os

import pandas as pd
from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis import synthetic
from tff_lg.analysis.run_folder import Phase, RunFolder, RunFolderError


class LoadTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.path = self.create_tempdir().full_path
    synthetic.write_synthetic_run_folder(self.path, num_clients=3, num_rounds=4)

  def _remove(self, *name):
    os.remove(os.path.join(self.path, *name))

  def test_everything(self):
    run = RunFolder.load(self.path)
    self.assertEqual(run.method, 'lg_fedavg')
    self.assertLen(run.clients, 3)
    self.assertEqual(run.label_counts.shape, (3, 10))
    self.assertLen(run.communication, 4)
    self.assertEqual(run.timing['rounds_per_second'], 2.5)
    self.assertTrue(run.is_synthetic)

  def test_baselines_local_only_first(self):
    baselines = RunFolder.load(self.path).baselines
    self.assertEqual(list(baselines), ['local_only', 'fedavg'])
    self.assertEqual(baselines['fedavg'].method, 'fedavg')
    self.assertEqual(baselines['local_only'].value('communication/bytes_total'), 0)

  def test_optional_files(self):
    for name in ('communication.csv', 'label_counts.csv', 'model_split.txt', 'timing.json'):
      self._remove(name)
    run = RunFolder.load(self.path)
    self.assertIsNone(run.communication)
    self.assertIsNone(run.label_counts)
    self.assertIsNone(run.model_split)
    self.assertEmpty(run.timing)

  def test_needed_files(self):
    for name in ('clients.parquet', 'metrics.csv', 'summary.json', 'hparams.json'):
      self._remove(name)
      with self.assertRaisesRegex(RunFolderError, f'^{os.path.join(self.path, name)}: .*missing'):
        RunFolder.load(self.path)

  def test_damaged_baseline(self):
    self._remove('baselines', 'fedavg', 'summary.json')
    with self.assertRaisesRegex(RunFolderError, 'baselines/fedavg/summary.json: the file is mis'):
      RunFolder.load(self.path)

  def test_no_folder(self):
    with self.assertRaisesRegex(RunFolderError, '^nowhere: there is no such run folder.$'):
      RunFolder.load('nowhere')


class RunFolderTest(absltest.TestCase):
  def test_value(self):
    run = testing.make_run(summary={'a': 1, 'method': 'fedavg'})
    self.assertEqual(run.value('a'), 1)
    self.assertTrue(math.isnan(run.value('b')))
    self.assertTrue(math.isnan(run.value('method')))

  def test_curve_has_evaluated_rounds_only(self):
    curve = testing.make_run().curve('local_test/accuracy/mean_over_clients')
    self.assertEqual(curve.to_dict(), {2: 0.5, 3: 0.7})
    self.assertEmpty(testing.make_run().curve('validation/accuracy/mean_over_clients'))

  def test_client_accuracy(self):
    run = testing.make_run()
    self.assertEqual(run.client_accuracy().to_dict(), {'a': 0.9, 'b': 0.5})
    self.assertEqual(run.client_accuracy('local_only').to_dict(), {'a': 0.8, 'b': 0.7})
    self.assertTrue(run.client_accuracy('fedavg').isna().all())

  def test_client_accuracy_by_another_metric(self):
    metric = 'participant_test/accuracy'
    run = testing.make_run(
      clients=testing.make_run().clients.assign(**{metric: 0.1, f'local_only/{metric}': 0.2})
    )
    self.assertEqual(run.client_accuracy(metric=metric).to_list(), [0.1, 0.1])
    self.assertEqual(run.client_accuracy('local_only', metric).to_list(), [0.2, 0.2])

  def test_accuracy_of_malicious_clients_is_not_known(self):
    run = testing.make_run(clients=testing.make_run().clients.assign(is_malicious=[0.0, 1.0]))
    self.assertEqual(run.client_accuracy().dropna().to_dict(), {'a': 0.9})

  def test_phases(self):
    self.assertEqual(testing.make_run().phases(), (Phase('fedavg', 1, 1), Phase('lg_fedavg', 2, 3)))
    self.assertEqual(testing.make_run(metrics=pd.DataFrame()).phases(), ())

  def test_protocol(self):
    self.assertFalse(testing.make_run().chosen_on_test_data)
    self.assertTrue(testing.make_run(hparams={'protocol': 'reference'}).chosen_on_test_data)
    flag = {'protocol': 'validation', 'optimistic_choice_on_test_data': True}
    self.assertTrue(testing.make_run(hparams=flag).chosen_on_test_data)


if __name__ == '__main__':
  absltest.main()
