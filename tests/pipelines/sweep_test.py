"""Tests of sweeps, run as a user runs them."""

import json
import os
import shutil

import pandas as pd
from absl.testing import absltest, parameterized

from pipelines import sweep
from tests.pipelines import in_process, testing

_METRIC = 'local_test/accuracy/mean_over_clients'
_GRID = ('--grid=method=fedavg,lg_fedavg', '--seeds=0,1')
_TRIAL_FLAGS = ('--fast', '--rounds=2', '--baselines=')


def setUpModule():
  in_process.set_up_module()


def _sweep(*flags):
  return in_process.run(sweep, *flags)


def _summary(sweep_dir, trial):
  with open(f'{sweep_dir}/trials/{trial}/summary.json', encoding='utf-8') as file:
    return json.load(file)


class SweepTest(parameterized.TestCase):
  def _assert_refused(self, result, sentence):
    self.assertEqual(result.returncode, 1)
    self.assertIn(sentence, result.stderr)
    self.assertNotIn('Traceback', result.stderr)

  def test_sweep_then_again_then_other_settings(self):
    sweep_dir = self.create_tempdir().full_path + '/sweep'
    flagfile = self.create_tempfile('trials.flags', '\n'.join(_TRIAL_FLAGS)).full_path
    command = (
      f'--sweep_dir={sweep_dir}',
      *_GRID,
      f'--flagfile_of_trials={flagfile}',
      '--num_workers=2',
    )
    result = testing.run('sweep', *command)
    self.assertEqual(result.returncode, 0, result.stderr)
    table = pd.read_csv(f'{sweep_dir}/results.csv')
    self.assertEqual(
      table[['trial', 'method', 'seed']].to_numpy().tolist(),
      [
        [f'method={method}__seed={seed}', method, seed]
        for seed in (0, 1)
        for method in ('fedavg', 'lg_fedavg')
      ],
    )
    for _, row in table.iterrows():
      self.assertAlmostEqual(row[_METRIC], _summary(sweep_dir, row['trial'])[_METRIC])
    one, other = (_summary(sweep_dir, f'method=fedavg__seed={seed}')[_METRIC] for seed in (0, 1))
    mean, std = (one + other) / 2, abs(one - other) / 2**0.5
    self.assertIn(f'{100 * mean:.2f} ± {100 * std:.2f}  2', result.stdout)
    self.assertIn(f'{sweep_dir}/report.html', result.stdout)

    # A trial that was stopped runs again, to the same numbers; the others do not.
    trial = f'{sweep_dir}/trials/method=fedavg__seed=0'
    os.remove(f'{trial}/summary.json')
    kept = f'{sweep_dir}/trials/method=fedavg__seed=1'
    shutil.rmtree(f'{kept}/checkpoints')
    result = _sweep(*command)
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertEqual(_summary(sweep_dir, 'method=fedavg__seed=0')[_METRIC], one)
    self.assertFalse(os.path.exists(f'{kept}/checkpoints'))

    self._assert_refused(
      _sweep(*command, '--', '--batch_size=5'),
      'batch_size of trial method=fedavg__seed=0 was 10, now 5',
    )

  def test_finished_trials_continue_with_more_rounds(self):
    sweep_dir = self.create_tempdir().full_path + '/sweep'
    for rounds in (1, 2):
      flags = ('--grid=method=fedavg', '--', '--fast', f'--rounds={rounds}', '--baselines=')
      result = _sweep(f'--sweep_dir={sweep_dir}', *flags)
      self.assertEqual(result.returncode, 0, result.stderr)
    self.assertEqual(
      _summary(sweep_dir, 'method=fedavg__seed=0')['changed_settings'],
      'after round 1 rounds from 1 to 2',
    )

  def test_trials_that_fail_are_listed(self):
    sweep_dir = self.create_tempdir().full_path + '/sweep'
    empty = self.create_tempdir().full_path
    result = _sweep(
      f'--sweep_dir={sweep_dir}', '--grid=rounds=1', '--', '--task=arrays', f'--data_dir={empty}'
    )
    self._assert_refused(result, 'sweep: 1 of 1 trials failed twice:\n  rounds=1__seed=0: ')
    self.assertIn(f'{sweep_dir}/logs/rounds=1__seed=0.log', result.stderr)
    self.assertFalse(os.path.exists(f'{sweep_dir}/results.csv'))

  @parameterized.named_parameters(
    ('no_grid', ('--seeds=0',), '--grid is missing'),
    ('empty_axis', ('--grid=method=',), '--grid=method= has an empty value'),
    ('twice', ('--grid=rounds=1,1',), '--grid=rounds=1,1 has 1 twice'),
    ('same', ('--grid=client_momentum=0.5,.5',), '--grid makes the same trial twice'),
    ('seeds', (*_GRID, '--seeds=3-1'), '--seeds=3-1'),
    ('unknown_axis', ('--grid=metod=fedavg',), "Unknown command line flag 'metod'"),
    ('value', ('--grid=rounds=two',), 'rounds=two__seed=0: flag --rounds=two'),
    ('choice', ('--grid=method=fedavgg',), 'fedavgg'),
    ('range', ('--grid=rounds=0,1',), 'trial rounds=0__seed=0: --rounds is 0'),
    ('contradiction', (*_GRID, '--', '--warm_start_rounds=2'), '--method=fedavg has no warm start'),
    ('unknown_flag', (*_GRID, '--', '--round=2'), "Unknown command line flag 'round'"),
    ('own_flag', (*_GRID, '--rounds=2'), "flag 'rounds'. Flags of runs follow `--`."),
    ('seed', (*_GRID, '--', '--seed=3'), '--seed=3 is given for all trials, but each has a seed'),
    ('run_dir', (*_GRID, '--', '--run_dir=x'), "Unknown command line flag 'run_dir'"),
    ('no_flag', (*_GRID, 'fedavg'), "Unexpected argument 'fedavg'; use --name=value."),
    ('flagfile', (*_GRID, '--flagfile_of_trials=/nowhere'), '/nowhere'),
    ('x_axis', (*_GRID, '--x_axis=p'), '--x_axis is p, expected an axis of the grid: method'),
    ('heat_map', (*_GRID, '--heat_map'), '--heat_map needs two axes'),
    ('pipeline', (*_GRID, '--pipeline=trian'), 'there is no pipelines.trian'),
    ('not_swept', (*_GRID, '--pipeline=report'), 'which cannot be swept'),
    ('concurrent', (*_GRID, '--max_concurrent=0'), '--max_concurrent=0'),
    ('workers', (*_GRID, '--num_workers=0'), '--max_concurrent=0'),
    ('no_ray', (*_GRID, '--trials_address=auto'), '--trials_address is given, but --trials_on'),
  )
  def test_refuses(self, flags, sentence):
    sweep_dir = self.create_tempdir().full_path + '/sweep'
    self._assert_refused(_sweep(f'--sweep_dir={sweep_dir}', *flags), sentence)
    self.assertFalse(os.path.exists(sweep_dir))

  def test_sweep_dir_is_needed(self):
    self._assert_refused(_sweep(*_GRID), '--sweep_dir is missing')

  def test_help_explains_the_grid(self):
    result = testing.run('sweep', '--help')
    for text in ('--grid', '--seeds', '--flagfile_of_trials', '--trials_on', 'Flags after `--`'):
      self.assertIn(text, result.stdout)


if __name__ == '__main__':
  absltest.main()
