"""Tests of the XOR pipeline, run as a user runs it."""

import json
import os
import subprocess
import sys

from absl.testing import absltest, parameterized


def _xor(*flags):
  return subprocess.run(
    [sys.executable, '-m', 'pipelines.xor', *flags],
    capture_output=True,
    text=True,
    check=False,
    env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)},
  )


class XorTest(parameterized.TestCase):
  def test_run_writes_figure_and_summary_the_same_again(self):
    run_dir = self.create_tempdir().full_path + '/run'
    flags = ('--rounds=2', '--initialisations=1', '--seed=3', f'--run_dir={run_dir}')
    names = ('figures/xor.png', 'summary.json', 'flags.txt')
    contents = []
    for _ in range(2):
      result = _xor(*flags)
      self.assertEqual(result.returncode, 0, result.stderr)
      contents.append([])
      for name in names:
        with open(f'{run_dir}/{name}', 'rb') as file:
          contents[-1].append(file.read())
    self.assertEqual(contents[0], contents[1])
    self.assertIn('CGAU, one unit', result.stdout)
    self.assertIn(f'Figure: {run_dir}/figures/xor.png', result.stdout)
    figure, summary, flag_lines = contents[0]
    self.assertStartsWith(figure, b'\x89PNG')
    for name in ('up', 'down', 'pooled'):
      self.assertIn(f'cgau/local_test/accuracy/{name}', json.loads(summary))
    self.assertIn(b'--seed=3\n', flag_lines)

    other = _xor(f'--run_dir={run_dir}', '--seed=4')
    self.assertEqual(other.returncode, 1)
    self.assertIn('holds a run with other flags (flags.txt): choose another', other.stderr)

  @parameterized.named_parameters(
    ('unknown', ('--sed=1',), 'sed'),
    ('choice', ('--conditioning=none',), 'conditioning'),
    ('no_flag', ('local',), 'local is no flag'),
    ('range', ('--rounds=0',), 'rounds'),
  )
  def test_refuses(self, flags, sentence):
    run_dir = self.create_tempdir().full_path + '/run'
    result = _xor(*flags, f'--run_dir={run_dir}')
    self.assertNotEqual(result.returncode, 0)
    self.assertIn(sentence, result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertFalse(os.path.exists(run_dir))

  def test_run_dir_is_needed_and_others_files_are_kept(self):
    result = _xor()
    self.assertEqual(result.returncode, 1)
    self.assertIn('--run_dir is missing', result.stderr)
    folder = self.create_tempdir()
    folder.create_file('notes.txt')
    result = _xor(f'--run_dir={folder.full_path}')
    self.assertEqual(result.returncode, 1)
    self.assertIn('is not empty and holds no run', result.stderr)
    self.assertEqual(os.listdir(folder.full_path), ['notes.txt'])


if __name__ == '__main__':
  absltest.main()
