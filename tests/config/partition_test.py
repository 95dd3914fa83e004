"""Tests of the partition's options in small runs."""

from absl.testing import absltest, parameterized

from tff_lg import config
from tff_lg.config import TrainConfig, partition


class FastTest(parameterized.TestCase):
  @parameterized.parameters(
    (
      None,
      False,
      None,
      {'dirichlet_alpha', 'shards_per_client', 'shuffled_share', 'similarity_gamma'},
    ),
    (
      'shards',
      False,
      'shards',
      {'dirichlet_alpha', 'classes_per_client', 'shuffled_share', 'similarity_gamma'},
    ),
    (
      'natural',
      False,
      None,
      {'dirichlet_alpha', 'shards_per_client', 'shuffled_share', 'similarity_gamma'},
    ),
    (
      'clusters',
      False,
      None,
      {'dirichlet_alpha', 'shards_per_client', 'shuffled_share', 'similarity_gamma'},
    ),
  )
  def test_on_digits(self, name, keeps_task, expected, without):
    changes = partition.fast(name, keeps_task)
    self.assertEqual(changes.pop('partition'), expected)
    self.assertEqual(changes, dict.fromkeys(without))

  def test_of_the_same_task(self):
    self.assertEqual(partition.fast('natural_iid', True)['partition'], 'natural_iid')

  def test_options_stay_where_the_partition_does(self):
    small = config.fast(TrainConfig(partition='dirichlet', dirichlet_alpha=0.5))
    self.assertEqual(config.resolve(small).dirichlet_alpha, 0.5)


if __name__ == '__main__':
  absltest.main()
