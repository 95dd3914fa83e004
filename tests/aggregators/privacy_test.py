"""Tests of the privacy budget: published figures, closed forms, other accountants."""

import dataclasses
import math

import dp_accounting
import numpy as np
from absl.testing import absltest, parameterized
from dp_accounting import rdp
from scipy import optimize, stats

from tff_lg.aggregators import privacy

_BANDED = {
  'sampling': 'cyclic_poisson', 'mechanism': 'banded', 'cohort_groups': 4, 'bands': 4
}  # fmt: skip


def _budget(**changes):
  settings = {
    'noise_multiplier': 1.0,
    'clients_per_round': 10,
    'num_clients': 100,
    'delta': 1e-5,
  } | changes
  return privacy.PrivacyBudget(**settings)


def _classic_epsilon(budget, num_rounds):
  """Computes it with Mironov 2017's conversion, which published figures used; ours is tighter."""
  accountant = rdp.RdpAccountant().compose(budget.event(num_rounds))
  return min(accountant.rdp - math.log(budget.delta) / (accountant.orders - 1))


def _gaussian_epsilon(noise_multiplier, delta):
  """Returns the exact epsilon of one Gaussian mechanism: Balle & Wang 2018, Theorem 8."""

  def excess(epsilon):
    a, b = 0.5 / noise_multiplier, epsilon * noise_multiplier
    return stats.norm.cdf(a - b) - math.exp(epsilon) * stats.norm.cdf(-a - b) - delta

  return optimize.brentq(excess, 0, 200)


class PublishedTest(parameterized.TestCase):
  """RDP with Poisson sampling, as in the papers."""

  @parameterized.parameters(
    # McMahan et al. 2018, Table 1: users, users a round, rounds, epsilon at delta = K^-1.1.
    (10**5, 100, 100, 1.00),
    (10**5, 100, 10**4, 1.18),
    (10**5, 100, 10**5, 2.21),
    (10**6, 1000, 100, 1.20),
    (10**6, 1000, 10**4, 1.39),
    (10**6, 1000, 10**5, 2.44),
  )
  def test_mcmahan(self, num_clients, clients_per_round, num_rounds, published):
    budget = _budget(
      num_clients=num_clients,
      clients_per_round=clients_per_round,
      delta=privacy.default_delta(num_clients),
    )
    self.assertAlmostEqual(_classic_epsilon(budget, num_rounds), published, delta=0.006)
    self.assertBetween(budget.epsilon(num_rounds), 0.7 * published, published)

  @parameterized.parameters((1.12, 60, 2.92), (0.6, 30, 9.74), (1.2, 10, 1.20))
  def test_tensorflow_privacy_tutorial(self, noise_multiplier, epochs, published):
    budget = _budget(noise_multiplier=noise_multiplier, clients_per_round=256, num_clients=60000)
    num_rounds = epochs * 60000 // 256
    self.assertAlmostEqual(_classic_epsilon(budget, num_rounds), published, delta=0.02)
    self.assertBetween(budget.epsilon(num_rounds), 0.75 * published, published)


