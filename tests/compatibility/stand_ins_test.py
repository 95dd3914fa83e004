"""Tests of modules that stand in for packages that are not installed."""

import importlib
import sys
from unittest import mock

from absl.testing import absltest

from tff_lg.compatibility import stand_ins


class StandInFinderTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    finder = stand_ins.StandInFinder({'no_such_package': 'it is a test'})
    self.enter_context(mock.patch.object(sys, 'meta_path', [finder, *sys.meta_path]))
    self.enter_context(mock.patch.dict(sys.modules))

  def test_modules_and_names_at_any_depth(self):
    module = importlib.import_module('no_such_package.inner.core')
    self.assertEqual(module.__name__, 'no_such_package.inner.core')
    self.assertIs(module.Thing, module.Thing)
    self.assertIsInstance(module.Thing.member, type)

  def test_names_can_be_annotated_with_and_inherited_from(self):
    module = importlib.import_module('no_such_package')

    class Mine(module.Thing):
      def method(self, other: module.Other | None) -> list[module.Thing]: ...

    with self.assertRaisesRegex(ImportError, 'Mine is used, but it is not available'):
      Mine()

  def test_using_one_says_what_is_missing(self):
    module = importlib.import_module('no_such_package.inner')
    with self.assertRaisesRegex(
      ImportError,
      r'^no_such_package\.inner\.function is used, but it is not available: it is a test\.$',
    ):
      module.function(1, a=2)

  def test_others_are_still_not_found(self):
    with self.assertRaises(ModuleNotFoundError):
      importlib.import_module('no_such_package_either')


class BarePackageFinderTest(absltest.TestCase):
  def test_parts_of_a_package_whose_init_fails(self):
    folder = self.create_tempdir()
    folder.create_file('failing_package/__init__.py', 'raise ImportError("broken")')
    folder.create_file('failing_package/part.py', 'VALUE = 3')
    with (
      mock.patch.object(sys, 'path', [folder.full_path, *sys.path]),
      mock.patch.dict(sys.modules),
    ):
      with self.assertRaisesRegex(ImportError, 'broken'):
        importlib.import_module('failing_package.part')
      finder = stand_ins.BarePackageFinder(['failing_package', 'no_such_package'])
      with mock.patch.object(sys, 'meta_path', [finder, *sys.meta_path]):
        self.assertEqual(importlib.import_module('failing_package.part').VALUE, 3)
        with self.assertRaises(ModuleNotFoundError):
          importlib.import_module('no_such_package')


if __name__ == '__main__':
  absltest.main()
