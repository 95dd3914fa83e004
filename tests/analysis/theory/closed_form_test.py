"""Tests of the formulas, by hand and by numerical minimisation."""

import numpy as np
from absl.testing import absltest, parameterized
from scipy import optimize

from tff_lg import heterogeneity
from tff_lg.analysis.theory import closed_form


class ClosedFormTest(parameterized.TestCase):
  def test_error_by_hand(self):
    # 1/4 * 3 + 1/4 * 4/5 * 2 + 3/4 * 3/5.
    error = closed_form.interpolation_error(0.5, heterogeneity.Variances(device=2, data=3), 5)
    self.assertAlmostEqual(error, 0.75 + 0.4 + 0.45)

  def test_ends(self):
    global_error, local_error = closed_form.interpolation_error(
      np.array([0.0, 1.0]), heterogeneity.Variances(device=2, data=3), 5
    )
    self.assertAlmostEqual(local_error, 3)
    self.assertAlmostEqual(global_error, 4 / 5 * 2 + 3 / 5)

  def test_one_device_has_one_model(self):
    errors = closed_form.interpolation_error(
      np.linspace(0, 1, 5), heterogeneity.Variances(device=2, data=3), 1
    )
    np.testing.assert_allclose(errors, 3)

  @parameterized.product(device=(0.01, 1.0, 30.0), data=(0.5, 2.0), num_devices=(2, 100))
  def test_best_alpha_minimises(self, device, data, num_devices):
    variances = heterogeneity.Variances(device, data)
    found = optimize.minimize_scalar(
      closed_form.interpolation_error,
      bounds=(0, 1),
      args=(variances, num_devices),
      method='bounded',
      options={'xatol': 1e-9},
    )
    self.assertAlmostEqual(heterogeneity.best_alpha(variances), found.x, places=6)

  @parameterized.parameters((0.5, 2.0), (2.0, 0.5))
  def test_above_half_where_local_is_better_than_global(self, device, data):
    variances = heterogeneity.Variances(device, data)
    local, of_global = (closed_form.interpolation_error(alpha, variances, 7) for alpha in (1, 0))
    self.assertEqual(heterogeneity.best_alpha(variances) > 0.5, local < of_global)

  def test_variances_in_both_conventions(self):
    setting = {'dims': 20, 'examples': 2000, 'sigma': 1.5, 'rho': 0.1}
    ours = closed_form.linear_variances(**setting, feature_variance=1 / 3)
    np.testing.assert_allclose(ours, (20 * 0.01 / 3, 20 * 2.25 / 2000))
    paper = closed_form.linear_variances(**setting, feature_variance=1, total_rho=True)
    np.testing.assert_allclose(paper, (0.01, 0.0225))

  def test_data_variance_of_few_examples(self):
    # E tr(c (X^T X)^-1) N / d is 1 in the limit and 1 + (d + 1.8 - 2) / N in the next order.
    dims, examples = 2, 100
    x = np.random.default_rng(1).uniform(-1, 1, (20_000, examples, dims))
    inverse = np.linalg.inv(x.transpose(0, 2, 1) @ x)
    ratio = np.trace(inverse, axis1=1, axis2=2).mean() / 3 * examples / dims
    self.assertAlmostEqual(ratio, 1 + (dims - 0.2) / examples, delta=0.003)


if __name__ == '__main__':
  absltest.main()
