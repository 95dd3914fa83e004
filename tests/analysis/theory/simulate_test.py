"""Tests of the linear devices and of the measured error."""

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.analysis.theory import simulate

_SETTINGS = simulate.LinearSettings(dims=3, devices=40, examples=200, test_examples=50, sigma=0.5)


class LinearSettingsTest(parameterized.TestCase):
  def test_defaults_are_the_papers(self):
    settings = simulate.LinearSettings()
    self.assertEqual((settings.dims, settings.devices, settings.sigma), (20, 100, 1.5))
    self.assertEqual((settings.examples, settings.test_examples), (2000, 1000))

  @parameterized.named_parameters(
    ('dims', {'dims': 0}, '--dims is 0, expected at least 1'),
    ('devices', {'devices': 1}, '--devices is 1, expected at least 2'),
    ('examples', {'examples': 20}, '--examples is 20, expected at least 21, more than --dims'),
    ('test', {'test_examples': 0}, '--test_examples is 0'),
    ('sigma', {'sigma': 0.0}, '--sigma is 0.0, expected a standard deviation above 0'),
    ('nan', {'sigma': float('nan')}, '--sigma is nan'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(ValueError, sentence):
      simulate.LinearSettings(**changes)


class DrawDevicesTest(absltest.TestCase):
  def test_shapes_and_distributions(self):
    devices = simulate.draw_devices(_SETTINGS, 0.1, seed=0)
    self.assertEqual(devices.true_weights.shape, (40, 3))
    self.assertEqual(devices.x.shape, (40, 200, 3))
    self.assertEqual(devices.x_test.shape, (40, 50, 3))
    self.assertLessEqual(np.abs(devices.x).max(), 1)
    self.assertAlmostEqual((devices.x**2).mean(), simulate.FEATURE_VARIANCE, delta=0.01)
    noise = devices.y - np.einsum('mnd,md->mn', devices.x, devices.true_weights)
    self.assertAlmostEqual(noise.std(), 0.5, delta=0.02)
    self.assertAlmostEqual(devices.true_weights.std(axis=0, ddof=1).mean(), 0.1, delta=0.02)

  def test_rho_scales_the_deviations_and_nothing_else(self):
    none, small, large = (
      simulate.draw_devices(_SETTINGS, rho, seed=1, repeat=2) for rho in (0, 0.1, 0.3)
    )
    np.testing.assert_array_equal(small.x, large.x)
    np.testing.assert_allclose(
      3 * (small.true_weights - none.true_weights), large.true_weights - none.true_weights
    )
    np.testing.assert_array_equal(none.true_weights, none.true_weights[:1].repeat(40, axis=0))

  def test_seed_and_repeat(self):
    first, again, repeat, seed = (
      simulate.draw_devices(_SETTINGS, 0.1, *numbers).y for numbers in ((1, 0), (1,), (1, 1), (2,))
    )
    np.testing.assert_array_equal(first, again)
    self.assertFalse(np.any(first == repeat))
    self.assertFalse(np.any(first == seed))


class MeasureErrorTest(absltest.TestCase):
  def test_curve_is_the_error_of_each_mixture(self):
    devices = simulate.draw_devices(_SETTINGS, 0.3, seed=3)
    local = devices.true_weights + np.random.default_rng(4).normal(0, 0.2, (40, 3))
    measured = simulate.measure_error(devices, local)
    for alpha in (0.0, 0.3, 1.0):
      mixed = alpha * local + (1 - alpha) * local.mean(axis=0)
      excess = np.einsum('mnd,md->mn', devices.x_test, mixed - devices.true_weights)
      self.assertAlmostEqual(measured.at(alpha), (excess**2).mean())

  def test_best_alpha(self):
    error = simulate.MeasuredError(local=3.0, cross=1.0, mean=2.0)
    # 3 a^2 + 2 a (1 - a) + 2 (1 - a)^2 = 3 a^2 - 2 a + 2.
    self.assertAlmostEqual(error.best_alpha, 1 / 3)
    np.testing.assert_allclose(error.at(np.array([0, 1 / 3, 1])), [2, 5 / 3, 3])

  def test_best_alpha_is_a_mixture(self):
    self.assertEqual(simulate.MeasuredError(local=4.0, cross=2.0, mean=1.0).best_alpha, 0)
    self.assertEqual(simulate.MeasuredError(local=1.0, cross=2.0, mean=4.0).best_alpha, 1)
    self.assertEqual(simulate.MeasuredError(local=1.0, cross=1.0, mean=1.0).best_alpha, 0)


if __name__ == '__main__':
  absltest.main()
