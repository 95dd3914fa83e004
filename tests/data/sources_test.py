"""Tests of the registry."""

import os

from absl.testing import absltest

from tests import processes
from tff_lg.data import examples, sources


class SourcesTest(absltest.TestCase):
  def test_loads_by_name(self):
    self.assertEqual(sources.load_source('digits').name, 'digits')

  def test_names(self):
    self.assertEqual(sources.SOURCE_NAMES, ('arrays', 'cifar10', 'diabetes', 'digits', 'mnist'))

  def test_refuses_unknown_name(self):
    with self.assertRaisesRegex(
      ValueError,
      "Unknown data source 'mnits', expected one of arrays, cifar10, diabetes, digits, mnist",
    ):
      sources.load_source('mnits')

  def test_refuses_missing_folder(self):
    folder = os.path.join(self.create_tempdir().full_path, 'nowhere')
    with self.assertRaisesRegex(examples.DataError, f'{folder} found, expected a folder'):
      sources.load_source('mnist', folder)

  def test_imports_neither_tensorflow_nor_scikit_learn(self):
    code = (
      'import sys, tff_lg.data; '
      'print([name for name in ("tensorflow", "sklearn") if name in sys.modules])'
    )
    output = processes.run_python('-c', code).stdout
    self.assertEqual(output.strip(), '[]')


if __name__ == '__main__':
  absltest.main()
