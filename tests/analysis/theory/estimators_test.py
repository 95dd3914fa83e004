"""Tests of the estimators: by hand, and without bias where the truth is known."""

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import heterogeneity
from tff_lg.analysis.theory import estimators

# Two devices, two examples, one feature: w = (4, 1), residuals (-1, 1) and 0, X^T X = (2, 8).
_X = np.array([[[1.0], [1.0]], [[2.0], [2.0]]])
_Y = np.array([[3.0, 5.0], [2.0, 2.0]])


def _assert_mean_is_zero(test, differences):
  """Checks it within four standard errors; seeds are fixed, so this holds or fails for good."""
  standard_error = differences.std(ddof=1) / np.sqrt(len(differences))
  test.assertLess(abs(differences.mean()), 4 * standard_error)


class FitLinearTest(parameterized.TestCase):
  def test_by_hand(self):
    fit = estimators.fit_linear(_X, _Y)
    np.testing.assert_allclose(fit.weights, [[4], [1]])
    np.testing.assert_allclose(fit.noise_variances, [2, 0], atol=1e-12)
    # S = (2 + 8) / 2 / 2 = 2.5, T = (2 * 2.5 / 2 + 0) / 2, B = 4.5, R = 2.5 * 4.5 - T.
    np.testing.assert_allclose(fit.variances, (10, 1.25))

  def test_equals_numpy(self):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(3, 12, 4)), rng.normal(size=(3, 12))
    fit = estimators.fit_linear(x, y)
    for device in range(3):
      weights, residual, _, _ = np.linalg.lstsq(x[device], y[device], rcond=None)
      np.testing.assert_allclose(fit.weights[device], weights)
      np.testing.assert_allclose(fit.noise_variances[device], residual[0] / 8)

  def test_unbiased_with_few_examples(self):
    num_devices, num_examples, dims, rho, sigma = 4, 8, 3, 0.7, 1.3
    rng = np.random.default_rng(2)
    of_device, of_data = [], []
    for _ in range(600):
      x = rng.uniform(-1, 1, (num_devices, num_examples, dims))
      u = rng.uniform(0, 1, dims) + rho * rng.standard_normal((num_devices, dims))
      y = np.einsum('mnd,md->mn', x, u) + sigma * rng.standard_normal(x.shape[:2])
      gram = np.einsum('mni,mnj->mij', x, x)
      second_moment = gram.mean(axis=0) / num_examples
      data = sigma**2 * np.mean([np.trace(np.linalg.solve(g, second_moment)) for g in gram])
      device = rho**2 * np.trace(second_moment)
      found = estimators.fit_linear(x, y).variances
      of_device.append(found.device - device)
      of_data.append(found.data - data)
    _assert_mean_is_zero(self, np.array(of_device))
    _assert_mean_is_zero(self, np.array(of_data))

  def test_equal_devices_may_give_less_than_nothing(self):
    y = np.array([[3.0, 5.0], [8.0, 8.0]])
    fit = estimators.fit_linear(_X, y)
    self.assertAlmostEqual(fit.variances.device, -1.25)
    self.assertEqual(heterogeneity.best_alpha(fit.variances), 0)

  @parameterized.named_parameters(
    ('flat', _X[0], _Y, r'x is \[2, 1\] and y \[2, 2\]'),
    ('lengths', _X, _Y[:, :1], r'y \[2, 1\]'),
    ('one_device', _X[:1], _Y[:1], '1 devices with 2 examples'),
    ('few_examples', _X[:, :1], _Y[:, :1], '2 devices with 1 examples of 1 features'),
    ('dependent', np.stack([_X[1] * 0, _X[1]]), _Y, 'x of device 0 has 0 linearly independent'),
  )
  def test_refuses(self, x, y, sentence):
    with self.assertRaisesRegex(ValueError, sentence):
      estimators.fit_linear(x, y)

  def test_agrees_with_the_estimate_from_halves(self):
    num_devices, dims, rho, sigma = 200, 4, 0.1, 1.0
    rng = np.random.default_rng(5)
    x = rng.uniform(-1, 1, (num_devices, 400, dims))
    u = rho * rng.standard_normal((num_devices, dims))
    y = np.einsum('mnd,md->mn', x, u) + sigma * rng.standard_normal(x.shape[:2])
    halves = np.stack(
      [estimators.fit_linear(x[:, part], y[:, part]).weights for part in np.s_[:200, 200:]], axis=1
    )
    whole = estimators.fit_linear(x, y).variances
    # Weights are measured, not predictions, whose variance is a third of it.
    np.testing.assert_allclose(
      np.array(heterogeneity.estimate_from_halves(halves)) / 3, whole, rtol=0.15
    )


if __name__ == '__main__':
  absltest.main()
