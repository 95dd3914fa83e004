"""Tests of where trials run: which flags can be together, and what failed trials come to."""

from absl import flags
from absl.testing import absltest, flagsaver

from pipelines import trial_pools
from tff_lg import config as config_lib
from tff_lg import sweeps

flags.FLAGS.mark_as_parsed()


class CheckTest(absltest.TestCase):
  @flagsaver.flagsaver(trials_on='ray')
  def test_trial_on_ray_cannot_be_a_task_of_ray(self):
    trial_pools.check({'own': config_lib.TrainConfig(runtime='local'), 'adapt': object()})
    with self.assertRaisesRegex(sweeps.SweepError, 'the --runtime of second is on Ray'):
      trial_pools.check(
        {name: config_lib.TrainConfig(runtime='ray') for name in ('second', 'third')}
      )

  @flagsaver.as_parsed(gpus_per_trial='1')
  def test_options_of_ray_need_it(self):
    with self.assertRaisesRegex(
      sweeps.SweepError,
      '^--gpus_per_trial is given, but --trials_on is processes: it belongs to --trials_on=ray.$',
    ):
      trial_pools.check({})


class FailuresTest(absltest.TestCase):
  def test_all_trials_ended_well(self):
    trial_pools.check_failures('trials', (), 3)

  def test_each_is_listed_with_its_log(self):
    job = sweeps.Job('rounds=1__seed=0', None, '/run', '/logs/a.log')
    with self.assertRaisesRegex(
      sweeps.SweepError, r'^1 of 3 trials failed twice:\n  rounds=1__seed=0: no 7 \(/logs/a.log\)$'
    ):
      trial_pools.check_failures('trials', (sweeps.Failure(job, 'no 7'),), 3)


if __name__ == '__main__':
  absltest.main()
