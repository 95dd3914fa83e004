"""Tests of the XOR pipeline, run as a user runs it."""

import json

from absl.testing import absltest

from tests.pipelines import testing


class XorTest(absltest.TestCase):
  def test_run_writes_figure_and_summary_the_same_again(self):
    run_dir = self.create_tempdir().full_path + '/run'
    flags = ('--rounds=2', '--initialisations=1', '--seed=3', f'--run_dir={run_dir}')
    names = ('figures/xor.png', 'summary.json', 'flags.txt')
    contents = []
    for _ in range(2):
      result = testing.run('xor', *flags)
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


if __name__ == '__main__':
  absltest.main()
