"""Tests of the experiment on mood, run as a user runs it."""

import os

import pandas as pd
from absl.testing import absltest, parameterized

from pipelines import mood
from tests.pipelines import in_process, testing

_METRIC = 'pooled_test/accuracy'
_SMALL = ('--bilstm_units=8', '--hidden_units=8,8', '--embedding_units=8')


def setUpModule():
  in_process.set_up_module()


class MoodTest(parameterized.TestCase):
  def test_fast_from_global_to_local_and_again(self):
    sweep_dir = self.create_tempdir().full_path + '/mood'
    command = (f'--sweep_dir={sweep_dir}', '--fast', '--rounds=2', '--seeds=3', *_SMALL)
    result = in_process.run(mood, *command)
    self.assertEqual(result.returncode, 0, result.stderr)
    table = pd.read_csv(f'{sweep_dir}/results.csv')
    self.assertEqual(
      table[['local_layer_share', 'seed']].to_numpy().tolist(),
      [[share, 3] for share in (0, 0.4, 1)],
    )
    # Parameters sent are fewer, the fewer layers are global.
    sent = table.set_index('local_layer_share')['communication/parameters_total']
    self.assertGreater(sent[0], sent[0.4])
    self.assertEqual(sent[1], 0)
    accuracy = 100 * table.set_index('local_layer_share')[_METRIC]
    for share in (0, 0.4, 1):
      self.assertRegex(result.stdout, rf'(?m)^ *{share} +{accuracy[share]:.2f} ')
    self.assertIn(f'{sweep_dir}/report.html', result.stdout)

    modified = os.path.getmtime(f'{sweep_dir}/trials/local_layer_share=1__seed=3/summary.json')
    self.assertEqual(in_process.run(mood, *command).returncode, 0)
    self.assertEqual(
      os.path.getmtime(f'{sweep_dir}/trials/local_layer_share=1__seed=3/summary.json'), modified
    )

  def test_own_scores_and_an_own_grid(self):
    sweep_dir = self.create_tempdir().full_path + '/mood'
    rows = [
      f'{user},{mood} day,{score}' for user in 'ab' for mood, score in (('good', 9), ('bad', 1)) * 8
    ]
    path = self.create_tempfile('own.csv', '\n'.join(['user,text,score', *rows])).full_path
    result = in_process.run(
      mood,
      f'--sweep_dir={sweep_dir}',
      f'--data_dir={path}',
      '--grid=local_layer_share=0.4',
      '--seeds=0',
      *_SMALL,
      '--rounds=20',
      '--client_epochs=5',
      '--evaluate_every=10',
      '--sequence_length=3',
    )
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertEqual(pd.read_csv(f'{sweep_dir}/results.csv')[_METRIC].tolist(), [1])

  @parameterized.parameters(
    ((), '--sweep_dir is missing'),
    (('--sweep_dir=x', '--run_dir=y'), '--run_dir and --seed belong to one trial'),
    (('--sweep_dir=x', '--seed=1'), '--run_dir and --seed belong to one trial'),
    (('--sweep_dir=x', 'fast'), "Unexpected argument 'fast'; use --name=value."),
    (('--sweep_dir=x', '--bilstm_units=0'), '--bilstm_units is 0'),
    (('--sweep_dir=x', '--grid=local_layer_share=2'), '--local_layer_share is 2'),
    (('--sweep_dir=x', '--local_layer_share=0'), 'mood: --local_layer_share is what the grid dec'),
    (('--sweep_dir=x', '--data_dir=/no.csv'), 'mood: data_dir: /no.csv not found, expected a CSV'),
  )
  def test_refuses(self, flags, sentence):
    sweep_dir = self.create_tempdir().full_path + '/x'
    result = in_process.run(mood, *(flag.replace('_dir=x', f'_dir={sweep_dir}') for flag in flags))
    self.assertEqual(result.returncode, 1)
    self.assertIn(sentence, result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertFalse(os.path.exists(sweep_dir))

  def test_help_shows_both_kinds_of_flags(self):
    result = testing.run('mood', '--help')
    for text in ('--sweep_dir', '--bilstm_units', '--local_layer_share', 'pipelines.sweep'):
      self.assertIn(text, result.stdout)


if __name__ == '__main__':
  absltest.main()
