"""Which room imports which, compared with what its BUILD file says; Bazel refuses circles."""

import ast
import pathlib
import re

from absl.testing import absltest, parameterized

_ROOT = pathlib.Path(__file__).resolve().parents[2]
_ROOMS = sorted(
  path.parent.relative_to(_ROOT).as_posix()
  for folder in ('tff_lg', 'pipelines', 'benchmarks')
  for path in _ROOT.joinpath(folder).rglob('BUILD')
)


def _room(module: str) -> str | None:
  """Returns the room of a module, `tff_lg/data` for `tff_lg.data.partitioners.iid`."""
  names = module.split('.')
  rooms = ('/'.join(names[:length]) for length in range(len(names), 0, -1))
  return next((room for room in rooms if room in _ROOMS), None)


def _imported(room: str) -> set[str]:
  """Returns the other rooms that the files of a room import, at their top or in a function."""
  modules = set()
  for path in _ROOT.joinpath(room).rglob('*.py'):
    if _room('.'.join(path.relative_to(_ROOT).parent.parts)) != room:
      continue
    for node in ast.walk(ast.parse(path.read_text())):
      if isinstance(node, ast.ImportFrom):
        modules |= {f'{node.module}.{alias.name}' for alias in node.names}
      elif isinstance(node, ast.Import):
        modules |= {alias.name for alias in node.names}
  return {_room(module) for module in modules} - {None, room}


def _declared(room: str) -> set[str]:
  """Returns the rooms in `deps` of a room's BUILD file."""
  for node in ast.walk(ast.parse(_ROOT.joinpath(room, 'BUILD').read_text())):
    if isinstance(node, ast.keyword) and node.arg == 'deps':
      return {label.removeprefix('//') for label in ast.literal_eval(node.value)}
  return set()


# What all rooms may import.
_GROUND = {'tff_lg', 'tff_lg/compatibility'}


def _docstring(room: str) -> str:
  """Returns the docstring of a room, on one line."""
  tree = ast.parse(_ROOT.joinpath(room, '__init__.py').read_text())
  return ' '.join((ast.get_docstring(tree) or '').split())


def _named(room: str) -> set[str] | None:
  """Returns the rooms that a room's docstring lets it import; None if it says nothing of them."""
  sentence = re.search(r'May import: .*?\.(?= |$)', _docstring(room))
  if sentence is None:
    return None
  return {name.replace('.', '/') for name in re.findall(r'`(tff_lg[\w.]*)`', sentence[0])}


def _allowed(room: str) -> set[str]:
  """Returns the rooms that a room names, and those that these may import."""
  named = _named(room) or set()
  return named.union(*map(_allowed, named))


class RoomsTest(parameterized.TestCase):
  @parameterized.parameters(*_ROOMS)
  def test_imports_are_those_of_the_build_file(self, room):
    self.assertEqual(_imported(room), _declared(room))

  @parameterized.parameters(*(room for room in _ROOMS if room.startswith('tff_lg/')))
  def test_docstring_says_what_it_may_import(self, room):
    if room not in _GROUND:
      self.assertIsNotNone(_named(room), 'expected a sentence that begins with May import:')
      self.assertContainsSubset(_declared(room) - _GROUND, _allowed(room))
      self.assertContainsSubset(_named(room), _declared(room))

  def test_rooms_import_those_above_them_in_the_list_of_the_package(self):
    order = re.findall(r'\* `(tff_lg\.\w+)`:', _docstring('tff_lg'))
    order = [name.replace('.', '/') for name in order]
    self.assertContainsSubset({'tff_lg/data', 'tff_lg/analysis'}, order)
    for number, room in enumerate(order):
      self.assertEmpty(_declared(room) & set(order[number:]), room)

  def test_the_rooms_are_there(self):
    self.assertContainsSubset({'tff_lg', 'tff_lg/learning', 'pipelines', 'benchmarks'}, _ROOMS)
    self.assertEqual(_room('tff_lg.data.partitioners.iid'), 'tff_lg/data')
    self.assertEqual(_room('tff_lg.files'), 'tff_lg')
    self.assertIsNone(_room('numpy.random'))

  def test_learning_imports_neither_simulation_nor_config(self):
    rooms = {'tff_lg/config', 'tff_lg/simulation'}
    self.assertEmpty(rooms & _declared('tff_lg/learning'))


if __name__ == '__main__':
  absltest.main()
