"""Tests of where TFF's names come from, in 0.87 and in a TFF that has moved its language."""

import ast
import pathlib
import sys
import types
from collections.abc import Iterator
from unittest import mock

from absl.testing import absltest

import benchmarks
import pipelines
import tff_lg
from tff_lg.compatibility import moved, tff

_FOLDERS = [pathlib.Path(room.__file__).parent for room in (tff_lg, pipelines, benchmarks)]


def _module(name: str, **names: object) -> types.ModuleType:
  module = types.ModuleType(name)
  vars(module).update(names)
  return module


def _used_names() -> set[str]:
  """Returns the names in TFF that the project uses, such as `learning.algorithms`."""
  found = set()
  for folder in _FOLDERS:
    for path in folder.rglob('*.py'):
      for node in ast.walk(ast.parse(path.read_text())):
        found |= set(_path_in_tff(node))
  return found


def _path_in_tff(node: ast.AST) -> Iterator[str]:
  names = []
  while isinstance(node, ast.Attribute):
    names.insert(0, node.attr)
    node = node.value
  if names and isinstance(node, ast.Name) and node.id == 'tff':
    yield '.'.join(names)


class JoinTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.language = _module(
      'federated_language',
      TensorType=1,
      framework=_module('f', Block=2, set_no_default_context=3),
      program=_module('p', materialize_value=4),
    )
    self.enter_context(mock.patch.dict(sys.modules, {'federated_language': self.language}))
    self.tff = _module(
      'tensorflow_federated',
      framework=_module('g', local_cpp_executor_factory=5),
      learning=_module('l'),
      tensorflow=_module('t', to_type=6, type_to_tf_tensor_specs=7),
    )

  def test_names_of_both_at_their_paths_in_0_87(self):
    joined = moved.join(self.tff)
    self.assertEqual(joined.TensorType, 1)
    self.assertEqual(joined.framework.Block, 2)
    self.assertEqual(joined.framework.local_cpp_executor_factory, 5)
    self.assertEqual(joined.program.materialize_value, 4)
    self.assertIs(joined.learning, self.tff.learning)

  def test_names_that_have_another_path(self):
    joined = moved.join(self.tff)
    self.assertEqual(joined.types.TensorType, 1)
    self.assertEqual(joined.types.tensorflow_to_type, 6)
    self.assertEqual(joined.types.type_to_tf_tensor_specs, 7)
    self.assertEqual(joined.test.set_no_default_context, 3)

  def test_neither_package_is_changed(self):
    before = dict(vars(self.tff)), dict(vars(self.language))
    moved.join(self.tff)
    self.assertEqual((vars(self.tff), vars(self.language)), before)

  def test_a_name_of_neither(self):
    with self.assertRaisesRegex(AttributeError, r'tensorflow_federated\.framework has no Blok'):
      moved.join(self.tff).framework.Blok  # noqa: B018

  def test_a_tff_that_has_all_of_it_stays_itself(self):
    self.tff.TensorType = 8
    self.assertIs(moved.join(self.tff), self.tff)


class InstalledTest(absltest.TestCase):
  def test_every_name_that_the_project_uses_is_there(self):
    names = _used_names()
    self.assertContainsSubset({'TensorType', 'learning.optimizers.build_sgdm'}, names)
    missing = []
    for name in sorted(names):
      value = tff
      for part in name.split('.'):
        value = getattr(value, part, None)
      if value is None:
        missing.append(name)
    self.assertEmpty(missing)

  @absltest.skipUnless(
    isinstance(tff, moved.JoinedModule),
    'The TFF that is installed has its language itself: nothing is taken from federated_language.',
  )
  def test_the_language_comes_from_its_own_package(self):
    for name in ('TensorType', 'federated_computation', 'CLIENTS', 'framework.Block', 'Value'):
      value = tff
      for part in name.split('.'):
        value = getattr(value, part)
      module = getattr(value, '__module__', type(value).__module__)
      self.assertStartsWith(module, 'federated_language.', name)


if __name__ == '__main__':
  absltest.main()
