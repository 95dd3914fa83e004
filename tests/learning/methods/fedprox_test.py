"""Tests of FedProx, by hand as Li et al. write it."""

import numpy as np
from absl.testing import absltest

from tests.learning import testing
from tff_lg import learning, simulation


def setUpModule():
  simulation.set_execution_context()


class FedProxTest(absltest.TestCase):
  def test_two_steps_of_one_client(self):
    model = testing.linear_model(('head',))
    process = learning.METHODS['fedprox'].build_process(
      model, testing.settings(batches=learning.TensorBatches(None, 2)), proximal_strength=0.5
    )
    self.assertEqual(process.model.weight_is_global, (True, True))
    output = process.next(
      process.initialize(model.initial_weights),
      [process.initialize_client(model.initial_weights)],
      [testing.tensors((1, 1))],
    )
    # From base 1, head 2 with gradient (4, 2), where the term has none: base 0.6, head 1.8.
    # Then residual 0.08: gradient 0.16 * (1.8, 0.6) + 0.5 * (0.6 - 1, 1.8 - 2).
    expected = [0.6 - 0.1 * (0.288 - 0.2), 1.8 - 0.1 * (0.096 - 0.1)]
    np.testing.assert_allclose(np.ravel(output.server_state.global_weights), expected, rtol=1e-6)

  def test_term_is_added_to_the_objective_of_the_settings(self):
    model = testing.linear_model()
    process = learning.METHODS['fedprox'].build_process(
      model,
      testing.settings(
        batches=learning.TensorBatches(None, 2),
        objective=lambda model, weights, start, x, y: 0.0 * weights[0][0, 0] + weights[1][0, 0],
      ),
      proximal_strength=0.5,
    )
    output = process.next(
      process.initialize(model.initial_weights),
      [process.initialize_client(model.initial_weights)],
      [testing.tensors((1, 1))],
    )
    # The head goes down by 0.1, then by 0.1 * (1 - 0.5 * 0.1).
    np.testing.assert_allclose(
      np.ravel(output.server_state.global_weights), [1, 2 - 0.1 - 0.095], rtol=1e-6
    )

  def test_negative_strength_is_refused(self):
    with self.assertRaisesRegex(ValueError, '^proximal_strength is -1.0, expected 0 or more.$'):
      learning.METHODS['fedprox'].build_process(
        testing.linear_model(), testing.settings(), proximal_strength=-1.0
      )


if __name__ == '__main__':
  absltest.main()
