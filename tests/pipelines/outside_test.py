"""Tests of methods from outside the package, run by flag as those of the package are."""

import json
import pathlib
import re
import sys
from unittest import mock

from absl.testing import absltest

from pipelines import outside
from tests.pipelines import testing

_ROOT = pathlib.Path(__file__).parents[2]


def _documented() -> str:
  """The method that the page on methods shows."""
  return re.search('```python\n(.*?)```', (_ROOT / 'docs/METHODS.md').read_text(), re.DOTALL)[1]


class OutsideTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)
    self.folder.joinpath('my_method.py').write_text(_documented())
    self.enter_context(mock.patch.object(sys, 'path', [*sys.path, str(self.folder)]))

  def test_runs_by_flag(self):
    run_dir = self.folder / 'run'
    self.folder.joinpath('preset.flags').write_text('--import=my_method\n--method=decayed\n')
    arguments = ('--decay_strength=0.5', '--baselines=fedavg', f'--run_dir={run_dir}', '--fast')
    result = testing.run('train', f'--flagfile={self.folder}/preset.flags', *arguments)
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn('Decayed FedAvg', result.stdout)
    hparams = json.loads(run_dir.joinpath('hparams.json').read_text())
    self.assertEqual((hparams['method'], hparams['decay_strength']), ('decayed', 0.5))
    self.assertIn('Decayed FedAvg', run_dir.joinpath('report.html').read_text())

  def test_help_has_its_options(self):
    result = testing.run('train', '--import=my_method', '--help')
    self.assertIn('--decay_strength: Strength of the weight decay (--method=dec', result.stdout)
    self.assertNotIn('decay_strength', testing.run('train', '--help').stdout)

  def test_contradictions_are_told(self):
    result = testing.run('train', '--import=my_method', '--decay_strength=1', '--run_dir=x')
    self.assertRegex(result.stderr, '^train: --decay_strength .* belongs to --method=decayed.\n$')

  def test_flags_of_trials_count_too(self):
    self.folder.joinpath('other_module.py').write_text('')
    self.addCleanup(sys.modules.pop, 'other_module')
    outside.import_modules(['sweep', '--seeds', '0-2', '--', '--import', 'other_module'])
    self.assertIn('other_module', sys.modules)

  def test_modules_that_cannot_be_imported(self):
    self.folder.joinpath('again.py').write_text(_documented().replace("'decayed'", "'mtl'"))
    for name, sentence in (
      ('nowhere', '--import is nowhere, expected a module that can be imported: No module named'),
      ('again', '--import is again, .*: method mtl is registered already, expected a new name.'),
    ):
      result = testing.run('train', f'--import={name}', '--help')
      self.assertEqual(result.returncode, 1)
      self.assertRegex(result.stderr, f'^{sentence}')
      self.assertEqual(result.stderr.count('\n'), 1)


if __name__ == '__main__':
  absltest.main()
