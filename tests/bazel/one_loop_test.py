"""There is one loop over rounds: no other module hands a server state from round to round."""

import ast
import pathlib

from absl.testing import absltest

_ROOT = pathlib.Path(__file__).parents[2]
_LOOP = 'tff_lg/training/rounds.py'
# Their processes are TFF's, and each call is a part of a computation.
_INSIDE_OF_A_ROUND = ('tff_lg/aggregators/', 'tff_lg/attacks/')


def _is_round(node):
  """Returns whether a node calls `next` of something called a process with states and data."""
  return (
    isinstance(node, ast.Call)
    and isinstance(node.func, ast.Attribute)
    and node.func.attr == 'next'
    and len(node.args) == 3
    and 'process' in ast.unparse(node.func.value)
  )


def _stored(node):
  """Returns the names that a piece of code assigns to."""
  return {
    ast.unparse(inner)
    for inner in ast.walk(node)
    if isinstance(inner, ast.Name | ast.Attribute) and isinstance(inner.ctx, ast.Store)
  }


def _goes_round(source):
  """Returns whether a loop in this source gives a process a state that it assigns to."""
  loops = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.For | ast.While)]
  return any(
    ast.unparse(node.args[0]) in _stored(loop)
    for loop in loops
    for node in ast.walk(loop)
    if _is_round(node)
  )


class OneLoopTest(absltest.TestCase):
  def test_rounds_are_run_in_one_place(self):
    found, looping = set(), set()
    for path in (
      *_ROOT.joinpath('tff_lg').rglob('*.py'),
      *_ROOT.joinpath('pipelines').rglob('*.py'),
    ):
      name, source = path.relative_to(_ROOT).as_posix(), path.read_text(encoding='utf-8')
      if name.startswith(_INSIDE_OF_A_ROUND):
        continue
      if any(map(_is_round, ast.walk(ast.parse(source)))):
        found.add(name)
      if _goes_round(source):
        looping.add(name)
    self.assertEqual(found, {_LOOP})
    self.assertEmpty(looping)

  def test_a_loop_over_rounds_is_seen(self):
    loop = """
for round_num in range(3):
  output = process.next(server_state, states, data)
  server_state, states = output.server_state, output.client_states
"""
    self.assertTrue(_goes_round(loop))
    self.assertFalse(_goes_round(loop.replace('  server_state,', '  other,')))


if __name__ == '__main__':
  absltest.main()
