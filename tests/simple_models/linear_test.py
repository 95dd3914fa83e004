"""Tests of logistic and of ridge regression."""

import warnings

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

  def test_columns_of_one_category_share_what_they_explain(self):
    x = np.repeat(np.eye(2, dtype=np.float32), 50, axis=0)
    y = np.repeat(np.array([1, 3], np.float32), 50)
    with warnings.catch_warnings():
      warnings.simplefilter('error')
      affine = simple_models.fit_affine(
        simple_models.SIMPLE_MODELS['linear'], 1e4, x, y, None, seed=0
      )
    # Standardised, the two columns are -1 and 1, or 1 and -1, and y is 2 - 1 and 2 + 1.
    np.testing.assert_allclose(affine.kernel, [[-0.5], [0.5]], atol=1e-5)
    np.testing.assert_allclose(affine.bias, [2], atol=1e-6)


if __name__ == '__main__':
  absltest.main()
