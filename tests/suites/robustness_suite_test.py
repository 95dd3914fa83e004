"""Tests of the entries of suites of robustness."""

from absl.testing import absltest, parameterized

from tests.suites import testing
from tff_lg import aggregators, attacks, suites, sweeps


class NarrowedTest(parameterized.TestCase):
  def test_some_of_the_values(self):
    axes = [sweeps.Axis('similarity', ('0.5', '1')), sweeps.Axis('attack', ('b',))]
    found = testing.SUITE.narrowed(axes)
    self.assertEqual(
      (found.byzantine, found.similarities, found.attacks), ((1, 2), (0.5, 1.0), ('b',))
    )
    self.assertEqual(testing.SUITE.narrowed([]), testing.SUITE)

  @parameterized.parameters(
    ([('attack', ('c',))], r'^--grid=attack=c: expected some of a, b\.$'),
    ([('byzantine', ('1', '3'))], r'^--grid=byzantine=3: expected some of 1, 2\.$'),
    ([('rule', ('mean',))], r'^--grid has rule, expected some of byzantine, similarity, attack'),
    ([('attack', ('a',)), ('attack', ('b',))], 'each once'),
  )
  def test_refuses(self, axes, message):
    with self.assertRaisesRegex(ValueError, message):
      testing.SUITE.narrowed([sweeps.Axis(*axis) for axis in axes])


class EntryTest(parameterized.TestCase):
  def test_small(self):
    small = testing.SUITE.small()
    self.assertEqual((small.num_clients, small.flags['client_steps']), (5, '1'))
    self.assertEqual((small.byzantine, small.similarities, small.attacks), ((1,), (0.5,), ('a',)))

  @parameterized.parameters(('krum',), ('mean', 'mean'))
  def test_rules_that_are_not_there(self, *chosen):
    with self.assertRaisesRegex(ValueError, f'--methods is {",".join(chosen)}, expected some of'):
      testing.SUITE.choose_methods(chosen)


class ByzantineTest(absltest.TestCase):
  def test_every_rule_and_attack_is_there(self):
    suite = suites.ROBUSTNESS_SUITES['byzantine']
    self.assertContainsSubset(suite.attacks, attacks.ATTACKS)
    for rule in suite.rules:
      self.assertIn(rule.aggregator, aggregators.AGGREGATORS)
      self.assertContainsSubset(rule.mixings, aggregators.PRE_AGGREGATORS)
      self.assertIsNotNone(rule.flags(suite.byzantine[0], suite.num_clients))
    self.assertIsNone(suite.rules[-2].flags(5, 20))


if __name__ == '__main__':
  absltest.main()
