"""Tests of entries from outside the package, run by flag as those of the package are."""

import json
import pathlib
import re
import sys
from unittest import mock

from absl.testing import absltest, flagsaver

from pipelines import outside, trial_pools
from tests.pipelines import testing
from tff_lg import sweeps

_ROOT = pathlib.Path(__file__).parents[2]


# Modules that pages show, by the module's name, and the page's part that shows it.
_PAGES = {
  'my_method': ('METHODS.md', 'A method of your own'),
  'my_aggregator': ('AGGREGATION.md', 'An aggregator of your own'),
  'my_technique': ('ADAPTATION.md', 'A technique of your own'),
  'my_partition': ('PROTOCOL.md', 'A partition of your own'),
  'my_attack': ('AGGREGATION.md', 'An attack of your own'),
  'my_task': ('YOUR_DATA.md', 'A task of your own'),
  'my_metric': ('METRICS.md', 'A metric of your own'),
  'my_network': ('YOUR_DATA.md', 'A network of your own'),
  'my_store': ('SCALE.md', 'A store of your own'),
  'my_runtime': ('RUNTIME.md', 'A runtime of your own'),
}
# Of a run with all of them.
_FLAGS = {'method': 'decayed', 'decay_strength': 0.5}
_FLAGS |= {'aggregator': 'bounded_mean', 'largest_value': 0.75}
_FLAGS |= {'partition': 'power_law', 'size_power': 0.5}
_FLAGS |= {'attack': 'random_labels', 'random_share': 0.5, 'malicious_share': 0.2}
_FLAGS |= {'task': 'rings', 'ring_noise': 0.2}
_FLAGS |= {'client_store': 'listed', 'runtime': 'few_threads', 'num_threads': 1}


def _documented(module):
  """Returns the module that a page shows."""
  page, title = _PAGES[module]
  text = (_ROOT / 'docs' / page).read_text(encoding='utf-8')
  return re.search('```python\n(.*?)```', text[text.index(f'# {title}\n') :], re.DOTALL)[1]


class OutsideTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)
    for module in _PAGES:
      self.folder.joinpath(f'{module}.py').write_text(_documented(module))
    self.enter_context(mock.patch.object(sys, 'path', [*sys.path, str(self.folder)]))

  def test_runs_by_flag(self):
    run_dir = self.folder / 'run'
    lines = [f'--import={module}\n' for module in _PAGES]
    lines += [f'--{name}={value}\n' for name, value in _FLAGS.items()]
    self.folder.joinpath('preset.flags').write_text(''.join(lines))
    arguments = ('--baselines=fedavg', '--metrics=top_2', f'--run_dir={run_dir}', '--fast')
    result = testing.run('train', f'--flagfile={self.folder}/preset.flags', *arguments)
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn('Decayed FedAvg', result.stdout)
    hparams = json.loads(run_dir.joinpath('hparams.json').read_text())
    self.assertEqual(hparams, hparams | _FLAGS)
    self.assertIn('Decayed FedAvg on rings', run_dir.joinpath('report.html').read_text())
    self.assertIn('zeroed_count', run_dir.joinpath('metrics.csv').read_text())
    summary = json.loads(run_dir.joinpath('summary.json').read_text())
    self.assertEqual(summary['attack/name'], 'random_labels')
    written = run_dir.joinpath('client_states/phase_0/written.csv').read_text().splitlines()
    self.assertEqual([line.split(',')[0] for line in written], [*5 * '1', *5 * '2', *5 * '3'])
    self.assertBetween(summary['pooled_test/top_2'], summary['pooled_test/accuracy'], 1)
    self._adapt(run_dir)

  def _adapt(self, run_dir):
    arguments = [f'--import={module}' for module in _PAGES]
    arguments += ['--fast', f'--from_run={run_dir}', f'--run_dir={run_dir}_adapted']
    result = testing.run('adapt', *arguments, '--adaptation=anchored', '--anchor_strength=0.5,2')
    self.assertEqual(result.returncode, 0, result.stderr)
    hparams = json.loads((self.folder / 'run_adapted/hparams.json').read_text())
    self.assertEqual((hparams['adaptation'], hparams['anchor_strength']), (['anchored'], [0.5]))
    self.assertIn('Anchored', (self.folder / 'run_adapted/report.html').read_text())

  def test_network_runs_by_flag(self):
    run_dir = self.folder / 'run'
    flags = ('--import=my_network', '--model=one_convolution', '--num_filters=3', '--baselines=')
    result = testing.run('train', *flags, '--fast', f'--run_dir={run_dir}')
    self.assertEqual(result.returncode, 0, result.stderr)
    hparams = json.loads(run_dir.joinpath('hparams.json').read_text())
    names = ('task', 'model', 'num_filters')
    self.assertEqual([hparams[name] for name in names], ['digits', 'one_convolution', 3])
    summary = json.loads(run_dir.joinpath('summary.json').read_text())
    # Five clients a round get and send the output's (6 * 6 * 3 + 1) * 10 weights alone.
    self.assertEqual(summary['communication/parameters_total'], 3 * 5 * 2 * 1090)

  def test_network_of_other_tasks_is_refused(self):
    result = testing.run(
      'train', '--import=my_network', '--task=arrays', '--model=one_convolution', '--run_dir=x'
    )
    self.assertRegex(result.stderr, '^train: --model is one_convolution, but --task=arrays has one')

  def test_help_has_its_options(self):
    result = testing.run('train', '--import=my_method', '--help')
    self.assertIn('--decay_strength: Strength of the weight decay (--method=dec', result.stdout)
    self.assertNotIn('decay_strength', testing.run('train', '--help').stdout)

  def test_installed_packages_bring_their_own(self):
    about = self.folder / 'my_package-1.0.dist-info'
    about.mkdir()
    about.joinpath('METADATA').write_text('Metadata-Version: 2.1\nName: my_package\nVersion: 1.0\n')
    about.joinpath('entry_points.txt').write_text('[tff_lg.plugins]\nmine = my_method\n')
    self.assertIn('--decay_strength: Strength', testing.run('train', '--help').stdout)
    about.joinpath('entry_points.txt').write_text('[tff_lg.plugins]\nmine = nowhere\n')
    sentence = 'The plugin mine of an installed package is nowhere, expected a module that can be'
    self.assertStartsWith(testing.run('train', '--help').stderr, sentence)

  def test_contradictions_are_told(self):
    result = testing.run('train', '--import=my_method', '--decay_strength=1', '--run_dir=x')
    self.assertRegex(result.stderr, '^train: --decay_strength .* belongs to --method=decayed.\n$')

  def test_flags_of_trials_count_too(self):
    self.folder.joinpath('other_module.py').write_text('')
    self.addCleanup(sys.modules.pop, 'other_module')
    command = ['sweep', '--seeds', '0-2', '--', '--import', 'other_module']
    outside.import_modules(command)
    self.assertIn('other_module', sys.modules)
    self.enter_context(mock.patch.object(sys, 'argv', command))
    with flagsaver.flagsaver(trials_on='ray'), mock.patch.object(sweeps, 'RayPool') as pool:
      trial_pools.open_pool(lambda config, run_dir: None)
    self.assertEqual(pool.call_args.kwargs['modules'], ('other_module',))

  def test_modules_that_cannot_be_imported(self):
    again = _documented('my_method').replace("'decayed'", "'mtl'")
    self.folder.joinpath('again.py').write_text(again)
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
