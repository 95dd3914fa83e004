"""Tests of how a pipeline starts."""

import os
import pathlib
import signal
import subprocess
import sys
from unittest import mock

from absl import flags
from absl.testing import absltest, flagsaver

from pipelines import launch
from tests import processes
from tff_lg import environment, errors
from tff_lg.config import option

_NAME = flags.DEFINE_string('launch_test_name', 'nobody', 'A flag of this test.')

_RATE = flags.DEFINE_float('launch_test_rate', 1.0, 'Another one.')


class BeganTest(absltest.TestCase):
  def test_by_hand(self):
    fields = ' '.join(map(str, range(3, 53))).replace(' 22 ', f' {44 * os.sysconf("SC_CLK_TCK")} ')
    stat = self.create_tempfile('stat', f'7 (a) b) S {fields.removeprefix("3 ")}').full_path
    clock = mock.Mock(monotonic=lambda: 100.0, clock_gettime=lambda _: 50.0)
    with mock.patch.object(launch, 'time', clock):
      self.assertEqual(launch.process_began(stat), 94.0)
      self.assertEqual(launch.process_began(f'{stat}_of_nobody'), 100.0)
      self.assertEqual(launch.process_began(self.create_tempfile('other', '7').full_path), 100.0)

  def test_imports_before_the_first_line_of_a_program_count(self):
    program = 'import time; first = time.monotonic(); from pipelines import launch; '
    program += 'print(launch.BEGAN < first)'
    self.assertEqual(processes.run_python('-c', program).stdout, 'True\n')


class WithoutStderrTest(absltest.TestCase):
  def test_a_program_whose_stderr_is_closed_runs(self):
    program = f'import sys; sys.path[:0] = {sys.path!r}; from pipelines import launch; '
    program += "launch.run(lambda: print('ran'))"
    command = ['/bin/sh', '-c', 'exec "$0" -c "$1" 2>&-', sys.executable, program]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    self.assertEqual((result.returncode, result.stdout), (0, 'ran\n'))


class GivenTest(absltest.TestCase):
  def test_a_flag_that_a_program_needs(self):
    self.assertEqual(launch.given(_NAME, 'a name'), 'nobody')
    with flagsaver.flagsaver(launch_test_name=''):
      sentence = '--launch_test_name is missing, expected a name.'
      with self.assertRaisesRegex(option.ConfigError, sentence):
        launch.given(_NAME, 'a name')


class LaunchTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    for number in (signal.SIGINT, signal.SIGTERM):
      self.addCleanup(signal.signal, number, signal.getsignal(number))

  @flagsaver.flagsaver
  def test_parses_flags_and_hands_on_the_rest(self):
    seen = []
    with mock.patch.object(sys, 'argv', ['program', '--launch_test_name=ada', 'rest']):
      launch.run(lambda argv: seen.append((_NAME.value, list(argv))), takes_arguments=True)
    self.assertEqual(seen, [('ada', ['program', 'rest'])])

  @flagsaver.flagsaver
  def test_wrong_flags_end_before_main(self):
    unknown = "program: Unknown command line flag 'launch_test_nam'. Did you mean: launch_test_name"
    for argument, takes_arguments, sentence in (
      ('--launch_test_nam=ada', False, f'{unknown} ?'),
      ('--launch_test_nam=ada', True, f'{unknown}? Flags of runs follow `--`.'),
      ('--launch_test_name', False, 'program: Missing value for flag --launch_test_name'),
      (
        '--flagfile=/nowhere',
        False,
        "program: Unable to open flagfile: [Errno 2] No such file or directory: '/nowhere'",
      ),
    ):
      main = mock.Mock()
      with mock.patch.object(sys, 'argv', ['program', argument]):
        with self.assertRaises(SystemExit) as raised:
          launch.run(main, takes_arguments=takes_arguments)
      self.assertEqual(raised.exception.code, sentence)
      main.assert_not_called()

  @flagsaver.flagsaver
  def test_argument_ends_before_a_main_that_takes_none(self):
    main = mock.Mock()
    with mock.patch.object(sys, 'argv', ['dir/program.py', 'rest']):
      with self.assertRaises(SystemExit) as raised:
        launch.run(main)
    sentence = "program: Unexpected argument 'rest'; use --name=value."
    self.assertEqual(raised.exception.code, sentence)
    main.assert_not_called()

  @flagsaver.flagsaver
  def test_errors_of_main_are_sentences(self):
    for error, sentence in (
      (option.ConfigError('--a is 1.'), '--a is 1.'),
      (errors.RunFailure('Round 2: no update.'), 'Round 2: no update.'),
      (OSError(28, 'No space', 'x.csv'), 'x.csv cannot be read or written: No space.'),
      (ConnectionError('No cluster.'), 'No cluster.'),
    ):
      with mock.patch.object(sys, 'argv', ['program']):
        with self.assertRaises(SystemExit) as raised:
          launch.run(mock.Mock(side_effect=error))
      self.assertEqual(raised.exception.code, f'program: {sentence}')
    with mock.patch.object(sys, 'argv', ['program']), self.assertRaises(KeyError):
      launch.run(mock.Mock(side_effect=KeyError('a mistake')))

  @flagsaver.flagsaver
  def test_another_environment_ends_before_main(self):
    main, error = mock.Mock(), environment.UnsupportedEnvironmentError('Python 3.9 found.')
    with (
      mock.patch.object(sys, 'argv', ['program']),
      mock.patch.object(environment, 'check_environment', side_effect=error),
      self.assertRaises(SystemExit) as raised,
    ):
      launch.run(main)
    self.assertEqual(raised.exception.code, 'program: Python 3.9 found.')
    main.assert_not_called()

  def test_no_pipeline_repeats_what_launch_does(self):
    for path in sorted(pathlib.Path(launch.__file__).parent.glob('*.py')):
      source = path.read_text(encoding='utf-8')
      if 'launch.run(' in source:
        for text in ('sys.exit', 'check_environment', 'len(argv) > 1', 'error.strerror'):
          self.assertNotIn(text, source, path.name)

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
