"""Tests the rules that every module keeps to."""

import ast
import collections
import functools
import pathlib
import re

from absl.testing import absltest

from tff_lg import file_names, metric_names, metrics

_ROOT = pathlib.Path(__file__).parents[2]
_TAG = r'</?(p|h\d|t[rdh]|table|thead|tbody|div|dl|dt|dd|pre|code|span|wbr)( class=.*)?/?>'


# Names of files that one module writes or reads, or that are not of our making.
_FILE = r'\w+\.(json|csv|parquet|html|md)'
_OWN_FILES = {
  'tff_lg/data/mood_files.py': {'mood.csv'},
  'tff_lg/embeddings/fsd.py': {
    'train_post_competition.csv',
    'test_post_competition_scoring_clips.csv',
  },
  'tff_lg/published/page.py': {'RESULTS.md'},
  'pipelines/mixing_run.py': {'mixing.csv'},
  'pipelines/simulate_clients.py': {'distances.csv'},
}
# Texts with a word of a metric's name: an ending of columns, a weight of a model, a file of PFLlib.
_NOT_METRICS = {
  'tff_lg/analysis/names.py': {'/verdict'},
  'tff_lg/learning/methods/apfl.py': {'mixture/alpha'},
  'tff_lg/tasks/named.py': {'train/*.npz'},
}
# An ending does not tell two names apart.
_ENDING = re.compile(r'(ations?|ings?|ments?|ions?|ers?|ies|ed|es|e|s|y)$')


def _stem(name):
  return '_'.join(_ENDING.sub('', word) for word in name.split('_'))


@functools.cache
def _modules():
  """Returns the path and the syntax tree of each module that runs use."""
  return [
    (path.relative_to(_ROOT).as_posix(), ast.parse(path.read_text(encoding='utf-8')))
    for room in ('tff_lg', 'pipelines')
    for path in sorted(_ROOT.joinpath(room).rglob('*.py'))
  ]


def _texts(tree):
  """Returns the texts of a module that are not alone in a statement, as docstrings are."""
  alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
  texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
  return {node.value for node in texts if isinstance(node.value, str) and id(node) not in alone}


def _constants(module):
  return {value for name, value in vars(module).items() if name.isupper() and value == str(value)}


class PlainHouseTest(absltest.TestCase):
  def test_html_is_in_templates(self):
    for path in sorted(_ROOT.joinpath('tff_lg').rglob('*.py')):
      for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), start=1):
        self.assertNotRegex(line, _TAG, f'{path}:{number}')

  def test_names_of_files_are_in_one_place(self):
    known = _constants(file_names)
    folders = {name for name in known if '.' not in name}
    self.assertContainsSubset({'checkpoints', 'trials'}, folders)
    self.assertIn('flags.txt', known - folders)
    for path, tree in _modules():
      joined = {
        argument.value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == 'os.path.join'
        for argument in call.args
        if isinstance(argument, ast.Constant)
      }
      spelled = {text for text in _texts(tree) if re.fullmatch(_FILE, text)}
      spelled |= (known - folders) & _texts(tree) | folders & joined
      if path != 'tff_lg/file_names.py':
        self.assertEqual(
          spelled,
          _OWN_FILES.get(path, set()),
          f'{path} spells names of files: expected constants of tff_lg/file_names.py.',
        )

  def test_names_of_metrics_are_in_one_place(self):
    source = _ROOT.joinpath('tff_lg', 'metric_names.py').read_text(encoding='utf-8')
    words = {word for text in _texts(ast.parse(source)) for word in text.split('/')}
    words -= {'', *metrics.METRICS}
    self.assertContainsSubset({'local_test', 'communication', 'gain_over', 'privacy'}, words)
    # One word alone may be meant otherwise, such as `validation`; two words hardly.
    alone = {name for name in _constants(metric_names) if '_' in name and '/' not in name}
    self.assertContainsSubset({'local_test', 'mean_over_clients'}, alone)
    for path, tree in _modules():
      paths = {text for text in _texts(tree) if '/' in text and not re.search(r'\s', text)}
      spelled = {text for text in paths if not words.isdisjoint(text.split('/'))}
      spelled |= alone & _texts(tree)
      if path != 'tff_lg/metric_names.py':
        self.assertEqual(
          spelled,
          _NOT_METRICS.get(path, set()),
          f'{path} spells names of metrics: expected constants or functions of '
          'tff_lg/metric_names.py.',
        )

  def test_no_name_of_a_metric_is_spelled_in_two_modules(self):
    modules = collections.defaultdict(set)
    for path, tree in _modules():
      for text in _texts(tree):
        if '/' in text and re.fullmatch(r'/?\w+(/\w+)*/?', text):
          modules[text].add(path)
    self.assertIn('/verdict', modules)
    shared = {text: sorted(paths) for text, paths in modules.items() if len(paths) > 1}
    self.assertEmpty(shared, 'Expected a constant or function of tff_lg/metric_names.py.')

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
