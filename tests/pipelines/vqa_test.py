"""Tests of the experiment on questions about pictures, run as a user runs it."""

import os
import re

import pandas as pd
from absl.testing import absltest, parameterized

from pipelines import vqa
from tests.data import vqa_testing
from tests.pipelines import in_process


def setUpModule():
  in_process.set_up_module()


class VqaTest(parameterized.TestCase):
  def test_fast_has_the_rows_of_table_2(self):
    sweep_dir = self.create_tempdir().full_path + '/vqa'
    flags = ('--fast', '--goal_accuracy=0.001,0.999')
    result = in_process.run(vqa, f'--sweep_dir={sweep_dir}', *flags)
    self.assertEqual(result.returncode, 0, result.stderr)
    table = pd.read_csv(f'{sweep_dir}/results.csv')
    self.assertEqual(
      [os.path.basename(name) for name in table['flagfile']],
      ['vqa_fedavg.flags', 'vqa_lg_fedavg.flags'],
    )
    for row, name in enumerate(('vqa_fedavg', 'vqa_lg_fedavg')):
      reached = table['rounds_to/0.001/local_test/accuracy/pooled'][row]
      accuracy = 100 * table['pooled_test/accuracy'][row]
      first, second = re.findall(rf'(?m)^ *{name} +(.*\d of 1.*)$', result.stdout)
      self.assertEqual(first.split()[0], f'{reached:.1f}')
      self.assertEqual(first.split()[-1], f'{accuracy:.2f}')
      self.assertEqual(second.split()[:2], ['–', '–'])
    # Three rounds of FedAvg, and three more in which encoders stay.
    sent = table['communication/parameters_total']
    self.assertBetween(sent[1], sent[0], 2 * sent[0])

  @parameterized.parameters(
    ((), '--sweep_dir is missing'),
    (('--sweep_dir=x', '--run_dir=y'), 'vqa: --run_dir and --seed belong to one trial'),
    (('--sweep_dir=x', '--num_answers=0'), '--num_answers is 0'),
    (('--sweep_dir=x', '--data_dir=y'), '--task=vqa needs both --data_dir'),
    (('--sweep_dir=x', '--rounds=3'), 'vqa: --rounds is what the grid decides: give a --grid of'),
    (('--sweep_dir=x', '--fast', '--method=fedavg'), 'vqa: --method is what the grid decides'),
    (('--sweep_dir=x', '--rounds=0', '--grid=method=fedavg'), 'method=fedavg__seed=0: --rounds is'),
    (('--sweep_dir=x', '--data_dir=y', '--embeddings=z'), 'vqa: data_dir: 0 files *train*_questi'),
  )
  def test_refuses(self, flags, sentence):
    sweep_dir = self.create_tempdir().full_path + '/x'
    result = in_process.run(vqa, *(flag.replace('_dir=x', f'_dir={sweep_dir}') for flag in flags))
    self.assertEqual(result.returncode, 1)
    self.assertIn(sentence, result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertFalse(os.path.exists(sweep_dir))

  def test_refuses_features_that_are_not_there_before_anything_is_written(self):
    row = (1, 2, 'Is it?', ['yes'] * 10)
    folder = vqa_testing.write_files(self.create_tempdir().full_path, [row], [row])
    sweep_dir, path = f'{folder}/sweep', f'{folder}/none.npz'
    result = in_process.run(
      vqa, f'--sweep_dir={sweep_dir}', f'--data_dir={folder}', f'--embeddings={path}'
    )
    self.assertEqual(result.returncode, 1)
    self.assertIn(f'vqa: {path}: no such file, expected one made by', result.stderr)
    self.assertFalse(os.path.exists(sweep_dir))


if __name__ == '__main__':
  absltest.main()
