"""Tests of how a pipeline starts, and of how a signal ends it."""

import os
import pathlib
import signal
import subprocess
import sys
from unittest import mock

from absl import flags
from absl.testing import absltest, flagsaver, parameterized

from pipelines import launch
from tests import processes
from tff_lg import environment, errors
from tff_lg.config import option

_NAME = flags.DEFINE_string('launch_test_name', 'nobody', 'A flag of this test.')

_RATE = flags.DEFINE_float('launch_test_rate', 1.0, 'Another one.')

_PROGRAM = """
import os, signal, sys
sys.path[:0] = {path!r}
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
{before}
from pipelines import launch

def wait():
  print('kept')  # Not written yet.
  os.write(1, b'begun\\n')
  signal.sigwaitinfo([signal.SIGUSR1])

def swallow():
  try:
    wait()
  except BaseException:
    pass

def close():
  with launch.stopped_by_exception():
    try:
      wait()
    finally:
      print('closed')

def load():
  import tensorflow

launch.run({main}, after_stop='more to come')
print('over')
"""
_STOPPED = '-c: stopped; more to come.\n'


def _signalled(main, *numbers, before=''):
  """Returns exit code, output and errors of a program that is sent signals once it has begun."""
  program = _PROGRAM.format(path=sys.path, main=main, before=before)
  with subprocess.Popen(
    [sys.executable, '-c', program],
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    env={name: value for name, value in os.environ.items() if name != 'PYTHONUNBUFFERED'},
    text=True,
  ) as process:
    try:
      begun = process.stdout.readline()
      for number in numbers:
        process.send_signal(number)
      out, error = process.communicate(timeout=60)
    finally:
      process.kill()
  return process.returncode, begun + out, error


class SignalTest(parameterized.TestCase):
  @parameterized.parameters(signal.SIGINT, signal.SIGTERM)
  def test_ends_with_a_sentence_where_exceptions_are_swallowed(self, number):
    found = _signalled('swallow', number)
    self.assertEqual(found, (128 + number, 'begun\nkept\n', _STOPPED))

  @parameterized.parameters(signal.SIGINT, signal.SIGTERM)
  def test_ends_with_a_sentence_while_tensorflow_is_imported(self, number):
    folder = self.create_tempdir()
    folder.create_file('tensorflow/__init__.py', 'import __main__\n__main__.wait()\n')
    before = 'from tff_lg import quiet_import\nquiet_import.quiet_tensorflow()\n'
    before += f'sys.path.insert(0, {folder.full_path!r})'
    found = _signalled('load', number, before=before)
    self.assertEqual(found, (128 + number, 'begun\nkept\n', _STOPPED))

  @parameterized.parameters(signal.SIGINT, signal.SIGTERM)
  def test_closes_first_where_that_is_asked_for(self, number):
    found = _signalled('close', number)
    self.assertEqual(found, (128 + number, 'begun\nkept\nclosed\n', _STOPPED))

  def test_a_signal_that_is_ignored_stays_so(self):
    before = 'signal.signal(signal.SIGINT, signal.SIG_IGN)'
    found = _signalled('close', signal.SIGINT, signal.SIGUSR1, before=before)
    self.assertEqual(found, (0, 'begun\nkept\nclosed\nover\n', ''))


# As pip writes it for the command.
_COMMAND = """
import sys
from pipelines.__main__ import main
sys.exit(main())
"""


class EarlySignalTest(parameterized.TestCase):
  @parameterized.product(number=(signal.SIGINT, signal.SIGTERM), is_installed=(False, True))
  def test_signal_during_the_first_imports_ends_with_a_sentence(self, number, is_installed):
    folder = self.create_tempdir()
    command, name = ['-m', 'pipelines.report'], 'report'
    if is_installed:
      command, name = [folder.create_file('bin/tff-lg', _COMMAND).full_path, 'report'], 'tff-lg'
    # What every pipeline imports first.
    wait = "import os, signal\nos.write(1, b'begun\\n')\nsignal.sigwaitinfo([signal.SIGUSR1])\n"
    folder.create_file('absl/__init__.py', wait)
    path = os.pathsep.join([folder.full_path, *filter(None, sys.path)])
    with subprocess.Popen(
      [sys.executable, *command, '--fast'],
      stdout=subprocess.PIPE,
      stderr=subprocess.PIPE,
      env=processes.environment(PYTHONPATH=path),
      text=True,
    ) as process:
      try:
        begun = process.stdout.readline()
        process.send_signal(number)
        _, error = process.communicate(timeout=60)
      finally:
        process.kill()
    self.assertEqual((begun, error), ('begun\n', f'{name}: stopped before it began.\n'))
    self.assertEqual(process.returncode, 128 + number)


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
  def test_unknown_flag_ends_before_main(self):
    main = mock.Mock()
    with mock.patch.object(sys, 'argv', ['program', '--launch_test_nam=ada']):
      with self.assertRaises(SystemExit) as raised:
        launch.run(main)
    self.assertEqual(raised.exception.code, 1)
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
