"""Tests of flags that name files or folders."""

import os
import pathlib
import re
from unittest import mock

from absl import flags
from absl.testing import absltest, parameterized

import pipelines
from pipelines import path_flags

# What the name of a flag of a path has in it.
_OF_PATH = re.compile(r'dir|file|output|embeddings|handle$|compare_with|from_run')


class PathFlagsTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.enter_context(mock.patch.dict(os.environ, HOME='/home/me'))
    self.values = flags.FlagValues()
    path_flags.define('run_dir', None, 'A folder.', self.values)
    path_flags.define_list('from_run', [], 'Folders.', self.values)

  @parameterized.parameters(
    ('~/x', '/home/me/x'), ('~', '/home/me'), ('/a/~', '/a/~'), ('a~', 'a~'), ('runs/x', 'runs/x')
  )
  def test_path(self, given, expected):
    self.values(['program', f'--run_dir={given}'])
    self.assertEqual(self.values.run_dir, expected)

  def test_paths(self):
    self.values(['program', '--from_run=~/a,b,~/c'])
    self.assertEqual(self.values.from_run, ['/home/me/a', 'b', '/home/me/c'])

  def test_defaults(self):
    self.values(['program'])
    self.assertEqual((self.values.run_dir, self.values.from_run), (None, []))

  def test_reads_what_it_writes(self):
    self.values(['program', '--run_dir=~/x', '--from_run=~/a,b'])
    text = self.values.flags_into_string()
    self.assertIn('--run_dir=/home/me/x\n', text)
    self.assertIn('--from_run=/home/me/a,b\n', text)

  def test_every_path_of_a_pipeline_is_one(self):
    (folder,) = pipelines.__path__
    for path in pathlib.Path(folder).glob('*.py'):
      for name in re.findall(r"DEFINE_(?:string|list)\(\s*'(\w+)'", path.read_text()):
        self.assertNotRegex(name, _OF_PATH, f'{path.name}: use path_flags.')


if __name__ == '__main__':
  absltest.main()
