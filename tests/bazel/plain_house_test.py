"""Tests the rules that every module keeps to."""

import ast
import collections
import pathlib
import re

from absl.testing import absltest

from tff_lg import file_names

_ROOT = pathlib.Path(__file__).parents[2]
_TAG = r'</?(p|h\d|t[rdh]|table|thead|tbody|div|dl|dt|dd|pre|code|span|wbr)( class=.*)?/?>'


# An ending does not tell two names apart.
_ENDING = re.compile(r'(ations?|ings?|ments?|ions?|ers?|ies|ed|es|e|s|y)$')


def _stem(name):
  return '_'.join(_ENDING.sub('', word) for word in name.split('_'))


class PlainHouseTest(absltest.TestCase):
  def test_html_is_in_templates(self):
    for path in sorted(_ROOT.joinpath('tff_lg').rglob('*.py')):
      for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), start=1):
        self.assertNotRegex(line, _TAG, f'{path}:{number}')

  def test_names_of_files_are_in_one_place(self):
    known = {value for name, value in vars(file_names).items() if name.isupper()}
    self.assertIn('summary.json', known)
    for room in ('tff_lg', 'pipelines'):
      for path in sorted(_ROOT.joinpath(room).rglob('*.py')):
        tree = ast.parse(path.read_text(encoding='utf-8'))
        texts = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
        if path.name != 'file_names.py':
          self.assertEmpty(known & texts, path)

  def test_programs_that_take_arguments_say_so(self):
    for room in ('pipelines', 'benchmarks'):
      for path in sorted(_ROOT.joinpath(room).rglob('*.py')):
        source = path.read_text(encoding='utf-8')
        if '\n  launch.run(main' in source:
          takes = 'def main(argv: Sequence[str]) -> None:' in source
          self.assertNotEqual(takes, 'def main() -> None:' in source, path.name)
          self.assertEqual(takes, 'takes_arguments=True' in source, path.name)

  def test_names_of_modules_differ_by_more_than_an_ending(self):
    for room in ('tff_lg', 'pipelines', 'benchmarks', 'tools'):
      names = collections.defaultdict(set)
      for path in _ROOT.joinpath(room).rglob('*.py'):
        folder = path.parent if path.name == '__init__.py' else path
        names[folder.parent, _stem(folder.stem)].add(folder.stem)
      self.assertEmpty([found for found in names.values() if len(found) > 1])


if __name__ == '__main__':
  absltest.main()
