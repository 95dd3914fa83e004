"""Tests of the aggregator and the privacy budget that a config asks for."""

import math

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import config as config_lib
from tff_lg import simulation
from tff_lg.compatibility import tff
from tff_lg.simulation import aggregation

_TYPE = tff.to_type([tff.TensorType(np.float32, [2])])


def setUpModule():
  simulation.set_execution_context()


def _config(**changes):
  return config_lib.resolve(
    config_lib.TrainConfig(
      **{'num_clients': 50, 'clients_per_round': 5, 'rounds': 30, 'method': 'fedavg', **changes}
    )
  )


def _budget(config):
  return aggregation.build_budget(
    config.aggregation_options, config.sampling_options, 50, config.total_rounds
  )


def _build(config, phase):
  return aggregation.build_aggregator(
    config.aggregation_options, config.sampling_options, config.method, phase, _budget(config)
  )


def _aggregate(config, updates, weights, phase=0):
  factory = _build(config, phase)
  if isinstance(factory, tff.aggregators.UnweightedAggregationFactory):
    factory = tff.aggregators.as_weighted_aggregator(factory)
  process = factory.create(_TYPE, tff.TensorType(np.float32))
  rows = [[np.float32(update)] for update in updates]
  return process.next(process.initialize(), rows, [np.float32(w) for w in weights]).result[0]


class AggregatorTest(parameterized.TestCase):
  @parameterized.parameters(*config_lib.AGGREGATORS)
  def test_every_name_of_the_flag_has_one(self, name):
    noise = {'noise_multiplier': 1.0} if name == 'dp_mean' else {}
    config = _config(aggregator=name, **noise)
    factory = _build(config, 0)
    self.assertIsInstance(
      factory,
      (tff.aggregators.WeightedAggregationFactory, tff.aggregators.UnweightedAggregationFactory),
    )

  @parameterized.parameters(
    # Five updates, the last of an attacker; the sixth dropped out.
    ('mean', {}, [22.0, 23.0]),
    ('median', {}, [3.0, 4.0]),
    ('trimmed_mean', {}, [3.0, 4.0]),
    ('krum', {'num_byzantine': 1}, [2.0, 3.0]),
    ('geometric_median', {}, [3.0, 4.0]),
    ('multi_krum', {'num_byzantine': 1}, [2.5, 3.5]),
    ('norm_bounded_mean', {'norm_bound': 1e4}, [22.0, 23.0]),
    # Cut to the norm of (4, 5), sqrt(41), or mixed with the three nearest.
    ('mean', {'pre_aggregation': ('adaptive_clipping',), 'pre_num_byzantine': 1}, [2.9, 3.712]),
    ('median', {'pre_aggregation': ('nearest_neighbours',), 'pre_num_byzantine': 2}, [3.0, 4.0]),
  )
  def test_absent_clients_do_not_count(self, name, options, expected):
    updates = [[1, 2], [2, 3], [3, 4], [4, 5], [100, 101], [0, 0]]
    config = _config(aggregator=name, **options)
    result = _aggregate(config, updates, [1, 1, 1, 1, 1, 0])
    np.testing.assert_allclose(result, expected, rtol=1e-3)

  @parameterized.parameters('mean', 'multi_krum', 'norm_bounded_mean')
  def test_zeroing_takes_an_update_out_of_scale_for_zeros(self, name):
    options = {'norm_bound': 1e4} if name == 'norm_bounded_mean' else {}
    config = _config(aggregator=name, adaptive_zeroing=True, **options)
    result = _aggregate(config, [[1, 2], [2, 3], [3, 4], [2, -1], [1e38, 1e38]], [1] * 5)
    self.assertLess(np.abs(result).max(), 4)
    if name != 'multi_krum':
      np.testing.assert_allclose(result, [8 / 5, 8 / 5], rtol=1e-6)

  def test_secure_mean_is_near_the_mean(self):
    config = _config(aggregator='secure_mean')
    result = _aggregate(config, [[0.25, -0.5], [0.75, 0.5]], [1, 3])
    np.testing.assert_allclose(result, [0.625, 0.25], atol=1e-3)

  def test_noise_is_of_the_seed_and_the_phase(self):
    def noise(seed, phase):
      config = _config(aggregator='dp_mean', noise_multiplier=1.0, seed=seed)
      return _aggregate(config, [[0, 0]], [1], phase).tolist()

    self.assertEqual(noise(0, 0), noise(0, 0))
    self.assertNotEqual(noise(0, 0), noise(0, 1))
    self.assertNotEqual(noise(0, 0), noise(1, 0))

  def test_secure_noise_is_never_the_same(self):
    config = _config(
      aggregator='dp_mean', noise_multiplier=1.0, secure_noise=True, checkpoint_every=1
    )
    first, second = (_aggregate(config, [[0, 0]], [1]).tolist() for _ in range(2))
    self.assertNotEqual(first, second)


class BudgetTest(absltest.TestCase):
  def test_none_without_privacy(self):
    self.assertIsNone(_budget(_config(aggregator='median')))

  def test_noise_of_the_paper(self):
    config = _config(aggregator='dp_mean', dp_sigma=0.01, clip_norm=15.0)
    budget = _budget(config)
    self.assertAlmostEqual(budget.noise_multiplier, 0.01 * 5 / 15)
    self.assertAlmostEqual(budget.delta, 50**-1.1)
    summary = aggregation.summarize_budget(budget, config)
    self.assertGreater(summary['privacy/epsilon'], 100)
    self.assertIn('protects nobody', summary['privacy/warning'])

  def test_target_is_met_over_all_rounds(self):
    config = _config(
      aggregator='dp_mean', target_epsilon=6.0, method='lg_fedavg', warm_start_rounds=10
    )
    budget = _budget(config)
    self.assertBetween(budget.epsilon(40), 5.99, 6.0)
    self.assertLess(budget.epsilon(30), 5.9)
    summary = aggregation.summarize_budget(budget, config)
    self.assertEqual(summary['privacy/epsilon'], budget.epsilon(40))
    self.assertNotIn('privacy/warning', summary)
    self.assertIn('probability 0.1', summary['privacy/sampling'])
    self.assertNotIn('assumed', summary['privacy/sampling'])

  def test_limits_stand_beside_epsilon(self):
    config = _config(aggregator='dp_mean', noise_multiplier=1.0, num_clients=None, task='text')
    summary = aggregation.summarize_budget(_budget(config), config)
    self.assertIn('epsilon does not cover it', summary['privacy/warning/vocabulary'])
    for name in ('not_covered/metrics', 'not_covered/best_round', 'assumed/noise'):
      self.assertIn(f'privacy/{name}', summary)

  def test_assumed_sampling_is_said(self):
    config = _config(
      aggregator='dp_mean',
      noise_multiplier=1.0,
      cohort_sampling='fixed_size',
      privacy_sampling='poisson',
    )
    summary = aggregation.summarize_budget(_budget(config), config)
    self.assertIn('assumed: the run draws exactly 5 of 50', summary['privacy/sampling'])

  def test_tree_counts_the_rounds_of_the_busiest_client(self):
    config = _config(
      aggregator='dp_mean', noise_multiplier=2.0, dp_mechanism='tree', clients_per_round=50
    )
    budget = _budget(config)
    self.assertEqual(budget.max_participations, 30)
    self.assertTrue(math.isfinite(budget.epsilon(30)))


if __name__ == '__main__':
  absltest.main()
