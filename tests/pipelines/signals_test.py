"""Tests of how a signal ends a pipeline."""

import os
import signal
import subprocess
import sys

from absl.testing import absltest, parameterized

_PROGRAM = """
import os, signal, sys
sys.path[:0] = {path!r}
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
{before}
from pipelines import launch, signals

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
  with signals.stopped_by_exception():
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


if __name__ == '__main__':
  absltest.main()
