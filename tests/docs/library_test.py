"""The Python of the README and of docs/LIBRARY.md runs word for word."""

import contextlib
import io
import os
import pathlib
import re

import numpy as np
from absl.testing import absltest

_ROOT = pathlib.Path(__file__).parents[2]


def _blocks(text):
  return re.findall(r'```python\n(.*?)```', text, re.DOTALL)


def _page(name):
  return (_ROOT / name).read_text(encoding='utf-8')


class LibraryTest(absltest.TestCase):
  def test_python(self):
    printed, names = io.StringIO(), {}
    with (
      contextlib.chdir(self.create_tempdir().full_path),
      contextlib.redirect_stdout(printed),
      contextlib.redirect_stderr(io.StringIO()),
    ):
      for block in _blocks(_page('docs/LIBRARY.md')):
        exec(block, names)
      self.assertContainsSubset(
        ('metrics.csv', 'communication.csv', 'tensorboard', 'checkpoints'),
        os.listdir('runs/python'),
      )
    accuracy, clients, warm_started, shape, logits, more, stopped = printed.getvalue().splitlines()
    self.assertGreater(float(accuracy), 0.5)
    self.assertEqual(clients, "3 ['train', 'validation']")
    self.assertBetween(int(warm_started.split()[0]), 5, 24)
    self.assertEqual(shape, '(20,)')
    eighth = names['tests'][7]
    self.assertEqual(logits, f'({len(eighth.y)}, 10)')
    is_right = np.argmax(names['network'](eighth.x), axis=1) == eighth.y
    self.assertAlmostEqual(np.mean(is_right), names['values']['accuracy'][7], places=6)
    self.assertEqual(more, '2')
    round_num, is_over = stopped.split()
    self.assertLess(int(round_num), 20)
    self.assertEqual(is_over, 'True')
    self.assertEqual(names['budget'].seen, names['state'].traffic.bytes_up)

  def test_a_run_takes_fifteen_lines_at_most(self):
    first, *_ = _blocks(_page('docs/LIBRARY.md'))
    self.assertLessEqual(len([line for line in first.splitlines() if line]), 15)

  def test_python_of_the_readme(self):
    (block,) = _blocks(_page('README.md'))
    self.assertLessEqual(len([line for line in block.splitlines() if line]), 6)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
      exec(block, {})
    _, *rows = printed.getvalue().splitlines()
    self.assertEqual([row.split()[4] for row in rows], ['better', 'cannot', 'worse'])


if __name__ == '__main__':
  absltest.main()
