"""Tests of how a pipeline starts."""

import sys
from unittest import mock

from absl import flags
from absl.testing import absltest, flagsaver

from pipelines import launch

_NAME = flags.DEFINE_string('launch_test_name', 'nobody', 'A flag of this test.')

_RATE = flags.DEFINE_float('launch_test_rate', 1.0, 'Another one.')


class LaunchTest(absltest.TestCase):
  @flagsaver.flagsaver
  def test_parses_flags_and_hands_on_the_rest(self):
    seen = []
    with mock.patch.object(sys, 'argv', ['program', '--launch_test_name=ada', 'rest']):
      launch.run(lambda argv: seen.append((_NAME.value, list(argv))))
    self.assertEqual(seen, [('ada', ['program', 'rest'])])

  @flagsaver.flagsaver
  def test_unknown_flag_ends_before_main(self):
    main = mock.Mock()
    with mock.patch.object(sys, 'argv', ['program', '--launch_test_nam=ada']):
      with self.assertRaises(SystemExit) as raised:
        launch.run(main)
    self.assertEqual(raised.exception.code, 1)
    main.assert_not_called()

  @flagsaver.flagsaver
  def test_number_that_is_not_finite_ends_before_main(self):
    main = mock.Mock()
    with mock.patch.object(sys, 'argv', ['dir/program.py', '--launch_test_rate=-inf']):
      with self.assertRaises(SystemExit) as raised:
        launch.run(main)
    sentence = 'program: --launch_test_rate is -inf, expected a finite number.'
    self.assertEqual(raised.exception.code, sentence)
    main.assert_not_called()


if __name__ == '__main__':
  absltest.main()
