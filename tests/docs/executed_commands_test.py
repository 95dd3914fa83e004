"""Tests that commands of pages run to their end, in a fast form.

Pages of `_RUN` are run, and so are pages that come new to these folders. Commands of all other
pages run up to where the work begins, see `commands_test`. The reasons are:

- RESULTS and PROTOCOL have published settings, which take hours.
- BENCHMARKS and RUNTIME time the machine.
- CLUSTER and SCALE need several machines or much data.
- The remaining pages have many variants of what tests of their pipelines and rooms run.
"""

import os
import pathlib
import shutil

from absl.testing import absltest, parameterized

from tests.docs import carrying_out, commands
from tests.embeddings import testing

# Pages for a first use and for one task each, and those with one short command.
_RUN = ('README.md', 'docs/THEORY.md', 'docs/howto/', 'docs/tutorials/')
# Pages that another test runs whole.
_RUN_ELSEWHERE = {
  'docs/tutorials/cgau.md': 'cgau_tutorial_test',
  'docs/tutorials/own_method.md': 'tutorials_test',
}
# Commands of these pages that only `commands_test` runs, by what they contain, and why.
_NOT_RUN = {
  '--all_clients': 'writes many models; tests/pipelines/export_test.py does so',
  '--global_layers=auto': 'tries six splits; tests/simulation/split_choice_test.py does so',
  'pipelines.advise': 'trains many models; tests/pipelines/advise_test.py does so',
  'pipelines.train --task=table': 'needs a table; tests/pipelines/train_table_test.py has one',
  '--grid=attack=': 'each trial is a process of seconds; the sweep of howto/sweep.md runs',
}
_SMALLER = ('--fast', '--baselines=', '--rounds=2')
# What makes a command fast, by its pipeline, or by a preset whose clients later commands name.
_FASTER = {
  'adapt': ('--fast', '--adaptation=fine_tune', '--max_clients=2', '--own_models=linear'),
  'sweep': _SMALLER,
  'theory': ('--fast',),
  'train': _SMALLER,
}
_DEMO = '--flagfile=pipelines/configs/demo.flags'
_FASTER |= {_DEMO: ('--warm_start_rounds=1', '--rounds=1', '--baselines=')}
# The flags of a pipeline that name finished runs.
_READ = {
  'adapt': ('--from_run',),
  'benchmark': ('--runs',),
  'export': ('--run_dir',),
  'report': ('--run_dir', '--compare_with'),
}


def _pages():
  return [
    page
    for page in commands.pages()
    if page.startswith(_RUN) and page not in _RUN_ELSEWHERE and _commands(page)
  ]


def _commands(page):
  return [
    command
    for command in commands.commands(page)
    if command.module.startswith('pipelines.')
    and command.arguments not in ([], ['--help'])
    and not any(text in command.text for text in _NOT_RUN)
  ]


def setUpModule():  # noqa: N802
  # Once for all forks; what has been imported is not run.
  from tff_lg import analysis, personalization, simulation

  del analysis, personalization, simulation


def _fast(command):
  pipeline = command.module.removeprefix('pipelines.')
  arguments = command.arguments
  if pipeline == 'sweep':
    arguments = commands.smaller_sweep(arguments, one_point=True)
  return [*arguments, *_FASTER.get(_DEMO if _DEMO in arguments else pipeline, ())]


class ExecutedCommandsTest(parameterized.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.earlier = None

  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)
    commands.add_presets(self.folder)

  def _provide(self, command):
    """Copies a run to where a command expects one of an earlier page."""
    flags = _READ.get(command.module.removeprefix('pipelines.'), ())
    paths = [
      path
      for name, _, value in (each.partition('=') for each in command.arguments)
      if name in flags
      for path in value.split(',')
    ]
    paths += [os.path.dirname(each) for each in command.arguments if each.endswith('/flags.txt')]
    for path in (each.removeprefix('--flagfile=') for each in paths):
      if not (self.folder / path).exists():
        shutil.copytree(self._earlier(), self.folder / path)

  def _earlier(self):
    cls = type(self)
    if cls.earlier is None:
      folder = pathlib.Path(testing.class_folder(cls))
      commands.add_presets(folder)
      arguments = (_DEMO, *_FASTER[_DEMO], '--run_dir=run')
      result = carrying_out.run('pipelines.train', arguments, folder)
      self.assertEqual(result.code, 0, result.output)
      cls.earlier = folder / 'run'
    return cls.earlier

  @parameterized.parameters(*_pages())
  def test_commands_of_a_page(self, page):
    for command in _commands(page):
      self._provide(command)
      result = carrying_out.run(command.module, _fast(command), self.folder)
      self.assertEqual(result.code, 0, f'{command}\n{result.output}')
    if page.startswith('docs/howto/'):  # Other pages' Python has tests of its own.
      for number, language, code in commands.blocks(page):
        if language == 'python' and "'runs/" not in code:  # Which may be runs of other kinds.
          result = carrying_out.run_python(code, self.folder)
          self.assertEqual(result.code, 0, f'{page}:{number}\n{result.output}')

  def test_pages_that_are_run_elsewhere(self):
    for page, test in _RUN_ELSEWHERE.items():
      text = (pathlib.Path(__file__).parent / f'{test}.py').read_text(encoding='utf-8')
      self.assertIn(pathlib.Path(page).name, text)


if __name__ == '__main__':
  absltest.main()
