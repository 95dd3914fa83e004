"""Tests of the theory pipeline, run as a user runs it."""

import csv
import json
import os
import subprocess
import sys

from absl.testing import absltest, parameterized


def _theory(*flags):
  return subprocess.run(
    [sys.executable, '-m', 'pipelines.theory', *flags],
    capture_output=True,
    text=True,
    check=False,
    env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)},
  )


class TheoryTest(parameterized.TestCase):
  def test_fast_run_writes_everything_the_same_again(self):
    run_dir = self.create_tempdir().full_path + '/run'
    flags = ('--fast', '--rhos=0.5,0.02', '--dims=5', '--seed=3', f'--run_dir={run_dir}')
    names = ('figures/theory.png', 'results.csv', 'summary.json', 'flags.txt')
    contents = []
    for _ in range(2):
      result = _theory(*flags)
      self.assertEqual(result.returncode, 0, result.stderr)
      contents.append([])
      for name in names:
        with open(f'{run_dir}/{name}', 'rb') as file:
          contents[-1].append(file.read())
    self.assertEqual(contents[0], contents[1])
    figure, curves, summary, flag_lines = contents[0]
    self.assertStartsWith(figure, b'\x89PNG')
    rows = list(csv.DictReader(curves.decode().splitlines()))
    self.assertEqual({row['rho'] for row in rows}, {'0.5', '0.02'})
    much, little = json.loads(summary)
    # R = 5 * 0.25 / 3 and T = 5 * 2.25 / 200.
    self.assertAlmostEqual(much['alpha/formula'], 5 / 12 / (5 / 12 + 0.05625))
    self.assertLess(much['error/local'], much['error/global'])
    self.assertLess(little['error/global'], little['error/local'])
    self.assertIn(b'--rhos=0.5,0.02\n', flag_lines)
    self.assertIn(b'--devices=10\n', flag_lines)
    self.assertRegex(result.stdout, f'\n0.5 +{much["alpha/formula"]:.3f} ')
    self.assertIn(f'Figure: {run_dir}/figures/theory.png', result.stdout)

    other = _theory('--fast', f'--run_dir={run_dir}')
    self.assertEqual(other.returncode, 1)
    self.assertIn('holds a run with other flags (flags.txt): choose another', other.stderr)

  @parameterized.named_parameters(
    ('unknown', ('--rho=1',), 'rho'),
    ('no_flag', ('0.5',), 'theory: 0.5 is no flag'),
    ('text', ('--rhos=0.5,much',), 'theory: --rhos is 0.5,much, expected numbers with commas'),
    ('negative', ('--rhos=-1',), 'theory: --rhos is -1, expected different standard deviations'),
    ('range', ('--repeats=1',), 'repeats'),
    ('few', ('--examples=20',), 'theory: --examples is 20, expected at least 21, more than --dims'),
    ('sigma', ('--sigma=0',), 'theory: --sigma is 0.0, expected a standard deviation above 0'),
  )
  def test_refuses(self, flags, sentence):
    run_dir = self.create_tempdir().full_path + '/run'
    result = _theory(*flags, f'--run_dir={run_dir}')
    self.assertNotEqual(result.returncode, 0)
    self.assertIn(sentence, result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertFalse(os.path.exists(run_dir))

  def test_run_dir_is_needed_and_others_files_are_kept(self):
    result = _theory()
    self.assertEqual(result.returncode, 1)
    self.assertIn('theory: --run_dir is missing', result.stderr)
    folder = self.create_tempdir()
    folder.create_file('notes.txt')
    result = _theory(f'--run_dir={folder.full_path}', '--fast')
    self.assertEqual(result.returncode, 1)
    self.assertIn('is not empty and holds no run', result.stderr)
    self.assertEqual(os.listdir(folder.full_path), ['notes.txt'])

  def test_help_explains(self):
    result = _theory('--help')
    for part in ('when is which mixture of local and global', '--rhos', '--fast'):
      self.assertIn(part, (result.stdout + result.stderr).replace('--[no]fast', '--fast'))


if __name__ == '__main__':
  absltest.main()
