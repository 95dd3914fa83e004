"""Tests of the flags of a suite's trials: whose they are, and the configs that they make."""

from absl import flags
from absl.testing import absltest

from pipelines import suite_trials
from tff_lg import suites


class SplitArgumentsTest(absltest.TestCase):
  def test_flags_that_adaptation_alone_has_are_its_own(self):
    self.assertEqual(
      suite_trials.split_arguments(['--batch_size=16', '--epochs=3', '--rounds=2']),
      (('--batch_size=16', '--rounds=2'), ('--epochs=3',)),
    )

  def test_value_of_the_wrong_type(self):
    with self.assertRaisesRegex(flags.Error, "--epochs=few.*'few'"):
      suite_trials.split_arguments(['--epochs=few'])


class MakeConfigTest(absltest.TestCase):
  def test_user_decides_about_adaptation_and_small_runs_are_short(self):
    arguments = ('--from_run=run', '--epochs=100')
    for is_fast, given, epochs in ((False, (), 100), (True, (), 2), (True, ('--epochs=3',), 3)):
      make = suite_trials.make_config(is_fast, given)
      self.assertEqual(make('adapt', arguments).epochs, epochs)

  def test_training_has_no_flags_of_adaptation(self):
    make = suite_trials.make_config(True, ('--epochs=3',))
    self.assertEqual(make(suites.TRAIN, ('--task=digits', '--rounds=7')).rounds, 7)


if __name__ == '__main__':
  absltest.main()
