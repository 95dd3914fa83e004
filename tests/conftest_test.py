"""Tests of how pytest runs the test modules."""

import os
import pathlib
import shutil
import subprocess
import sys

from absl.testing import absltest

from tests import conftest

_MODULE = """\
from absl import flags
from absl.testing import absltest

flags.DEFINE_string('run_dir', None, 'Of this program.')


class ModuleTest(absltest.TestCase):
  def test_number(self):
    self.assertEqual({number}, 1)


if __name__ == '__main__':
  absltest.main()
"""


class ModulesTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.root = pathlib.Path(self.create_tempdir().full_path)
    (self.root / 'tests' / 'room').mkdir(parents=True)
    (self.root / 'pytest.ini').write_text('[pytest]\npython_files = *_test.py\n')
    shutil.copy(conftest.__file__, self.root / 'tests' / 'conftest.py')

  def _write(self, name, number):
    (self.root / 'tests' / f'{name}_test.py').write_text(_MODULE.format(number=number))

  def _run(self):
    return subprocess.run(
      [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests'],
      cwd=self.root,
      capture_output=True,
      text=True,
      check=False,
      # Bazel's path has a package `tests` of its own.
      env={name: value for name, value in os.environ.items() if name != 'PYTHONPATH'},
    )

  def test_modules_that_define_the_same_flag(self):
    self._write('first', 1)
    self._write('room/second', 1)
    result = self._run()
    self.assertEqual(result.returncode, 0, result.stdout)
    self.assertIn('2 passed', result.stdout)

  def test_a_failure_is_a_failure_and_is_shown(self):
    self._write('first', 1)
    self._write('room/second', 2)
    result = self._run()
    self.assertEqual(result.returncode, 1, result.stdout)
    for text in ('AssertionError: 2 != 1', 'tests.room.second_test ended with 1', '1 failed'):
      self.assertIn(text, result.stdout)

  def test_a_module_that_cannot_be_imported_fails(self):
    (self.root / 'tests' / 'first_test.py').write_text('import no_such_module\n')
    result = self._run()
    self.assertEqual(result.returncode, 1, result.stdout)
    self.assertIn("No module named 'no_such_module'", result.stdout)


if __name__ == '__main__':
  absltest.main()
