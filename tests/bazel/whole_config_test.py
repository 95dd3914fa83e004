"""Which modules take the whole config of a training run; all others take what they need of it."""

import ast
import pathlib

from absl.testing import absltest

_PACKAGE = pathlib.Path(__file__).resolve().parents[2] / 'tff_lg'
# Rooms that make configs.
_ROOMS = ('config', 'experiments')
# The modules of other rooms that run, store, load or change a whole run.
_OUTER = {
  'run_folder/run_settings.py',
  'simulation/aggregation.py',
  'simulation/experiment.py',
  'simulation/loop_values.py',
  'simulation/planned_run.py',
  'simulation/run_phases.py',
  'simulation/trained_run.py',
  'simulation/tuning.py',
}
# Functions, and values that hold one, in all of these together.
_MOST = 14


def _takers(path: pathlib.Path) -> list[str]:
  """Returns the functions with a parameter that is, or holds, a `TrainConfig`, and such fields."""
  names = []
  for node in ast.walk(ast.parse(path.read_text())):
    if isinstance(node, ast.FunctionDef):
      arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
      annotations = [each.annotation for each in arguments if each.annotation]
    elif isinstance(node, ast.ClassDef):
      annotations = [each.annotation for each in node.body if isinstance(each, ast.AnnAssign)]
    else:
      continue
    if any('TrainConfig' in ast.unparse(annotation) for annotation in annotations):
      names.append(node.name)
  return names


class WholeConfigTest(absltest.TestCase):
  def test_only_outer_modules_take_it(self):
    found = {path.relative_to(_PACKAGE).as_posix(): _takers(path) for path in _modules()}
    found = {path: names for path, names in found.items() if names}
    self.assertCountEqual(found, _OUTER)
    self.assertLessEqual(sum(map(len, found.values())), _MOST, found)


def _modules() -> list[pathlib.Path]:
  rooms = [_PACKAGE / room for room in _ROOMS]
  return [path for path in _PACKAGE.rglob('*.py') if not set(rooms) & set(path.parents)]


if __name__ == '__main__':
  absltest.main()
