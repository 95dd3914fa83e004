"""Tests of how the environment is made, with a stand-in for Python."""

import os
import pathlib
import shutil
import subprocess

from absl.testing import absltest, parameterized

_ROOT = pathlib.Path(__file__).parents[2]

# Makes a copy of itself for a virtual environment, and writes down what pip is told to install.
_PYTHON = """#!/bin/bash
case "$*" in
  '-c import sys; print("%d.%d" % sys.version_info[:2])') echo VERSION ;;
  '-c import sys; print(sys.executable)') echo "$0" ;;
  '-m venv --clear '*) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
  '-m pip install '*) echo "$*" >>calls ;;
esac
"""


class SetupTest(parameterized.TestCase):
  @parameterized.parameters(('3.12', 'requirements.txt'), ('3.11', 'requirements-3.11.txt'))
  def test_installs_wheels_of_the_lock_alone(self, version, lock):
    folder = pathlib.Path(self.create_tempdir().full_path)
    (folder / 'tools').mkdir()
    shutil.copy(_ROOT / 'tools' / 'setup.sh', folder / 'tools')
    (folder / lock).write_text('the lock')
    python = folder / 'python'
    python.write_text(_PYTHON.replace('VERSION', version))
    python.chmod(0o755)
    subprocess.run(
      ['bash', 'tools/setup.sh'], cwd=folder, env={**os.environ, 'PYTHON': str(python)}, check=True
    )
    (call,) = (folder / 'calls').read_text().splitlines()
    for option in ('--require-hashes', '--only-binary=:all:', '--no-deps'):
      self.assertIn(f' {option} ', call)
    self.assertEndsWith(call, f' -r {lock}')
    self.assertEqual((folder / '.venv' / 'requirements.txt').read_text(), 'the lock')


if __name__ == '__main__':
  absltest.main()
