"""Tests of the theory pipeline, run as a user runs it."""

import csv
import json

from absl.testing import absltest

from tests.pipelines import testing


class TheoryTest(absltest.TestCase):
  def test_fast_run_writes_everything_the_same_again(self):
    run_dir = self.create_tempdir().full_path + '/run'
    flags = ('--fast', '--rhos=0.5,0.02', '--dims=5', '--seed=3', f'--run_dir={run_dir}')
    names = ('figures/theory.png', 'results.csv', 'summary.json', 'flags.txt', 'report.html')
    contents = []
    for _ in range(2):
      result = testing.run('theory', *flags)
      self.assertEqual(result.returncode, 0, result.stderr)
      contents.append([])
      for name in names:
        with open(f'{run_dir}/{name}', 'rb') as file:
          contents[-1].append(file.read())
    self.assertEqual(contents[0], contents[1])
    figure, curves, summary, flag_lines, report = contents[0]
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
    for part in (b'measured error', b'<svg role="img"', b'--devices=10 '):
      self.assertIn(part, report)
    self.assertRegex(result.stdout, f'\n0.5 +{much["alpha/formula"]:.3f} ')
    self.assertIn(f'Report: {run_dir}/report.html', result.stdout)

  def test_help_explains(self):
    result = testing.run('theory', '--help')
    for part in ('which mixture of local and global model is best', '--rhos', '--fast'):
      self.assertIn(part, (result.stdout + result.stderr).replace('--[no]fast', '--fast'))


if __name__ == '__main__':
  absltest.main()
