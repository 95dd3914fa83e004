"""Tests of the flags of `fair`."""

from absl import flags
from absl.testing import absltest, flagsaver, parameterized

from pipelines import fair_flags
from tff_lg.experiments import fair_config


class ReadTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    flags.FLAGS(['fair'])

  def test_lists_become_tuples_of_their_kind(self):
    with flagsaver.flagsaver():
      flags.FLAGS(['fair', '--lambdas=0.5,2', '--seeds=1,3', '--hidden_units=8,4'])
      values = fair_flags.read()
    self.assertEqual(values['lambdas'], (0.5, 2.0))
    self.assertEqual(values['seeds'], (1, 3))
    self.assertEqual(values['hidden_units'], (8, 4))
    self.assertEqual(values['methods'], tuple(fair_config.METHODS))
    self.assertIsNone(values['local_only_learning_rate'])

  def test_fast_is_small_whatever_else_is_given(self):
    with flagsaver.flagsaver(fast=True, num_clients=50, seeds=['7']):
      values = fair_flags.read()
    self.assertEqual((values['num_clients'], values['rounds'], values['seeds']), (2, 2, (7,)))
    self.assertEqual(values['lambdas'], (1.0,))

  @parameterized.parameters(
    ('seeds', ['0', 'one'], '--seeds is 0,one, expected whole numbers with commas between.'),
    ('lambdas', ['x'], '--lambdas is x, expected numbers with commas between.'),
    ('hidden_units', ['3.5'], '--hidden_units is 3.5, expected whole numbers'),
  )
  def test_refuses_other_kinds(self, name, value, sentence):
    with flagsaver.flagsaver(**{name: value}), self.assertRaisesRegex(ValueError, sentence):
      fair_flags.read()


if __name__ == '__main__':
  absltest.main()
