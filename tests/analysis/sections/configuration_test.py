"""Tests of the command that repeats a run."""

from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis.sections import configuration


class CommandTest(absltest.TestCase):
  def test_every_kind_of_flag(self):
    hparams = {
      'task': 'digits',
      'global_layers': ['hidden 2', 'output'],
      'rounds': 3,
      'keep_client_optimizer': False,
      'shuffle': True,
      'data_dir': None,
      'run_dir': 'runs/x',
    }
    self.assertEqual(
      configuration.command(testing.make_run(hparams=hparams, path='runs/x/')).split(' \\\n  '),
      [
        'python -m pipelines.train',
        '--task=digits',
        "--global_layers='hidden 2,output'",
        '--rounds=3',
        '--nokeep_client_optimizer',
        '--shuffle',
        '--run_dir=runs/x_again',
      ],
    )

  def test_settings_that_were_changed_are_told(self):
    summary = {'changed_settings': 'after round 4 rounds from 4 to 8'}
    self.assertIn(
      'Settings were changed on the way: after round 4 rounds from 4 to 8. The command has the new',
      configuration.build_configuration(testing.make_run(summary=summary)).html,
    )
    self.assertIn(
      'The command that repeats the run',
      configuration.build_configuration(testing.make_run()).html,
    )

  def test_synthetic(self):
    run = testing.make_run(hparams={'synthetic': True, 'rounds': 3})
    self.assertEqual(
      configuration.command(run), 'python -m pipelines.report --fast --run_dir=runs/x_again'
    )


if __name__ == '__main__':
  absltest.main()
