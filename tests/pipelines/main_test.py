"""Tests of the one command for all pipelines, run as a user runs it."""

import pathlib

from absl.testing import absltest

from pipelines import __main__ as command
from tests import processes

_PIPELINES = pathlib.Path(__file__).parents[2] / 'pipelines'


def _run(*arguments):
  return processes.run_python('-m', 'pipelines', *arguments)


class MainTest(absltest.TestCase):
  def test_lists_every_program(self):
    found = command.list_pipelines()
    programs = {path.stem for path in _PIPELINES.glob('*.py') if 'launch.run(' in path.read_text()}
    self.assertEqual(set(found), programs - {'launch'})
    result = _run('--help')
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertRegex(result.stdout, '\n  train +Trains clients')

  def test_runs_one(self):
    result = _run('train', '--rounds=0', '--run_dir=never')
    self.assertEqual(result.returncode, 1)
    self.assertIn('train: --rounds is 0, expected more than 0.', result.stderr)

  def test_unknown(self):
    result = _run('trian')
    self.assertEqual(result.returncode, 1)
    self.assertIn("tff-lg: Unexpected pipeline 'trian'; expected one of adapt, ", result.stderr)
    self.assertNotIn('Traceback', result.stderr)

  def test_version(self):
    self.assertStartsWith(_run('--version').stdout, 'tff-lg ')


if __name__ == '__main__':
  absltest.main()
