"""Tests that commands of all pages are possible: programs, flags, presets and their values.

Each command runs in a fork up to where the work begins: its program parses and checks the flags.
A command of a new page needs nothing here. `executed_commands_test` runs commands to their end.
"""

import ast
import importlib
import importlib.util
import operator
import pathlib
import pkgutil
import re
import types

from absl.testing import absltest, parameterized

from tests.docs import carrying_out, commands
from tests.embeddings import testing

# Pages whose commands leave out the folder of the run: they show many runs of each.
_WITHOUT_FOLDER = ('docs/RESULTS.md',)
_FOLDERS = ('--run_dir=', '--sweep_dir=', '--output')


def setUpModule():  # noqa: N802
  carrying_out.prepare()


class CommandsTest(parameterized.TestCase):
  def _folder(self, command):
    """Makes a folder with the presets of the repository, and the files that a command names."""
    folder = pathlib.Path(self.create_tempdir().full_path)
    commands.add_presets(folder)
    for name, code in commands.imported_module(command).items():
      (folder / f'{name}.py').write_text(code)
    for name in re.findall(r'--flagfile=(runs/\S+)', command.text):  # Written by an earlier run.
      (folder / name).parent.mkdir(parents=True)
      (folder / name).touch()
    return folder

  @parameterized.parameters(*commands.pages())
  def test_programs_accept_their_flags(self, page):
    found = commands.commands(page)
    found += [
      each
      for command in found
      if command.words[0] == 'make'
      for each in commands.recipe(command.words[1])
    ]
    for command in filter(lambda each: each.is_program, found):
      arguments = command.arguments
      room, program = command.module.split('.')
      may_leave_out = room == 'pipelines' and (command.is_quoted or page in _WITHOUT_FOLDER)
      if may_leave_out and not any(each.startswith(_FOLDERS) for each in arguments):
        arguments = [*arguments, '--run_dir=run']
      of_sweep = program in ('sweep', 'mood', 'vqa')
      if of_sweep:
        arguments = commands.smaller_sweep(arguments)
      result = carrying_out.check(command.module, arguments, self._folder(command))
      if '--help' in arguments:
        self.assertIn('flags:\n', result.output, command)
      else:
        self.assertTrue(result.has_reached_work, f'{command}\n{result.output}')

  @parameterized.parameters(*commands.pages())
  def test_other_programs_exist(self, page):
    for command in commands.commands(page):
      program, *arguments = command.words
      if program == 'make':
        commands.recipe(arguments[0])
      elif command.module.startswith('tests.') or program == 'tools/bazel.sh':
        self._check_tests(command)
      elif command.module:
        self.assertIsNotNone(importlib.util.find_spec(command.module), command)
      else:  # A cluster of machines is not at hand.
        self.assertIn(program, ('ray', 'export'), command)

  def _check_tests(self, command):
    if not (commands.ROOT / 'tests/models').exists():
      return  # Bazel gives a test the files of its own room alone.
    if not command.module:
      folder = command.arguments[-1].removeprefix('//').removesuffix('/...')
      self.assertTrue((commands.ROOT / folder / 'BUILD').exists(), command)
      return
    module = importlib.import_module(command.module)
    for name in command.arguments:
      operator.attrgetter(name)(module)


