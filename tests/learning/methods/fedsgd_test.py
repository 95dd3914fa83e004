"""Tests of FedSGD, by hand; that it equals TFF's is tested with the process."""

import dataclasses

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.learning import running, testing
from tff_lg import learning, simulation


def setUpModule():
  simulation.set_execution_context()


class FedSgdTest(absltest.TestCase):
  method = staticmethod(learning.METHODS['fedsgd'].build_process)

  def test_round_is_one_gradient_step_on_all_examples(self):
    model = testing.linear_model(('head',))
    # Neither batches nor epochs of the settings count.
    process = self.method(model, testing.settings(batches=learning.TensorBatches(1, 5)))
    clients = [process.initialize_client(model.initial_weights)] * 2
    data = [testing.tensors((1, 1)), testing.tensors((1, 4), (1, 4), (1, 4))]
    output = process.next(process.initialize(model.initial_weights), clients, data)
    # Gradients (4, 2) once and (-8, -4) three times, in the mean (-5, -2.5).
    np.testing.assert_allclose(
      np.ravel(output.server_state.global_weights), [1 + 0.5, 2 + 0.25], rtol=1e-6
    )
    self.assertEqual(output.metrics.num_examples, 4)

  def test_refuses_batches_that_it_cannot_choose(self):
    settings = testing.settings(batches=learning.DatasetBatches())
    with self.assertRaisesRegex(ValueError, 'fedsgd needs TensorBatches'):
      self.method(testing.linear_model(), settings)

  def test_rates_by_round_are_those_of_clients(self):
    model = testing.linear_model()
    settings = dataclasses.replace(
      testing.settings(0.7),
      client_learning_rate_fn=lambda r: 0.1 + 0.0 * tf.cast(r, tf.float32),
      server_learning_rate_fn=lambda r: 0.9,
    )
    output = running.run(self.method(model, settings), model, list(running.TWO_CLIENTS))
    np.testing.assert_allclose(np.ravel(output.server_state.global_weights), [1.5, 2.25], rtol=1e-6)


if __name__ == '__main__':
  absltest.main()
