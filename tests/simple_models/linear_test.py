"""Tests of logistic regression."""

import numpy as np
from absl.testing import absltest

from tff_lg import simple_models


class LinearTest(absltest.TestCase):
  def test_is_the_minimum_of_the_penalised_loss(self):
    # Standardised, x is -1 and 1: w minimises 2 C log(1 + exp(-w)) + w^2 / 2 by symmetry.
    x, y = np.array([[3.0], [7.0]], np.float32), np.array([0, 1], np.int32)
    c = 0.5
    predict = simple_models.fit(simple_models.SIMPLE_MODELS['linear'], c, x, y, 2, 0)
    w = np.linspace(0, 3, 3_000_001)
    best = w[np.argmin(2 * c * np.log1p(np.exp(-w)) + w**2 / 2)]
    expected = 1 / (1 + np.exp(-best))
    np.testing.assert_allclose(predict(x)[:, 1], [1 - expected, expected], atol=2e-3)


if __name__ == '__main__':
  absltest.main()
