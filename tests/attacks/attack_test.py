"""Tests of what attacks have in common, and of who attacks."""

import pathlib

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import attacks

_PAGE = pathlib.Path(__file__).parents[2] / 'docs/AGGREGATION.md'


class ChooseMaliciousTest(parameterized.TestCase):
  @parameterized.parameters((10, 0.0, 0), (10, 0.2, 2), (7, 0.5, 4), (100, 0.29, 29), (5, 1.0, 5))
  def test_number(self, num_clients, share, expected):
    is_malicious = attacks.choose_malicious(num_clients, share, seed=3)
    self.assertEqual((is_malicious.dtype, is_malicious.shape), (np.bool_, (num_clients,)))
    self.assertEqual(is_malicious.sum(), expected)

  def test_seed_decides_and_shares_are_nested(self):
    one, same, other = (attacks.choose_malicious(1000, 0.1, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    self.assertTrue(np.any(one != other))
    self.assertTrue(np.all(attacks.choose_malicious(1000, 0.2, 1)[one]))

  def test_every_client_is_as_likely(self):
    chosen = sum(attacks.choose_malicious(5, 0.4, seed).astype(int) for seed in range(1000))
    np.testing.assert_allclose(chosen, 400, atol=5 * np.sqrt(1000 * 0.4 * 0.6))

  @parameterized.parameters(-0.1, 1.1, float('nan'))
  def test_refuses(self, share):
    with self.assertRaisesRegex(ValueError, rf'malicious share is {share}, expected a number in'):
      attacks.choose_malicious(10, share, 0)


def _build(**settings):
  setting = attacks.Setting(cohort_size=10, rule=lambda stack, weights: (stack[0], {}), **settings)
  return {name: entry.build(entry.options(), setting) for name, entry in attacks.ATTACKS.items()}


class EntryTest(parameterized.TestCase):
  def test_every_attack_does_something(self):
    for name, attack in _build().items():
      self.assertTrue(attack.poison or attack.update_attack, name)

  def test_defaults(self):
    strengths = {name: attack.strength for name, attack in _build(server_learning_rate=0.5).items()}
    self.assertEqual(
      strengths,
      {
        'label_flip': None,
        'sign_flip': 4.0,
        'gaussian_noise': 10.0,
        'little_is_enough': None,
        'backdoor': 20.0,
        'inner_product': 2.0,
        'mimic': None,
        'min_max': None,
        'min_sum': None,
        'optimised_inner_product': None,
        'optimised_little_is_enough': None,
      },
    )

  def test_strength_that_is_given(self):
    setting = attacks.Setting(cohort_size=10)
    for name, entry in attacks.ATTACKS.items():
      if entry.option_names():
        attack = entry.build(entry.options(attack_strength=1.5), setting)
        self.assertEqual(attack.strength, 1.5, name)

  @parameterized.parameters(0.0, -1.0, float('nan'))
  def test_strength_is_positive(self, strength):
    with self.assertRaisesRegex(ValueError, f'attack strength is {strength}, expected a positive'):
      attacks.Attack(strength=strength)
    with self.assertRaisesRegex(ValueError, f'attack_strength is {strength}, expected more than 0'):
      attacks.Strength(attack_strength=strength)

  def test_table_of_the_page_has_their_rows(self):
    page = _PAGE.read_text(encoding='utf-8')
    for name, entry in attacks.ATTACKS.items():
      self.assertIn(f'\n| `{name}` | {entry.does} | {entry.strength} |\n', page)


if __name__ == '__main__':
  absltest.main()
