"""Tests of how the environment is made, with a stand-in for Python."""

import os
import pathlib
import shutil
import subprocess

from absl.testing import absltest

_ROOT = pathlib.Path(__file__).parents[2]

# Makes a copy of itself for a virtual environment, and writes down what pip is told to install.
_PYTHON = """#!/bin/bash
case "$*" in
  '-c import sys; print("%d.%d" % sys.version_info[:2])') echo 3.12 ;;
  '-c import sys; print(sys.executable)') echo "$0" ;;
  '-m venv --clear '*) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
  '-m pip install '*)
    echo "$*" >>calls
    while [[ $1 != -r ]]; do shift; done
    grep -o '^[a-z][^ ]*==' "$2" >>calls
    grep -c hash "$2" >>calls
    ;;
esac
"""
_LOCK = """setup==1 \\
    --hash=sha256:0
setuptools==2 \\
    --hash=sha256:1 \\
    --hash=sha256:2
    # via something
sqlalchemy==3 \\
    --hash=sha256:3
wheel==4 \\
    --hash=sha256:4
"""


class SetupTest(absltest.TestCase):
  def test_packages_are_built_by_the_tools_of_the_lock(self):
    folder = pathlib.Path(self.create_tempdir().full_path)
    (folder / 'tools').mkdir()
    shutil.copy(_ROOT / 'tools' / 'setup.sh', folder / 'tools')
    (folder / 'requirements.txt').write_text(_LOCK)
    python = folder / 'python'
    python.write_text(_PYTHON)
    python.chmod(0o755)
    subprocess.run(
      ['bash', 'tools/setup.sh'], cwd=folder, env={**os.environ, 'PYTHON': str(python)}, check=True
    )
    first, *tools, num_hashes, second, _, _, _, _, _ = (folder / 'calls').read_text().splitlines()
    self.assertEqual((tools, num_hashes), (['setuptools==', 'wheel=='], '3'))
    for call in (first, second):
      self.assertIn('--require-hashes', call)
      self.assertIn('--no-build-isolation', call)
    self.assertEndsWith(second, '-r requirements.txt')
    self.assertEqual((folder / '.venv' / 'requirements.txt').read_text(), _LOCK)


if __name__ == '__main__':
  absltest.main()
