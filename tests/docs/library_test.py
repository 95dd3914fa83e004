"""The Python of the README's section "As a library" and of docs/LIBRARY.md runs word for word."""

import contextlib
import io
import os
import pathlib
import re

from absl.testing import absltest

_ROOT = pathlib.Path(__file__).parents[2]


def _blocks(text):
  return re.findall(r'```python\n(.*?)```', text, re.DOTALL)


def _of_readme():
  section = (_ROOT / 'README.md').read_text(encoding='utf-8').split('## As a library\n')[1]
  (block,) = _blocks(section.split('\n## ')[0])
  return block


class LibraryTest(absltest.TestCase):
  def test_python(self):
    of_page = _blocks((_ROOT / 'docs' / 'LIBRARY.md').read_text(encoding='utf-8'))
    printed, names = io.StringIO(), {}
    with (
      contextlib.chdir(self.create_tempdir().full_path),
      contextlib.redirect_stdout(printed),
      contextlib.redirect_stderr(io.StringIO()),
    ):
      for block in (_of_readme(), *of_page):
        exec(block, names)
      self.assertContainsSubset(
        ('metrics.csv', 'communication.csv', 'tensorboard', 'checkpoints'),
        os.listdir('runs/python'),
      )
    accuracy, clients, warm_started, shape, more, stopped = printed.getvalue().splitlines()
    self.assertGreater(float(accuracy), 0.5)
    self.assertEqual(clients, "3 ['train', 'validation']")
    self.assertBetween(int(warm_started.split()[0]), 5, 24)
    self.assertEqual(shape, '(20,)')
    self.assertEqual(more, '2')
    round_num, is_over = stopped.split()
    self.assertLess(int(round_num), 20)
    self.assertEqual(is_over, 'True')
    self.assertEqual(names['budget'].seen, names['state'].traffic.bytes_up)

  def test_a_run_takes_fifteen_lines_at_most(self):
    self.assertLessEqual(len([line for line in _of_readme().splitlines() if line]), 15)


if __name__ == '__main__':
  absltest.main()
