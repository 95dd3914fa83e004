"""Tests for tff_lg.environment."""

import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys
from unittest import mock

from absl.testing import absltest

from tff_lg import environment


def _installed(**changes: str | None):
  """Makes every package look installed as the lock has it, but for the changes (None: missing)."""
  versions = environment.PACKAGE_VERSIONS | {k.replace('_', '-'): v for k, v in changes.items()}

  def version(package: str) -> str:
    if versions.get(package) is None:
      raise importlib.metadata.PackageNotFoundError(package)
    return versions[package]

  return mock.patch.object(importlib.metadata, 'version', version)


class CheckEnvironmentTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    # Restores what the function sets.
    self.enter_context(mock.patch.dict(os.environ))

  def test_accepts_the_versions_of_the_lock(self):
    with _installed():
      environment.check_environment()

  def test_accepts_the_environment_of_these_tests(self):
    environment.check_environment()

  def test_refuses_another_python(self):
    with (
      _installed(),
      mock.patch.object(sys, 'version_info', (3, 12, 1, 'final', 0)),
      self.assertRaisesRegex(
        environment.UnsupportedEnvironmentError,
        r'needs Python 3\.11, but this is Python 3\.12\.1 \(.*\): run `make venv`.*\.$',
      ),
    ):
      environment.check_environment()

  def test_names_a_missing_package(self):
    with (
      _installed(tensorflow_federated=None),
      self.assertRaisesRegex(
        environment.UnsupportedEnvironmentError,
        r'\(tensorflow-federated is missing, 0\.87\.0 expected\): run `make venv`',
      ),
    ):
      environment.check_environment()

  def test_names_every_other_version_in_one_sentence(self):
    with (
      _installed(numpy='2.1.0', jaxlib='0.4.14'),
      self.assertRaises(environment.UnsupportedEnvironmentError) as caught,
    ):
      environment.check_environment()
    message = str(caught.exception)
    self.assertIn('(jaxlib is 0.4.14, 0.4.13 expected; numpy is 2.1.0, 1.25.2 expected)', message)
    self.assertNotIn('\n', message)

  def test_expects_what_the_lock_pins(self):
    lock = (pathlib.Path(__file__).parents[1] / 'requirements.txt').read_text()
    pins = dict(re.findall(r'^([a-z0-9-]+)==(\S+)', lock, re.MULTILINE))
    for package, version in environment.PACKAGE_VERSIONS.items():
      self.assertEqual(pins[package], version, package)

  def test_imports_no_tensorflow(self):
    program = (
      'import sys; from tff_lg import environment; environment.check_environment(); '
      'sys.exit("tensorflow" in sys.modules or "numpy" in sys.modules)'
    )
    paths = {'PYTHONPATH': os.pathsep.join(filter(None, sys.path))}
    result = subprocess.run([sys.executable, '-c', program], env=os.environ | paths, check=False)
    self.assertEqual(result.returncode, 0)


class QuietTensorflowLogTest(absltest.TestCase):
  def test_sets_the_level_when_the_user_has_not(self):
    with mock.patch.dict(os.environ):
      os.environ.pop('TF_CPP_MIN_LOG_LEVEL', None)
      with _installed():
        environment.check_environment()
      self.assertEqual(os.environ['TF_CPP_MIN_LOG_LEVEL'], '3')

  def test_keeps_the_level_of_the_user(self):
    with mock.patch.dict(os.environ, {'TF_CPP_MIN_LOG_LEVEL': '0'}):
      environment.prepare_tensorflow()
      self.assertEqual(os.environ['TF_CPP_MIN_LOG_LEVEL'], '0')


if __name__ == '__main__':
  absltest.main()
