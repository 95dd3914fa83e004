"""Runs that predict numbers, or several labels, in every pipeline."""

import json
import os

import numpy as np
from absl.testing import absltest

from pipelines import adaptation_run, new_device_run, sweep
from tests.pipelines import in_process
from tff_lg import analysis

_QUICK = ('--client_learning_rate=0.02', '--local_only_epochs=2', '--local_only_learning_rate=0.02')


def setUpModule():
  in_process.set_up_module()


class ObjectivesTest(absltest.TestCase):
  def _check(self, metric, label, *of_data):
    """Sweeps a training run, then adapts it, and lets a new device join it."""
    root = self.create_tempdir().full_path
    swept = in_process.run(
      sweep,
      f'--sweep_dir={root}/sweep',
      '--grid=method=fedavg',
      *('--', '--rounds=2', '--goal_accuracy=0.001', *_QUICK, *of_data),
    )
    self.assertEqual(swept.returncode, 0, swept.stderr)
    self.assertIn(label, swept.stdout)
    trial = f'{root}/sweep/trials/method=fedavg__seed=0'
    self.assertIn('report.html', os.listdir(f'{root}/sweep'))
    flags = ('--fast', f'--from_run={trial}')
    adaptation = adaptation_run.config_from_arguments([*flags, '--adaptation=fine_tune'])
    adaptation_run.run(adaptation, f'{root}/adapted')
    analysis.write_adaptation_report(f'{root}/adapted')
    self.assertIn(label, analysis.adaptation_text(f'{root}/adapted'))
    flags += (
      '--transform=shift_features',
      '--old_clients_share=0.5',
      '--train_examples=30',
      '--test_examples=10',
    )
    new_device_run.run(new_device_run.config_from_arguments(flags), f'{root}/joined')
    analysis.write_new_device_report(f'{root}/joined')
    analysis.new_device_text(f'{root}/joined')
    for folder in (trial, f'{root}/adapted', f'{root}/joined'):
      with open(f'{folder}/summary.json', encoding='utf-8') as file:
        names = list(json.load(file))
      self.assertTrue([name for name in names if f'local_test/{metric}/' in name], folder)
      self.assertFalse([name for name in names if '/accuracy' in name], folder)

  def test_numbers(self):
    self._check('mae', 'local test MAE', '--task=diabetes')

  def test_several_labels(self):
    rng = np.random.default_rng(0)
    x = rng.normal(size=[120, 3]).astype(np.float32)
    y = (x + rng.normal(size=x.shape) > 0).astype(np.int64)
    data_dir = self.create_tempdir().full_path
    np.savez(f'{data_dir}/train.npz', x=x, y=y)
    self._check(
      *('label_accuracy', 'label accuracy', '--task=arrays', f'--data_dir={data_dir}'),
      *('--objective=multilabel', '--partition=iid', '--num_clients=3', '--clients_per_round=3'),
    )


if __name__ == '__main__':
  absltest.main()
