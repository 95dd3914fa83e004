"""Tests of what travels, counted by hand."""

import types

import numpy as np
from absl.testing import absltest

from tests.learning import testing
from tff_lg import learning, models
from tff_lg.compatibility import tff
from tff_lg.training import communication
from tff_lg.training.communication import RoundTraffic


def _process(global_layers):
  model = testing.classifier().with_global_layers(global_layers)
  return learning.build_local_global_process(model, testing.settings())


def _paper(*global_layers):
  """Returns what travels when these layers of the paper's network for MNIST are global."""
  weights = [
    tff.TensorType(np.float32, weight.shape.as_list())
    for layer in models.build_mlp((28, 28, 1), 10).layers
    if layer.name in global_layers
    for weight in layer.weights
  ]
  travelling = tff.to_type((tuple(weights), tff.TensorType(np.int32)))
  return types.SimpleNamespace(download_type=travelling, upload_type=travelling)


class CountRoundTest(absltest.TestCase):
  def test_all_global(self):
    traffic = communication.count_round(_process(('hidden_1', 'output')), 3, 2)
    # 4 * 5 + 5 + 5 * 3 + 3 = 43 weights of 4 bytes; the round's number down, a weight up.
    self.assertEqual(traffic, RoundTraffic(3 * 43, 2 * 43, 3 * (172 + 4), 2 * (172 + 4)))

  def test_one_layer_global(self):
    traffic = communication.count_round(_process(('output',)), 3, 2)
    self.assertEqual(traffic, RoundTraffic(3 * 18, 2 * 18, 3 * (72 + 4), 2 * (72 + 4)))

  def test_nothing_global(self):
    self.assertEqual(communication.count_round(_process(()), 3, 2), RoundTraffic())

  def test_each_direction_by_its_own_type(self):
    process = types.SimpleNamespace(
      download_type=tff.to_type((((np.float32, (2, 3)), np.float64), np.int32)),
      upload_type=tff.to_type((((np.float16, (4,)),), (np.float32, np.int64))),
    )
    traffic = communication.count_round(process, 10, 1)
    self.assertEqual(traffic, RoundTraffic(70, 4, 10 * (6 * 4 + 8 + 4), 4 * 2 + 4 + 8))

  def test_numbers_of_the_paper(self):
    # Table 1: each round is sent to all 100 clients, and 10 answer.
    whole = _paper('hidden_1', 'hidden_2', 'hidden_3', 'hidden_4', 'output')
    fedavg = communication.count_round(whole, 100, 10).parameters
    lg = communication.count_round(_paper('hidden_3', 'hidden_4', 'output'), 100, 10).parameters
    self.assertEqual(800 * fedavg, 55_723_888_000)  # 5.6e10
    self.assertEqual(400 * fedavg + 100 * lg, 28_961_702_000)  # 2.9e10
    self.assertEqual(800 * fedavg + 100 * lg, 56_823_646_000)  # 5.7e10


class RoundTrafficTest(absltest.TestCase):
  def test_sums(self):
    total = sum([RoundTraffic(1, 2, 3, 4), RoundTraffic(10, 20, 30, 40)], RoundTraffic())
    self.assertEqual(total, RoundTraffic(11, 22, 33, 44))
    self.assertEqual((total.parameters, total.bytes), (33, 77))


if __name__ == '__main__':
  absltest.main()
