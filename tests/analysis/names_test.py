"""Tests of what methods, runs and models are called."""

from absl.testing import absltest

from tff_lg.analysis import names


class NamesTest(absltest.TestCase):
  def test_method_name(self):
    self.assertEqual(names.method_name('lg_fedavg'), 'LG-FedAvg')
    self.assertEqual(names.method_name('my_method'), 'my_method')

  def test_partition_name(self):
    for partition, name in {
      'iid': 'IID',
      'classes_per_client=2': '2 classes per client',
      'dirichlet=0.9': 'dirichlet 0.9',
      'natural_iid': 'natural iid',
    }.items():
      self.assertEqual(names.partition_name(partition), name)

  def test_aggregator_name(self):
    self.assertEqual(names.aggregator_name('dp_mean'), 'DP mean')
    self.assertEqual(names.aggregator_name('trimmed_mean'), 'trimmed mean')

  def test_run_name(self):
    self.assertEqual(names.run_name('fedavg', 'median'), 'FedAvg, median')
    self.assertEqual(names.run_name('fedavg', 'mean'), 'FedAvg')
    self.assertEqual(names.run_name('fedavg', None), 'FedAvg')
    self.assertEqual(names.run_name('fedavg', 'dp_mean', 'gaussian'), 'FedAvg, DP mean, Gaussian')

  def test_model_name(self):
    self.assertEqual(names.model_name('freeze_base'), 'Base frozen')
    self.assertEqual(names.model_name('local_only'), 'Local only')
    self.assertEqual(names.model_name('my_adaptation'), 'my_adaptation')

  def test_axis_value(self):
    self.assertEqual(names.axis_value('method', 'fedavg'), 'FedAvg')
    self.assertEqual(names.axis_value('model', 'fedavg'), 'fedavg')
    self.assertEqual(names.axis_value('flagfile', 'configs/mnist_fedavg.flags'), 'mnist_fedavg')


if __name__ == '__main__':
  absltest.main()