class EpsilonTest(parameterized.TestCase):
  @parameterized.parameters('poisson', 'fixed_size')
  def test_without_sampling_is_the_gaussian_mechanism(self, sampling):
    budget = _budget(noise_multiplier=20.0, clients_per_round=100, sampling=sampling)
    # RDP a / (2 z^2) a round; the conversion is Canonne et al. 2020, Proposition 12.
    z = 20.0 if sampling == 'poisson' else 10.0
    orders = rdp.RdpAccountant().orders
    curve = orders * 50 / (2 * z**2)
    converted = curve + np.log1p(-1 / orders) - (np.log(1e-5) + np.log(orders)) / (orders - 1)
    self.assertAlmostEqual(budget.epsilon(50), converted.min(), places=9)
    self.assertGreater(budget.epsilon(50), _gaussian_epsilon(z / math.sqrt(50), 1e-5))

  def test_pld_without_sampling_is_exact(self):
    budget = _budget(noise_multiplier=20.0, clients_per_round=100, accountant='pld')
    exact = _gaussian_epsilon(20.0 / math.sqrt(50), 1e-5)
    self.assertAlmostEqual(budget.epsilon(50), exact, delta=0.002 * exact)

  @parameterized.parameters('rdp', 'pld')
  def test_equals_the_accountant_of_all_rounds(self, name):
    accountant = {'rdp': rdp.RdpAccountant, 'pld': dp_accounting.pld.PLDAccountant}[name]()
    budget = _budget(noise_multiplier=2.0, accountant=name)
    expected = accountant.compose(budget.event(100)).get_epsilon(1e-5)
    self.assertAlmostEqual(budget.epsilon(100), expected, delta=1e-3 * expected)

  def test_leaves_out_orders_without_a_warning(self):
    budget = _budget(noise_multiplier=2.44, clients_per_round=40)
    with self.assertNoLogs(level='WARNING'):
      budget.epsilon(10)

  def test_pld_is_tighter(self):
    self.assertLess(_budget(accountant='pld').epsilon(100), 0.95 * _budget().epsilon(100))

  def test_pld_beyond_meaning_is_rdp(self):
    settings = {'noise_multiplier': 0.00667}
    epsilon = _budget(**settings).epsilon(1000)
    self.assertGreater(epsilon, 1e6)
    self.assertEqual(_budget(accountant='pld', **settings).epsilon(1000), epsilon)

  def test_fixed_size_halves_the_noise_and_gains_from_sampling(self):
    budget = _budget(noise_multiplier=8.0, sampling='fixed_size')
    event = dp_accounting.SampledWithoutReplacementDpEvent(
      100, 10, dp_accounting.GaussianDpEvent(4.0)
    )
    accountant = rdp.RdpAccountant(
      neighboring_relation=rdp.rdp_privacy_accountant.NeighborRel.REPLACE_ONE
    )
    expected = accountant.compose(event, 20).get_epsilon(1e-5)
    self.assertAlmostEqual(budget.epsilon(20), expected, places=9)
    self.assertLess(budget.epsilon(20), _gaussian_epsilon(4.0 / math.sqrt(20), 1e-5))

  def test_grows_with_rounds_and_falls_with_noise_and_clients(self):
    budget = _budget()
    self.assertEqual(budget.epsilon(0), 0.0)
    epsilons = [budget.epsilon(num_rounds) for num_rounds in (1, 2, 10, 100)]
    self.assertEqual(epsilons, sorted(set(epsilons)))
    self.assertLess(_budget(noise_multiplier=2.0).epsilon(10), epsilons[2])
    self.assertLess(_budget(num_clients=1000).epsilon(10), epsilons[2])

  @parameterized.parameters(
    {},
    {'accountant': 'pld'},
    {'sampling': 'fixed_size'},
    {'mechanism': 'tree', 'max_participations': 1},
  )
  def test_most_noise_is_accounted_for_and_more_is_refused(self, **settings):
    self.assertLess(_budget(noise_multiplier=1e5, **settings).epsilon(100), 0.1)
    with self.assertRaisesRegex(ValueError, r'is 1e\+06; it must be at most 100000'):
      _budget(noise_multiplier=1e6, **settings)

  @parameterized.parameters(
    {}, {'accountant': 'pld'}, {'mechanism': 'tree', 'max_participations': 1}
  )
  def test_without_noise_is_infinite(self, **settings):
    self.assertEqual(_budget(noise_multiplier=0.0, **settings).epsilon(1), math.inf)


