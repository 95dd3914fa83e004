"""TFF computes on the versions that are installed, by itself and on our runtime."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg import compatibility, runtime
from tff_lg.compatibility import tff


class CompatibilityTest(absltest.TestCase):
  def test_all_names_are_there(self):
    for name in compatibility.__all__:
      self.assertIsNotNone(getattr(compatibility, name), name)

  def test_differentially_private_factories_of_tff(self):
    # Noise 0: the tree and the adaptive clip are what is tested. Updates 3 and 1, clip 2.
    runtime.set_local_execution_context()
    value_type = tff.TensorType(np.float32)
    tree = tff.aggregators.DifferentiallyPrivateFactory.tree_aggregation(
      noise_multiplier=0.0, clients_per_round=2.0, l2_norm_clip=2.0, record_specs=tf.TensorSpec([])
    ).create(value_type)
    state = tree.initialize()
    for _ in range(2):
      output = tree.next(state, [np.float32(3.0), np.float32(1.0)])
      state = output.state
      np.testing.assert_allclose(output.result, 1.5)
    adaptive = tff.aggregators.DifferentiallyPrivateFactory.gaussian_adaptive(
      noise_multiplier=0.01, clients_per_round=2.0, initial_l2_norm_clip=0.5
    ).create(value_type)
    output = adaptive.next(adaptive.initialize(), [np.float32(3.0), np.float32(1.0)])
    self.assertLess(abs(float(output.result) - 0.5), 0.1)

  def test_quantile_estimation_of_tff(self):
    runtime.set_local_execution_context()
    process = tff.aggregators.PrivateQuantileEstimationProcess.no_noise(
      initial_estimate=1.0, target_quantile=0.5, learning_rate=1.0
    )
    # All four lie above 1: the estimate grows by e^(learning rate * quantile).
    state = process.next(process.initialize(), [np.float32(x) for x in (2, 3, 4, 5)])
    np.testing.assert_allclose(process.report(state), np.exp(0.5), rtol=1e-6)


if __name__ == '__main__':
  absltest.main()
