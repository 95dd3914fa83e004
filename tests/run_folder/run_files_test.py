"""Tests of the files of a run folder."""

import json
import math
import os

import numpy as np
import pandas as pd
from absl.testing import absltest

from tests.learning import testing
from tff_lg import data
from tff_lg.run_folder import run_files, run_settings


class ContentTest(absltest.TestCase):
  def test_inputs(self):
    def examples(*labels):
      return data.Examples(np.zeros([len(labels), 4], np.float32), np.array(labels, np.int32))

    clients = (
      data.ClientExamples('-a', examples(0, 0, 2), examples(2), examples(1)),
      data.ClientExamples('b', examples(1), examples(), examples()),
    )
    run_dir = self.create_tempdir().full_path
    model = testing.classifier()
    federated_data = data.FederatedData(clients, examples(), 3, ('cat', '=1+1', 'emu'))
    run_files.write_inputs(run_dir, federated_data, model)
    with open(f'{run_dir}/label_counts.csv', encoding='utf-8') as file:
      self.assertEqual(file.read(), "client_id,cat,'=1+1,emu\n'-a,2,0,2\nb,0,1,0\n")
    with open(f'{run_dir}/model_split.txt', encoding='utf-8') as file:
      self.assertEqual(file.read(), model.describe_split() + '\n')

  def test_results(self):
    run_dir = self.create_tempdir().full_path
    self.assertFalse(run_settings.is_complete(run_dir))
    clients = pd.DataFrame({'client_id': ['a', 'b'], 'local_test/accuracy': [0.5, np.nan]})
    timing = {'seconds': 9.0, 'rounds_seconds': 4.0, 'rounds_per_second': 2.5}
    summary = {'method': 'fedavg', 'local_test/accuracy/mean_over_clients': 0.5}
    run_files.write_results(run_dir, summary, clients, run_files.Seconds(9.0, 4.0), num_rounds=10)
    self.assertTrue(run_settings.is_complete(run_dir))
    loaded, table = run_files.load_results(run_dir)
    self.assertEqual(loaded, summary)
    pd.testing.assert_frame_equal(table, clients)
    with open(f'{run_dir}/timing.json', encoding='utf-8') as file:
      self.assertEqual(json.load(file), timing)
    for is_known in (True, False):
      for name in ('clients.parquet', 'summary.json'):
        os.truncate(f'{run_dir}/{name}', 9)
        with self.assertRaisesRegex(ValueError, f'{run_dir}/{name} is damaged'):
          run_files.load_results(run_dir)
        run_files.write_tables(run_dir, summary, clients)
        if not is_known:
          os.unlink(f'{run_dir}/checksums.json')

  def test_metric_that_is_not_known(self):
    run_dir = self.create_tempdir().full_path
    clients = pd.DataFrame({'client_id': ['=cmd|x', 'b']})
    run_files.write_tables(run_dir, {'a': math.nan, 'b': math.inf, 'c': 'NaN'}, clients)
    with open(f'{run_dir}/summary.json', encoding='utf-8') as file:
      self.assertEqual(file.read(), '{\n  "a": null,\n  "b": 1e999,\n  "c": "NaN"\n}\n')
    loaded, table = run_files.load_results(run_dir)
    np.testing.assert_equal(loaded, {'a': math.nan, 'b': math.inf, 'c': 'NaN'})
    self.assertEqual(list(table['client_id']), ['=cmd|x', 'b'])
    with open(f'{run_dir}/clients.csv', encoding='utf-8') as file:
      self.assertEqual(file.read(), "client_id\n'=cmd|x\nb\n")


if __name__ == '__main__':
  absltest.main()
