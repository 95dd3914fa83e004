"""Tests of FedAvg as a setting; that it equals TFF's is tested with the process."""

from absl.testing import absltest

from tests.learning import testing
from tff_lg import learning


class FedAvgTest(absltest.TestCase):
  def test_every_weight_is_global(self):
    model = testing.classifier().with_global_layers(('output',))
    process = learning.METHODS['fedavg'].build_process(model, testing.settings())
    self.assertEqual(process.model.weight_is_global, (True,) * 4)
    self.assertLen(process.upload_type[0], 4)


if __name__ == '__main__':
  absltest.main()
