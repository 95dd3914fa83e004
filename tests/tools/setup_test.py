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
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)
    (self.folder / 'tools').mkdir()
    shutil.copy(_ROOT / 'tools' / 'setup.sh', self.folder / 'tools')

  def _run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
      ['bash', 'tools/setup.sh', *arguments],
      cwd=self.folder,
      env={**os.environ, **variables},
      capture_output=True,
      text=True,
      check=False,
    )

  @parameterized.parameters(
    ('3.12', 'requirements.txt', '.venv'),
    ('3.11', 'requirements-3.11.txt', '.venv'),
    ('3.11', 'requirements-3.11.txt', '.venv-3.11'),
    ('3.12', 'requirements-docs.txt', '.venv-docs'),
  )
  def test_installs_wheels_of_the_lock_alone(self, version, lock, environment):
    (self.folder / lock).write_text('the lock')
    python = self.folder / 'python'
    python.write_text(_PYTHON.replace('VERSION', version))
    python.chmod(0o755)
    arguments = [environment] if environment != '.venv' else []
    variables = {'DOCS': '1'} if environment == '.venv-docs' else {}
    result = self._run(*arguments, PYTHON=str(python), **variables)
    self.assertEqual(result.returncode, 0, result.stderr)
    (call,) = (self.folder / 'calls').read_text().splitlines()
    for option in ('--require-hashes', '--only-binary=:all:', '--no-deps'):
      self.assertIn(f' {option} ', call)
    self.assertEndsWith(call, f' -r {lock}')
    self.assertEqual((self.folder / environment / 'requirements.txt').read_text(), 'the lock')

  def test_no_such_python_is_status_3(self):
    for tool in ('bash', 'dirname', 'ls'):  # All that it needs so far.
      (self.folder / tool).symlink_to(shutil.which(tool))
    result = self._run(
      '.venv-3.11', PYTHON='3.11', PATH=str(self.folder), PYENV_ROOT=str(self.folder)
    )
    self.assertEqual(result.returncode, 3, result.stderr)
    self.assertStartsWith(
      result.stderr, 'make: Python 3.11 is needed, but neither PATH nor pyenv has one: install '
    )
    self.assertLen(result.stderr.splitlines(), 1)
    self.assertFalse((self.folder / '.venv-3.11').exists())

  def test_a_python_that_cannot_make_environments_is_status_3(self):
    python = self.folder / 'python'
    python.write_text(
      _PYTHON.replace('VERSION', '3.11').replace('esac', '*ensurepip*) exit 1 ;;\nesac')
    )
    python.chmod(0o755)
    result = self._run(PYTHON=str(python))
    self.assertEqual(result.returncode, 3)
    self.assertIn('has no venv module: install it', result.stderr)


if __name__ == '__main__':
  absltest.main()
