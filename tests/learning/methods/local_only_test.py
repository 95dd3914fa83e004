"""Tests of local learning."""

import numpy as np
from absl.testing import absltest

from tests.learning import testing
from tff_lg import learning, simulation
from tff_lg.compatibility import tff


def setUpModule():
  simulation.set_execution_context()


class LocalOnlyTest(absltest.TestCase):
  def test_clients_train_alone_whatever_the_server_has(self):
    class Refuses(tff.aggregators.UnweightedAggregationFactory):
      """An aggregator that has nothing to do with an empty structure."""

      def create(self, value_type):
        raise TypeError(value_type)

    model = testing.linear_model(('head',))
    process = learning.METHODS['local_only'].build_process(
      model,
      testing.settings(
        aggregator=Refuses(),
        server_optimizer=tff.learning.optimizers.build_sgdm(0.5, 0.9),
        client_weighting=learning.CLIENT_WEIGHTINGS['gradient_norm'],
      ),
    )
    self.assertEqual(process.model.weight_is_global, (False, False))
    self.assertEqual((len(process.download_type), len(process.upload_type)), (0, 0))
    clients = [process.initialize_client(model.initial_weights)] * 2
    data = [testing.tensors((1, 1)), testing.tensors((1, 4))]
    output = process.next(process.initialize(model.initial_weights), clients, data)
    # Steps of 0.1 along (4, 2) and (-8, -4).
    got = [np.ravel(state.local_weights) for state in output.client_states]
    np.testing.assert_allclose(got, [[0.6, 1.8], [1.8, 2.4]], rtol=1e-6)


if __name__ == '__main__':
  absltest.main()
