"""Tests of aggregating adapted models, with work whose models are numbers."""

import types

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from tff_lg import config as config_lib
from tff_lg.simulation import aggregating

# Validation accuracy of clients 3, 1 and 0 by setting, at epochs 0, 2 and 4.
_CURVES = np.array(
  [[[0, 0.1, 0.5], [0, 0.3, 0.4]], [[0, 0.1, 0.5], [0, 0.3, 0.4]], [[0, 9, 9], [0, 0, 0]]]
)


class _Work:
  """A model is its adaptation's setting and epochs, and who sent with what weight."""

  def aggregate(self, clients, setting, epoch, client_weight):
    self.sent = clients.tolist(), setting, epoch, client_weight.tolist()
    return 'mean'

  def evaluate(self, clients, weights):
    self.evaluated = clients.tolist(), weights
    return {'local_test/accuracy': clients / 10}


class AggregateAdaptedTest(parameterized.TestCase):
  @parameterized.parameters(
    (2, 'examples', ([3, 1], 1, 2, [40, 20])), (4, 'uniform', ([3, 1], 0, 4, [1, 1]))
  )
  def test_who_sends_what(self, epochs, weighting, expected):
    clients = pd.DataFrame(
      {'num_train': [10, 20, 30, 40], 'is_held_out': [True, False, False, False]}
    )
    source = types.SimpleNamespace(
      clients=clients, config=config_lib.TrainConfig(client_weighting=weighting)
    )
    config = config_lib.AdaptConfig(
      epochs=4, evaluate_every_epochs=2, selection_metric='accuracy', aggregate_epochs=(2, 4)
    )
    work = _Work()
    # The held-out client 0 sends nothing, and its validation data choose nothing.
    result = aggregating.aggregate_adapted(
      config, source, np.array([3, 1, 0]), work, _CURVES, np.array([5, 5, 5]), epochs
    )
    self.assertEqual(work.sent, expected)
    self.assertEqual(work.evaluated, ([3, 1, 0], ['mean'] * 3))
    self.assertEqual(result['setting'], expected[1])
    np.testing.assert_array_equal(result['local_test/accuracy'], [0.3, 0.1, 0.0])

  def test_nobody_is_held_out(self):
    source = types.SimpleNamespace(clients=pd.DataFrame({'num_train': [1, 2]}))
    self.assertEqual(aggregating.is_held_out(source).tolist(), [False, False])


if __name__ == '__main__':
  absltest.main()
