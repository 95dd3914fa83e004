"""Tests of the runs of an advice over several seeds."""

from absl.testing import absltest, parameterized

from pipelines import advise_seeds
from tff_lg import config as config_lib
from tff_lg import sweeps
from tff_lg.experiments import advise_config

_OPTIONS = advise_config.AdviseOptions()


class PlanTest(parameterized.TestCase):
  @parameterized.parameters((None, (None, 4, 4)), (9, (9, 9, 9)))
  def test_seeds_have_the_clients_of_the_first(self, given, expected):
    base = config_lib.TrainConfig(partition_seed=given)
    runs = advise_seeds.plan(base, _OPTIONS, (4, 0, 7))
    self.assertEqual(list(runs), ['seed=4', 'seed=0', 'seed=7'])
    self.assertEqual([run.base.seed for run in runs.values()], [4, 0, 7])
    self.assertEqual(tuple(run.base.partition_seed for run in runs.values()), expected)
    self.assertTrue(all(run.options is _OPTIONS for run in runs.values()))

  def test_one_seed_is_another_flag(self):
    with self.assertRaisesRegex(config_lib.ConfigError, '--seeds is 3, expected two seeds or more'):
      advise_seeds.plan(config_lib.TrainConfig(), _OPTIONS, (3,))

  def test_the_same_seed_twice(self):
    with self.assertRaises(sweeps.SweepError):
      advise_seeds.plan(config_lib.TrainConfig(), _OPTIONS, (3, 3))


if __name__ == '__main__':
  absltest.main()
