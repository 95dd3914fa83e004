"""Tests of attackers who know honest updates, against numpy."""

import functools

import numpy as np
from absl.testing import absltest, parameterized

from tests.attacks import testing
from tff_lg import aggregators, attacks, simulation
from tff_lg.aggregators.factories import gathering

_UPDATES = np.random.default_rng(0).normal(size=[7, 5]).astype(np.float32)
_ATTACKERS = (1, 4)
_HONEST = np.delete(_UPDATES, _ATTACKERS, axis=0)
_STRENGTHS = 0.1 * 1.6 ** np.arange(16)


def setUpModule():
  simulation.set_execution_context()


def _sent(attack, updates=_UPDATES, attackers=_ATTACKERS):
  sent = testing.what_clients_send(
    attack, updates, attackers, np.zeros([len(updates), 2], np.int32)
  )
  np.testing.assert_array_equal(sent, np.tile(sent[:1], [len(updates), 1]))
  return sent[0]


def _rule(name, **options):
  entry = aggregators.AGGREGATORS[name]
  setting = aggregators.Setting(clients_per_round=7, seed=0, budget=None)
  return gathering.first_round(entry.rule(entry.options(**options), setting))


def _bisected(fits):
  """Finds the largest number for which something holds, from zero on."""
  low, high = 0.0, 1e3
  for _ in range(60):
    middle = (low + high) / 2
    low, high = (middle, high) if fits(middle) else (low, middle)
  return low


class KnowingTest(parameterized.TestCase):
  @parameterized.parameters((None, 2.0), (0.5, 0.5))
  def test_inner_product(self, strength, expected):
    sent = _sent(attacks.inner_product(strength))
    np.testing.assert_allclose(sent, -expected * _HONEST.mean(axis=0), rtol=1e-5)

  def test_mimic(self):
    np.testing.assert_array_equal(_sent(attacks.mimic()), _UPDATES[0])
    np.testing.assert_array_equal(_sent(attacks.mimic(), attackers=(0, 1)), _UPDATES[2])

  def test_min_max(self):
    mean, std = _HONEST.mean(axis=0), _HONEST.std(axis=0)
    apart = np.linalg.norm(_HONEST[:, None] - _HONEST[None], axis=2).max()
    gamma = _bisected(lambda by: np.linalg.norm(mean - by * std - _HONEST, axis=1).max() <= apart)
    self.assertGreater(gamma, 0.1)
    np.testing.assert_allclose(_sent(attacks.min_max()), mean - gamma * std, rtol=1e-4)

  def test_min_sum(self):
    mean, std = _HONEST.mean(axis=0), _HONEST.std(axis=0)
    most = np.square(_HONEST[:, None] - _HONEST[None]).sum(axis=2).sum(axis=1).max()
    gamma = _bisected(lambda by: np.square(mean - by * std - _HONEST).sum() <= most)
    self.assertGreater(gamma, 0.1)
    np.testing.assert_allclose(_sent(attacks.min_sum()), mean - gamma * std, rtol=1e-4)

  @parameterized.parameters(attacks.min_max, attacks.min_sum)
  def test_equal_updates_leave_no_room(self, build):
    updates = np.tile(_UPDATES[:1], [4, 1])
    np.testing.assert_allclose(_sent(build(), updates, [0]), updates[0], rtol=1e-6)

  @parameterized.parameters(attacks.inner_product, attacks.mimic, attacks.min_max)
  def test_clients_that_dropped_out_do_not_count(self, build):
    updates = np.concatenate([_UPDATES, np.zeros([2, 5], np.float32)])
    np.testing.assert_allclose(_sent(build(), updates), _sent(build()), rtol=1e-6)

  @parameterized.product(
    rule=('mean', 'median', 'krum'),
    attack=('optimised_inner_product', 'optimised_little_is_enough'),
  )
  def test_strength_is_optimised(self, rule, attack):
    mean, std = _HONEST.mean(axis=0), _HONEST.std(axis=0)
    start, along = (0, -mean) if attack == 'optimised_inner_product' else (mean, -std)
    of_numpy = {
      'mean': functools.partial(np.mean, axis=0),
      'median': functools.partial(np.median, axis=0),
      'krum': _krum,
    }[rule]
    tried = [start + by * along for by in _STRENGTHS]
    moved = [np.linalg.norm(of_numpy(np.stack([*_HONEST, x, x])) - mean) for x in tried]
    self.assertGreater(np.ptp(moved), 1e-3)
    options = {'num_byzantine': 2} if rule == 'krum' else {}
    sent = _sent(getattr(attacks, attack)(_rule(rule, **options)))
    np.testing.assert_allclose(sent, tried[int(np.argmax(moved))], rtol=1e-4, atol=1e-6)

  def test_optimised_attacks_need_a_rule(self):
    entry = attacks.ATTACKS['optimised_inner_product']
    with self.assertRaisesRegex(ValueError, 'is optimised against a rule'):
      entry.build(entry.options(), attacks.Setting(cohort_size=5))

  def test_a_round(self):
    # Updates 1, -2 and 0.5 times (0.4, 0.2), the last an attacker's: it sends the mean, -0.5 times
    # that, times -2. A client alone among attackers leaves them their own updates.
    update = testing.mean_update(attacks.inner_product(), labels=(1, 4, 1.5), attackers=[2])
    np.testing.assert_allclose(update, [0.0, 0.0], atol=1e-6)
    update = testing.mean_update(attacks.inner_product(), labels=(1, 4, 1.5), attackers=[0, 1, 2])
    np.testing.assert_allclose(update, [-0.5 / 3 * 0.4, -0.5 / 3 * 0.2], rtol=1e-5)


def _krum(rows, f=2):
  squared = np.square(rows[:, None] - rows[None]).sum(axis=2)
  scores = np.sort(squared, axis=1)[:, 1 : len(rows) - f - 1].sum(axis=1)
  return rows[int(np.argmin(scores))]


if __name__ == '__main__':
  absltest.main()
