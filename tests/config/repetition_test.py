"""Tests of the options of repeated runs."""

from absl.testing import absltest, parameterized

from tff_lg import config as config_lib


def _resolve(**options):
  return config_lib.resolve(config_lib.TrainConfig(**options))


class RepetitionTest(parameterized.TestCase):
  def test_data_are_by_the_seed_unless_another_is_given(self):
    self.assertEqual(config_lib.data_seed(_resolve(seed=3)), 3)
    self.assertEqual(config_lib.data_seed(_resolve(seed=3, partition_seed=0)), 0)

  def test_a_table_in_folds_has_no_test_fraction(self):
    self.assertIsNone(_resolve(task='table', folds=5, fold=0).test_fraction)

  @parameterized.parameters(
    ({'partition_seed': -1}, '--partition_seed is -1, expected 0 or more'),
    ({'fold': 1}, '--fold is 1, but --folds, their number, is not given'),
    ({'folds': 1, 'fold': 0}, '--folds is 1, expected 2 or more'),
    ({'folds': 5}, '--folds is 5, but --fold, the one to test on, is not given'),
    ({'folds': 5, 'fold': 5}, '--fold is 5, expected a number from 0'),
    ({'folds': 5, 'fold': 0, 'task': 'text'}, '--folds does not fit --task=text'),
    (
      {'folds': 5, 'fold': 0, 'task': 'diabetes', 'partition': 'natural_iid'},
      '--folds does not fit --partition=natural_iid',
    ),
    (
      {'folds': 5, 'fold': 0, 'task': 'table', 'test_fraction': 0.5},
      '--folds and --test_fraction both say which rows are for testing',
    ),
    (
      {'folds': 2, 'fold': 0, 'task': 'table', 'data_dir': 'a.csv', 'label_column': ('b',)},
      '--folds splits the rows of each client, which needs --client_column',
    ),
  )
  def test_refuses(self, options, sentence):
    with self.assertRaisesRegex(config_lib.ConfigError, sentence):
      _resolve(**options)


if __name__ == '__main__':
  absltest.main()
