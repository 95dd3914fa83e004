"""Tests of how a signal ends a program during its first imports."""

import os
import signal
import subprocess
import sys

from absl.testing import absltest, parameterized

from tests import processes

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


if __name__ == '__main__':
  absltest.main()
