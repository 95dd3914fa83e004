"""Tests for tff_lg.environment."""

import importlib.metadata
import os
import pathlib
import platform
import re
import sys
from unittest import mock

from absl.testing import absltest

from tests import processes
from tff_lg import environment

_, _VERSIONS = environment.STACKS[sys.version_info[:2]]


def _installed(**changes: str | None):
  """Makes every package look installed as the lock has it, but for the changes (None: missing)."""
  versions = _VERSIONS | {k.replace('_', '-'): v for k, v in changes.items()}

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
      mock.patch.object(sys, 'version_info', (3, 14, 1, 'final', 0)),
      self.assertRaisesRegex(
        environment.UnsupportedEnvironmentError,
        r'needs Python 3\.12 or 3\.11, but this is Python 3\.14\.1 \(.*\): run `make venv`.*\.$',
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
      _installed(numpy='2.0.0', tensorflow='2.15.0'),
      self.assertRaises(environment.UnsupportedEnvironmentError) as caught,
    ):
      environment.check_environment()
    message = str(caught.exception)
    for package, version in (('numpy', '2.0.0'), ('tensorflow', '2.15.0')):
      self.assertIn(f'{package} is {version}, {_VERSIONS[package]} expected', message)
    self.assertNotIn('\n', message)

  def test_expects_what_the_locks_pin(self):
    for lock, versions in environment.STACKS.values():
      text = (pathlib.Path(__file__).parents[1] / lock).read_text()
      pins = dict(re.findall(r'^([a-z0-9-]+)==(\S+)', text, re.MULTILINE))
      self.assertEqual({package: pins[package] for package in versions}, versions, lock)

  def test_the_lock_for_gpus_only_adds(self):
    root = pathlib.Path(__file__).parents[1]
    pins = [
      set(re.findall(r'^[a-z0-9-]+==\S+', (root / lock).read_text(), re.MULTILINE))
      for lock in ('requirements.txt', 'requirements-gpu.txt')
    ]
    self.assertLess(*pins)

  def test_imports_no_tensorflow(self):
    program = (
      'import sys; from tff_lg import environment; environment.check_environment(); '
      'sys.exit("tensorflow" in sys.modules or "numpy" in sys.modules)'
    )
    result = processes.run_python('-c', program)
    self.assertEqual(result.returncode, 0)


class PrepareTensorflowTest(absltest.TestCase):
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

  def test_legacy_keras_unless_the_user_says_otherwise(self):
    for given, expected in ((None, '1'), ('0', '0')):
      with mock.patch.dict(os.environ):
        os.environ.pop(environment.LEGACY_KERAS, None)
        if given is not None:
          os.environ[environment.LEGACY_KERAS] = given
        environment.prepare_tensorflow()
        self.assertEqual(os.environ[environment.LEGACY_KERAS], expected)

  def test_onednn_on_x86_unless_the_user_says_otherwise(self):
    cases = (('x86_64', None, '1'), ('x86_64', '0', '0'), ('aarch64', None, None))
    for machine, given, expected in cases:
      with mock.patch.dict(os.environ), mock.patch.object(platform, 'machine', lambda m=machine: m):
        os.environ.pop(environment.ONEDNN, None)
        if given is not None:
          os.environ[environment.ONEDNN] = given
        environment.prepare_tensorflow()
        self.assertEqual(os.environ.get(environment.ONEDNN), expected)


if __name__ == '__main__':
  absltest.main()