class TreeTest(parameterized.TestCase):
  @parameterized.parameters(1, 2, 3, 4, 7, 8, 1000)
  def test_one_participation_is_a_single_epoch(self, num_rounds):
    accountant = rdp.RdpAccountant(
      neighboring_relation=rdp.rdp_privacy_accountant.NeighborRel.REPLACE_SPECIAL
    )
    event = dp_accounting.SingleEpochTreeAggregationDpEvent(3.0, num_rounds)
    expected = accountant.compose(event).get_epsilon(1e-5)
    budget = _budget(noise_multiplier=3.0, mechanism='tree', max_participations=1)
    self.assertAlmostEqual(budget.epsilon(num_rounds), expected, places=9)

  def test_participations_count_squared(self):
    # Ten levels in 1000 rounds: sqrt(10) * 4 times the sensitivity of one Gaussian.
    budget = _budget(
      noise_multiplier=60.0, mechanism='tree', max_participations=4, accountant='pld'
    )
    exact = _gaussian_epsilon(60.0 / (4 * math.sqrt(10)), 1e-5)
    self.assertAlmostEqual(budget.epsilon(1000), exact, delta=0.005 * exact)

  def test_bounds_every_schedule_of_a_small_tree(self):
    """Against the sensitivity counted node by node, for all schedules of 8 rounds."""
    worst = {}
    for schedule in range(1, 2**8):
      rounds = np.array([schedule >> i & 1 for i in range(8)])
      squared = sum((rounds.reshape(-1, 2**level).sum(axis=1) ** 2).sum() for level in range(4))
      k = rounds.sum()
      worst[k] = max(worst.get(k, 0), squared)
    for k, squared in worst.items():
      count = _budget(mechanism='tree', max_participations=int(k)).event(8).count
      self.assertLessEqual(squared, count)

  def test_early_rounds_cannot_have_more_participations(self):
    settings = {'mechanism': 'tree', 'noise_multiplier': 10.0}
    early = _budget(max_participations=2, **settings).epsilon(2)
    self.assertEqual(_budget(max_participations=50, **settings).epsilon(2), early)


class CyclicTest(parameterized.TestCase):
  @parameterized.parameters(('rdp', 1e-9), ('pld', 1e-3))
  def test_is_one_sampled_round_of_each_cycle(self, name, tolerance):
    accountant = {'rdp': rdp.RdpAccountant, 'pld': dp_accounting.pld.PLDAccountant}[name]()
    # 22 rounds of 4 groups are 6 turns at most, each joined with probability 4 * 10 / 100.
    event = dp_accounting.PoissonSampledDpEvent(0.4, dp_accounting.GaussianDpEvent(2.0))
    expected = accountant.compose(event, 6).get_epsilon(1e-5)
    for changes in (_BANDED, {**_BANDED, 'mechanism': 'gaussian', 'bands': 1}):
      budget = _budget(noise_multiplier=2.0, accountant=name, **changes)
      self.assertAlmostEqual(budget.epsilon(22), expected, delta=tolerance * expected)

  def test_all_of_a_group_is_the_gaussian_mechanism(self):
    budget = _budget(noise_multiplier=5.0, accountant='pld', **{**_BANDED, 'clients_per_round': 25})
    exact = _gaussian_epsilon(5.0 / math.sqrt(3), 1e-5)
    self.assertAlmostEqual(budget.epsilon(9), exact, delta=0.002 * exact)
    self.assertIn('probability 1 (no gain from sampling)', budget.sampling_text)

  def test_one_band_of_one_group_is_poisson(self):
    banded = _budget(**{**_BANDED, 'cohort_groups': 1, 'bands': 1})
    self.assertEqual(banded.epsilon(30), _budget().epsilon(30))

  @parameterized.parameters(
    ({'cohort_groups': 3}, 'cyclic_poisson with 3 groups; the banded mechanism of 4 bands needs'),
    ({'sampling': 'poisson'}, 'sampling is poisson with 4 groups; the banded mechanism of 4 bands'),
    ({'clients_per_round': 26}, r'cohort_groups \(or dp_bands\) is 4, expected 1 to 3: groups of'),
    ({'mechanism': 'gaussian', 'cohort_groups': None}, 'is None, expected 1 to 10'),
  )
  def test_refuses(self, changes, message):
    with self.assertRaisesRegex(ValueError, message):
      _budget(**{**_BANDED, **changes})