class FlagsTest(parameterized.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    folder = pathlib.Path(testing.class_folder(cls))
    cls.known = {'flagfile'}
    for room in ('pipelines', 'benchmarks'):
      for path in sorted((commands.ROOT / room).rglob('*.py')):
        if "if __name__ == '__main__':" in path.read_text(encoding='utf-8'):
          name = '.'.join(path.relative_to(commands.ROOT).with_suffix('').parts)
          result = carrying_out.run(name.removesuffix('.__main__'), ['--helpxml'], folder)
          names = re.findall(r'<name>(\w+)</name>', result.output)
          cls.known |= {each for name in names for each in (name, f'no{name}')}

  @parameterized.parameters(*commands.pages())
  def test_flags_in_the_text_exist(self, page):
    text = commands.read(page)
    python = ''.join(code for _, language, code in commands.blocks(page) if language == 'python')
    for quoted in re.findall(r'`([^`\n]*)`', text):
      for flag in re.findall(r'(?<![\w-])--(\w+)', quoted):
        if flag.endswith('_'):  # The beginning of several, such as `--client_`.
          self.assertTrue(any(each.startswith(flag) for each in self.known), quoted)
        elif f'  {flag}: ' not in python:  # An option that the page defines.
          self.assertIn(flag, self.known, quoted)

  def test_known_flags(self):
    self.assertContainsSubset({'rounds', 'from_run', 'nosame_clients', 'passes'}, self.known)
    self.assertNotIn('runds', self.known)


class ExtractionTest(absltest.TestCase):
  def test_commands_of_a_page(self):
    found = commands.commands('docs/howto/sweep.md')
    self.assertEqual(
      found[0].arguments,
      [
        '--sweep_dir=runs/sweep',
        '--grid=method=fedavg,lg_fedavg',
        '--grid=classes_per_client=2,5,10',
        '--seeds=0-2',
        '--x_axis=classes_per_client',
        '--',
        '--task=digits',
        '--rounds=20',
      ],
    )
    self.assertEqual((found[0].line, found[0].module), (3, 'pipelines.sweep'))

  def test_words(self):
    text = 'python -m pipelines.adapt --from_run=<a run> --run_dir=$(ls -d x)  # on the first'
    command = commands.Command('page', 1, text)
    self.assertEqual(command.arguments, ['--from_run=a', '--run_dir=folder'])
    command = commands.Command('page', 1, '~/tff-lg/bin/tff-lg train --fast')
    self.assertEqual((command.module, command.arguments), ('pipelines.train', ['--fast']))
    command = commands.Command('page', 1, 'make demo')
    self.assertEqual((command.module, command.arguments), ('', ['demo']))

  def test_recipe(self):
    (command,) = commands.recipe('demo')
    self.assertEqual(command.module, 'pipelines.advise')
    with self.assertRaisesRegex(ValueError, 'make has no target nothing.'):
      commands.recipe('nothing')

  def test_smaller_sweep(self):
    arguments = ['--grid=a=1,2', '--grid=b=1,2;3;4', '--seeds=0-9', '--heat_map', '--', '--c=1,2']
    self.assertEqual(
      commands.smaller_sweep(arguments),
      ['--grid=a=1,2', '--grid=b=1,2;3;4', '--heat_map', '--seeds=0', '--', '--c=1,2'],
    )
    self.assertEqual(
      commands.smaller_sweep(arguments, one_point=True),
      ['--grid=a=1', '--grid=b=1,2;3', '--seeds=0', '--', '--c=1,2'],
    )

  def test_wrong_flags_values_and_presets_are_found(self):
    for arguments, message in (
      (['--runds=3'], "Unknown command line flag 'runds'"),
      (['--method=fedavgg'], 'value should be one of'),
      (['--flagfile=pipelines/configs/nothing.flags'], 'Unable to open flagfile'),
      (['--task=text', '--attack=backdoor'], 'train: --attack'),
    ):
      folder = pathlib.Path(self.create_tempdir().full_path)
      result = carrying_out.check('pipelines.train', [*arguments, '--run_dir=run'], folder)
      self.assertEqual((result.code, result.has_reached_work), (1, False), arguments)
      self.assertIn(message, result.output)


class PythonTest(parameterized.TestCase):
  @parameterized.parameters(*commands.pages())
  def test_python_uses_names_that_exist(self, page):
    for number, language, code in commands.blocks(page):
      if language != 'python':
        self.assertNotRegex(code, r'(?m)^\s*(?:from \S+ )?import ', f'{page}:{number} is Python')
        continue
      tree = ast.parse(code, f'{page}:{number}')
      modules = {}
      for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or '').split('.')[0] == 'tff_lg':
          for alias in node.names:
            imported = pkgutil.resolve_name(f'{node.module}.{alias.name}')
            if isinstance(imported, types.ModuleType):
              modules[alias.asname or alias.name] = imported
      for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
          module = modules.get(node.value.id)
          if module is not None and node.value.id != 'tff':
            self.assertTrue(hasattr(module, node.attr), f'{page}:{number}: {ast.unparse(node)}')


if __name__ == '__main__':
  absltest.main()
