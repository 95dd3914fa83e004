"""Tests of the choices of the experiment on fair representations."""

from absl.testing import absltest, parameterized

from tff_lg.experiments import fair_config


class FairConfigTest(parameterized.TestCase):
  @parameterized.parameters(
    ({'lambdas': ()}, '--lambdas is empty, expected different numbers'),
    ({'lambdas': (1.0, 1.0)}, '--lambdas is 1.0,1.0, expected different'),
    ({'lambdas': (-1.0,)}, '--lambdas is -1.0, expected different numbers, 0 or more'),
    ({'lambdas': (float('nan'),)}, '--lambdas is nan, expected'),
    ({'lambdas': (float('inf'),)}, '--lambdas is inf, expected numbers above 0'),
    ({'lambdas': (0.0,)}, '--lambdas is 0.0, expected numbers above 0: 0 is always tried'),
    ({'seeds': (-1,)}, '--seeds is -1, expected'),
    ({'partitions': ('even',)}, '--partitions is even, expected some of iid,non_iid'),
    ({'methods': ('ditto',)}, '--methods is ditto, expected some of local_only,fedavg,lg_fedavg'),
    ({'hidden_units': (32, 32)}, '--hidden_units is 32,32, expected 3 sizes or more'),
    ({'adversary_dropout_rate': 1.0}, r'--adversary_dropout_rate is 1.0, expected in \[0, 1\)'),
    ({'halve_rows': True}, '--halve_rows halves the rows of adult.data, but --data_dir is not'),
    ({'partitions': ('iid', 'iid')}, '--partitions is iid,iid, expected some of .*, each once'),
    ({'local_budget': 'all'}, '--local_budget is all, expected one of best, cohort'),
    ({'own_models': ('tree',)}, '--own_models is tree, expected one of network, linear, boosting'),
    ({'own_models': ()}, '--own_models is empty, expected one value or more'),
    ({'local_only_epochs': 0}, '--local_only_epochs is 0, expected more than 0'),
    ({'local_only_learning_rate': (0.0,)}, '--local_only_learning_rate has 0.0, expected'),
    ({'train_rows': 99}, '--train_rows is 99, expected at least 100, ten a device'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(ValueError, sentence):
      fair_config.FairConfig(**changes)


if __name__ == '__main__':
  absltest.main()