class SolveTest(parameterized.TestCase):
  @parameterized.parameters(
    ({}, 1.0), ({}, 150.0), ({'accountant': 'pld'}, 8.0),
    ({'mechanism': 'tree', 'max_participations': 5}, 8.0),
    (_BANDED, 8.0),
  )  # fmt: skip
  def test_meets_the_target(self, settings, target):
    budget = _budget(**settings)
    z = privacy.solve_noise_multiplier(budget, target, 100)
    epsilon = dataclasses.replace(budget, noise_multiplier=z).epsilon(100)
    self.assertBetween(epsilon, 0.9999 * target, target)

  def test_equals_dp_accounting_calibration(self):
    expected = dp_accounting.calibrate_dp_mechanism(
      rdp.RdpAccountant,
      lambda z: _budget(noise_multiplier=z, clients_per_round=100).event(50),
      target_epsilon=3.0,
      target_delta=1e-5,
      bracket_interval=dp_accounting.ExplicitBracketInterval(1.0, 100.0),
    )
    z = privacy.solve_noise_multiplier(_budget(clients_per_round=100), 3.0, 50)
    self.assertAlmostEqual(z, expected, delta=1e-4 * expected)

  def test_sigma_of_the_paper(self):
    self.assertAlmostEqual(privacy.noise_multiplier_from_sigma(0.01, 15.0, 10), 0.1 / 15)

  def test_default_delta(self):
    self.assertAlmostEqual(privacy.default_delta(100), 100**-1.1)

  @parameterized.parameters(
    (0.0, 10, 'target_epsilon is 0.0; it must be positive.'),
    (1.0, 0, 'num_rounds is 0; it must be at least 1.'),
    (0.1, 10**12, 'target_epsilon is 0.1; after 1000000000000 rounds no noise multiplier from'),
    (1e30, 10, r'target_epsilon is 1e\+30; after 10 rounds no noise multiplier from 0.001 to'),
  )
  def test_refuses(self, target, num_rounds, message):
    with self.assertRaisesRegex(ValueError, message):
      privacy.solve_noise_multiplier(_budget(), target, num_rounds)


class WordsTest(parameterized.TestCase):
  def test_warns_above_100_only(self):
    self.assertIsNone(privacy.privacy_warning(100.0))
    self.assertIn('epsilon is 735: this protects nobody', privacy.privacy_warning(735.1))
    self.assertIn('epsilon is inf: this protects nobody', privacy.privacy_warning(math.inf))

  @parameterized.parameters(
    ({}, 'Each client takes part in a round with probability 0.1 (Poisson sampling).'),
    ({'is_assumed': True}, 'which is assumed: the run draws exactly 10 of 100'),
    ({}, 'one client more or less'),
    ({'sampling': 'fixed_size'}, 'exactly 10 of 100 clients are drawn without replacement'),
    ({'sampling': 'fixed_size'}, 'one client replaced by another'),
    ({'clients_per_round': 100}, 'no gain from sampling'),
    ({'mechanism': 'tree', 'max_participations': 7}, 'at most 7 rounds'),
    (_BANDED, 'with probability 0.4 (cyclic Poisson sampling)'),
  )
  def test_sampling_text(self, settings, words):
    self.assertIn(words, _budget(**settings).sampling_text)

  def test_accountant_text(self):
    self.assertStartsWith(_budget().accountant_text, 'RDP')
    self.assertStartsWith(_budget(accountant='pld').accountant_text, 'PLD')

  @parameterized.parameters(
    ({'noise_multiplier': -1.0}, 'noise_multiplier is -1.0; it must not be negative.'),
    ({'clients_per_round': 101}, 'clients_per_round is 101; it must be from 1 to .* 100.'),
    ({'delta': 1.0}, 'delta is 1.0; it must lie between 0 and 1.'),
    ({'accountant': 'gdp'}, "accountant is 'gdp'; it must be rdp or pld."),
    ({'sampling': 'iid'}, "sampling is 'iid'; it must be poisson or fixed_size or "),
    ({'mechanism': 'laplace'}, "mechanism is 'laplace'; it must be gaussian or tree or banded."),
    ({'mechanism': 'tree'}, 'max_participations is None; the tree needs'),
    ({'accountant': 'pld', 'sampling': 'fixed_size'}, 'accountant pld needs sampling poisson'),
  )
  def test_refuses(self, settings, message):
    with self.assertRaisesRegex(ValueError, message):
      _budget(**settings)


if __name__ == '__main__':
  absltest.main()
