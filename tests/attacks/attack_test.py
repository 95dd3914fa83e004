"""Tests of what attacks have in common, and of who attacks."""

import inspect

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import attacks


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


class RegistryTest(parameterized.TestCase):
  def test_names(self):
    options = attacks.AttackOptions(cohort_size=10)
    for name, factory in attacks.ATTACKS.items():
      attack = factory(options)
      self.assertEqual(attack.name, name)
      self.assertTrue(attack.poison or attack.update_attack)
      self.assertIn('Args:', inspect.getdoc(factory))

  def test_defaults(self):
    strengths = {
      name: factory(attacks.AttackOptions(cohort_size=10, server_learning_rate=0.5)).strength
      for name, factory in attacks.ATTACKS.items()
    }
    self.assertEqual(
      strengths,
      {
        'label_flip': None,
        'sign_flip': 4.0,
        'gaussian_noise': 10.0,
        'little_is_enough': None,
        'backdoor': 20.0,
      },
    )

  @parameterized.parameters(0.0, -1.0, float('nan'))
  def test_strength_is_positive(self, strength):
    with self.assertRaisesRegex(ValueError, f'attack strength is {strength}, expected a positive'):
      attacks.AttackOptions(cohort_size=10, strength=strength)


if __name__ == '__main__':
  absltest.main()
