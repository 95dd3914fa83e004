"""Tests of gradient boosting."""

import numpy as np
from absl.testing import absltest

from tff_lg import simple_models


class BoostingTest(absltest.TestCase):
  def test_learns_what_no_linear_model_can(self):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (200, 2)).astype(np.float32)
    y = (x[:, 0] * x[:, 1] > 0).astype(np.int32)
    boosting, linear = (
      simple_models.fit(model, 0.1, x[:100], y[:100], 2, 0)(x[100:]).argmax(axis=1)
      for model in (simple_models.SIMPLE_MODELS[name] for name in ('boosting', 'linear'))
    )
    self.assertGreater((boosting == y[100:]).mean(), 0.85)
    self.assertLess((linear == y[100:]).mean(), 0.7)

  def test_few_examples_have_small_leaves(self):
    x, y = np.arange(4, dtype=np.float32)[:, None], np.array([0, 0, 1, 1], np.int32)
    predict = simple_models.fit(simple_models.SIMPLE_MODELS['boosting'], 0.1, x, y, 2, 0)
    np.testing.assert_array_equal(predict(x).argmax(axis=1), y)


if __name__ == '__main__':
  absltest.main()
