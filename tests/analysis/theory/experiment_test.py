"""Tests of formula against simulation, and of what a result says."""

import numpy as np
from absl.testing import absltest, parameterized
from scipy import stats

from tff_lg.analysis import theory
from tff_lg.analysis.theory import experiment

_EXPERIMENT = experiment.LinearExperiment(
  settings=theory.LinearSettings(dims=4, devices=30, examples=600, test_examples=100, sigma=1.0),
  rhos=(0.5, 0.05, 0.0),
  repeats=30,
  seed=7,
)


class RunLinearTest(parameterized.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.results = experiment.run_linear(_EXPERIMENT)

  @parameterized.parameters(0, 1, 2)
  def test_formula_is_what_is_measured(self, index):
    result = self.results[index]
    alphas = np.linspace(0, 1, 11)
    errors = np.array([error.at(alphas) for error in result.measured])
    expected = theory.interpolation_error(alphas, result.variances, 30)
    standard_errors = errors.std(axis=0, ddof=1) / np.sqrt(len(errors))
    np.testing.assert_array_less(np.abs(errors.mean(axis=0) - expected), 4 * standard_errors)

  def test_the_papers_variances_are_not_those_of_these_devices(self):
    curve = self.results[0].curve()
    self.assertFalse(curve['paper_formula'].between(curve['low'], curve['high'])[:50].any())
    # R is rho^2 instead of c d rho^2, here 3/4 of it.
    paper, ours = self.results[0].paper_variances, self.results[0].variances
    self.assertAlmostEqual(paper.device / ours.device, 3 / 4)
    self.assertEqual(paper.data, ours.data)

  def test_alphas_agree(self):
    # rho 0.5: R = 1/3, T = 1/150. rho 0.05: R = 1/300, T = 1/150.
    for result, expected in zip(self.results[:2], (50 / 51, 1 / 3), strict=True):
      alphas = result.alphas()
      self.assertAlmostEqual(float(alphas['formula']), expected)
      for name in ('measured', 'estimated'):
        self.assertLen(alphas[name], 30)
        low, high = stats.t.interval(0.999, 29, alphas[name].mean(), stats.sem(alphas[name]))
        # Ratios of unbiased estimates are off by a little.
        self.assertBetween(expected, low - 0.01, high + 0.01)
    self.assertEqual(self.results[2].alphas()['formula'], 0)

  def test_curve(self):
    result = self.results[1]
    curve = result.curve()
    self.assertEqual(set(curve['rho']), {0.05})
    self.assertTrue(curve['measured'].between(curve['low'], curve['high']).all())
    ends = curve.set_index('alpha')['measured']
    self.assertAlmostEqual(ends[0.0], np.mean([error.mean for error in result.measured]))
    self.assertAlmostEqual(ends[1.0], np.mean([error.local for error in result.measured]))

  def test_summary(self):
    result = self.results[1]
    summary = result.summary()
    self.assertAlmostEqual(summary['device_variance'], 1 / 300)
    self.assertAlmostEqual(summary['data_variance'], 1 / 150)
    for name in ('local', 'global', 'formula', 'paper_formula', 'estimated'):
      self.assertLessEqual(summary['error/least'], summary[f'error/{name}'])
    self.assertAlmostEqual(
      summary['error/local'], np.mean([error.local for error in result.measured])
    )
    self.assertAlmostEqual(
      summary['device_variance/estimated'], np.mean([each.device for each in result.estimated])
    )
    self.assertNotIn('alpha/formula/low', summary)
    self.assertLess(summary['alpha/estimated/low'], summary['alpha/estimated'])

  def test_same_seed_same_results(self):
    small = experiment.LinearExperiment(
      settings=theory.LinearSettings(dims=2, devices=3, examples=9, test_examples=2), repeats=2
    )
    seen = []

    def progress(steps):
      seen.extend(steps)
      return steps

    self.assertEqual(experiment.run_linear(small, progress), experiment.run_linear(small))
    self.assertEqual(seen[:3], [(0.5, 0), (0.5, 1), (0.1, 0)])


class LinearExperimentTest(parameterized.TestCase):
  def test_caption_states_what_is_plotted(self):
    caption = _EXPERIMENT.caption()
    for part in ('30 linear devices', 'd = 4', 'I / 3', 'standard deviation 1', '30 repeats'):
      self.assertIn(part, caption)

  @parameterized.named_parameters(
    ('none', {'rhos': ()}, '--rhos is , expected'),
    ('twice', {'rhos': (0.1, 0.1)}, '--rhos is 0.1,0.1, expected different'),
    ('negative', {'rhos': (0.1, -1.0)}, '--rhos is 0.1,-1, expected'),
    ('repeats', {'repeats': 1}, '--repeats is 1, expected at least 2'),
    ('seed', {'seed': -1}, '--seed is -1, expected at least 0'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(ValueError, sentence):
      experiment.LinearExperiment(**changes)


class MeanIntervalTest(absltest.TestCase):
  def test_by_hand(self):
    samples = np.random.default_rng(0).normal(size=(6, 2))
    low, high = experiment.mean_interval(samples)
    for column in range(2):
      values = samples[:, column]
      # The 0.975 quantile of Student's distribution with 5 degrees of freedom, of a table.
      margin = 2.570581836 * values.std(ddof=1) / np.sqrt(6)
      self.assertAlmostEqual(low[column], values.mean() - margin)
      self.assertAlmostEqual(high[column], values.mean() + margin)

  def test_equal_samples_have_no_width(self):
    self.assertEqual(experiment.mean_interval(np.zeros(3)), (0, 0))


if __name__ == '__main__':
  absltest.main()
