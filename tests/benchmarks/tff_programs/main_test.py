"""Tests of the command that prints a table of programs by TFF's module."""

import contextlib
import io

from absl import flags
from absl.testing import absltest, flagsaver, parameterized

from benchmarks.tff_programs import __main__ as command
from benchmarks.tff_programs import measure, program, registry

flags.FLAGS.mark_as_parsed()


def _printed():
  output = io.StringIO()
  with contextlib.redirect_stdout(output):
    command.main()
  return output.getvalue()


class MainTest(parameterized.TestCase):
  @flagsaver.flagsaver(runtimes=['local'], modules=['tff.some'], details=True)
  def test_table_and_reasons(self):
    programs = program.Programs('tff.some')
    programs.add(1, name='right')(lambda: lambda: 1)
    programs.add(1, name='wrong')(lambda: lambda: 2)
    patch = absltest.mock.patch.object
    self.enter_context(patch(registry, 'by_module', lambda: {'tff.some': programs}))
    # This process has used TensorFlow, so that a fork of it could not.
    self.enter_context(patch(measure, 'run_apart', lambda *args: list(measure.run(*args))))
    lines = _printed().splitlines()
    self.assertEqual(lines[0].split()[:4], ['module', 'programs', 'passed,', 'local'])
    reason = 'tff.some: wrong on local: AssertionError: the result is 2, expected 1'
    self.assertEqual(lines[2].split(), ['wrong', '0', '–', '–'])
    self.assertEqual(lines[3], reason)
    self.assertEqual(lines[4].split()[:3], ['tff.some', '2', '1'])
    self.assertEqual(lines[5].split()[:3], ['all', '2', '1'])
    self.assertEqual(lines[-1], reason)

  @parameterized.parameters(
    ({'runtimes': ['remote']}, '--runtimes is remote, expected one or two of local, tff'),
    ({'modules': ['tff.no']}, '--modules has tff.no, expected some of tff, tff.tensorflow, '),
  )
  def test_refuses(self, options, message):
    with flagsaver.flagsaver(**options), self.assertRaisesRegex(SystemExit, message):
      _printed()


if __name__ == '__main__':
  absltest.main()
