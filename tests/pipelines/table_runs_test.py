"""Tests of the runs of published tables: their order, their flags, a tenth of their time."""

import pathlib
from unittest import mock

import attrs
from absl.testing import absltest, parameterized

from pipelines import mixing_run, table_runs, training_run
from tff_lg import data, published


def _plan(name, folder, seeds=(0, 4), **options):
  table = published.TABLES[name]
  values = {'data': 'folder' if table.data else None, **options}
  with (
    mock.patch.object(training_run, 'look_at_data'),
    mock.patch.object(mixing_run, 'look_at_data'),
  ):
    return table_runs.plan(table, folder, seeds, **values)


class PlanTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path + '/table'

  @parameterized.parameters(*published.TABLES)
  def test_each_table_has_quick_runs(self, name):
    configs = _plan(name, self.folder, (0,), is_quick=True).configs
    self.assertLen(configs, len(published.TABLES[name].runs))

  @parameterized.parameters(
    ('cifar10_adaptation', 'basic', {'rounds': 50, 'evaluate_every': 2}),
    # Nothing is below one.
    ('cifar10_adaptation', 'basic_adapted', {'epochs': 2, 'evaluate_every_epochs': 1}),
    ('cifar10_aggregating_again', 'adapted', {'epochs': 10, 'aggregate_epochs': (1, 5, 10)}),
  )
  def test_quick_runs_are_a_tenth(self, table, run, lengths):
    config = _plan(table, self.folder, (0,), is_quick=True).configs[f'run={run}__seed=0']
    self.assertEqual({name: getattr(config, name) for name in lengths}, lengths)

  @parameterized.parameters('mnist_lg', 'mnist_mixing')
  def test_looks_at_the_data_before_any_run(self, name):
    with self.assertRaisesRegex(data.DataError, 'nowhere'):
      table_runs.plan(published.TABLES[name], self.folder, (0,), data='nowhere')

  def test_identity_is_of_the_flags(self):
    table = published.TABLES['digits_adaptation']
    first = table_runs.identify(table)
    self.assertEqual(table_runs.identify(attrs.evolve(table, label='Another', seeds=(7,))), first)
    path = pathlib.Path(self.create_tempfile(content='--rounds=1').full_path)
    run = attrs.evolve(table.runs[0], flags=(*table.runs[0].flags, f'--flagfile={path}'))
    changed = attrs.evolve(table, runs=(run, *table.runs[1:]))
    second = table_runs.identify(changed)
    path.write_text('--rounds=2')
    self.assertLen({first, second, table_runs.identify(changed)}, 3)

  def test_runs_start_from_those_of_their_seed(self):
    configs = _plan('shakespeare_adaptation', self.folder).configs
    config = configs['run=robust_adapted__seed=4']
    self.assertEqual(config.from_run, f'{self.folder}/trials/run=robust__seed=4')
    self.assertEqual(config.local_only_from, f'{self.folder}/trials/run=basic_adapted__seed=4')
    self.assertEqual((config.seed, config.data_dir), (4, None))
    self.assertEqual(configs['run=robust__seed=4'].data_dir, 'folder')

  def test_further_flags_are_of_runs_that_start_from_no_other(self):
    configs = _plan('digits_new_device', self.folder, flags=('--rounds=7',)).configs
    rounds = {name: config.rounds for name, config in configs.items() if 'fedavg_iid' in name}
    self.assertEqual(rounds['run=fedavg_iid__seed=0'], 7)
    self.assertEqual(rounds['run=fedavg_iid_joined__seed=0'], 50)

  def test_a_failed_step_is_the_last(self):
    plan = _plan('digits_new_device', self.folder)
    fail = mock.Mock(side_effect=lambda run, folder, configs: [(mock.Mock(), 'no')] * len(configs))
    with mock.patch.object(table_runs.trial_pools, 'run_trials', fail):
      with self.assertRaisesRegex(ValueError, '8 of 8 runs failed twice'):
        table_runs.run(plan)
    fail.assert_called_once()


if __name__ == '__main__':
  absltest.main()
