"""Tests of the table of a new-device run, and of reading its folder."""

import json
import os

import pandas as pd
from absl.testing import absltest, parameterized

from tff_lg import analysis
from tff_lg.analysis.figures import forgetting

_NORMAL, _NEW = forgetting.columns()


def _run(number, method, partition, share, accuracies):
  """Makes the curve of a run: (normal, new) at rounds 0, 10, ..."""
  frame = pd.DataFrame(accuracies, columns=[_NORMAL, _NEW])
  return frame.assign(
    run=f'{method}_{number}_C{share:g}',
    method=method,
    partition=partition,
    old_clients_share=share,
    round_num=10 * frame.index,
  )


_RUNS = (
  _run(1, 'fedavg', 'iid', 0.0, [(0.95, 0.1), (0.9, 0.2), (0.32, 0.918)]),
  _run(1, 'fedavg', 'iid', 0.1, [(0.95, 0.1), (0.974, 0.893)]),
  _run(2, 'lg_fedavg', 'iid', 0.0, [(0.99, 0.1), (0.966, 0.929)]),
  _run(3, 'fedavg', 'shards=2', 0.0, [(0.75, 0.1), (0.25, 0.5)]),
  _run(4, 'fedavg', 'shards=2', 0.0, [(0.25, 0.1), (0.75, 0.5)]),
)


class NewDeviceTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.path = self.create_tempdir().full_path
    self._write(_RUNS)

  def _write(self, runs, hparams='{"transform": "rotate90"}'):
    pd.concat(runs).to_csv(f'{self.path}/curves.csv', index=False)
    with open(f'{self.path}/hparams.json', 'w', encoding='utf-8') as file:
      file.write(hparams)

  def test_table_by_method_and_share(self):
    table = analysis.new_device_table(analysis.NewDeviceFolder.load(self.path))
    heads = ['normal before', 'normal', 'rotate90']
    self.assertEqual([column.name for column in table.columns], ['method', 'C', *heads, *heads])
    groups = [column.group for column in table.columns]
    self.assertEqual(groups, ['', '', 'IID', 'IID', 'IID', *['shards 2'] * 3])
    none = ('–',) * 3
    # Of 75 and 25 the standard deviation is 25 times root two.
    twice = ('50.00 ± 35.36', '50.00 ± 35.36', '50.00 ± 0.00')
    self.assertEqual(
      table.rows,
      (
        ('FedAvg', '0', '95.00', '32.00', '91.80', *twice),
        ('LG-FedAvg', '0', '99.00', '96.60', '92.90', *none),
        ('FedAvg', '0.1', '95.00', '97.40', '89.30', *none),
      ),
    )
    self.assertEqual(table.notes[-1], '±: standard deviation over source runs.')
    self.assertIn('LG-FedAvg', analysis.new_device_text(self.path))

  def test_model_that_the_device_trains_alone_stands_beside(self):
    own = {run['run'].iloc[0]: 0.5 + 0.1 * number for number, run in enumerate(_RUNS[:3])}
    with open(f'{self.path}/summary.json', 'w', encoding='utf-8') as file:
      json.dump(
        {f'{run}/new_client/own_model/local_test/accuracy': v for run, v in own.items()}, file
      )
    self._write(_RUNS[:3])
    table = analysis.new_device_table(analysis.NewDeviceFolder.load(self.path))
    self.assertEqual(table.columns[-1].name, 'alone')
    self.assertEqual([row[-1] for row in table.rows], ['50.00', '70.00', '60.00'])
    self.assertStartsWith(table.notes[-1], 'alone: the best model')

  def test_errors_of_numbers_are_not_shares(self):
    columns = dict(zip((_NORMAL, _NEW), forgetting.columns('local_test/mae'), strict=True))
    self._write([run.rename(columns=columns) for run in _RUNS])
    folder = analysis.NewDeviceFolder.load(self.path)
    self.assertEqual(folder.metric, 'local_test/mae')
    table = analysis.new_device_table(folder)
    self.assertEqual(table.rows[0][2:5], ('0.95', '0.32', '0.918'))
    self.assertStartsWith(table.notes[0], 'Normal: test')
    with open(analysis.write_new_device_report(self.path), encoding='utf-8') as file:
      page = file.read()
    self.assertIn('MAE on the test examples of the old devices', page)
    self.assertIn('MAE, new device, rotate90', page)

  def test_one_run_each_has_no_deviation(self):
    self._write(_RUNS[:3])
    text = analysis.new_device_text(self.path)
    self.assertNotIn('±', text)

  def test_report_has_table_figure_and_command(self):
    self._write(_RUNS, '{"transform": "rotate90", "seed": 7, "source_0": {"seed": 8}}')
    path = analysis.write_new_device_report(self.path)
    self.assertEqual(path, f'{self.path}/report.html')
    with open(path, encoding='utf-8') as file:
      page = file.read()
    for text in ('A new device: rotate90', '<td>32.00</td>', '<svg role="img"', '--seed=7'):
      self.assertIn(text, page)
    self.assertNotIn('--seed=8', page)
    with open(f'{self.path}/figures/forgetting.png', 'rb') as file:
      self.assertStartsWith(file.read(), b'\x89PNG')

  def test_refuses(self):
    self._write(_RUNS, json.dumps({'adaptation': ['ewc']}))
    with self.assertRaisesRegex(analysis.RunFolderError, 'hparams.json: there is no text "trans'):
      analysis.NewDeviceFolder.load(self.path)
    self._write([_RUNS[0].drop(columns=_NEW)])
    with self.assertRaisesRegex(analysis.RunFolderError, 'curves.csv: the file is damaged .*new_c'):
      analysis.NewDeviceFolder.load(self.path)
    self._write([_RUNS[0].assign(round_num='ten')])
    with self.assertRaisesRegex(analysis.RunFolderError, 'curves.csv: the file is damaged .*ten'):
      analysis.NewDeviceFolder.load(self.path)
    os.unlink(f'{self.path}/curves.csv')
    with self.assertRaisesRegex(analysis.RunFolderError, 'curves.csv: the file is missing'):
      analysis.NewDeviceFolder.load(self.path)


if __name__ == '__main__':
  absltest.main()
