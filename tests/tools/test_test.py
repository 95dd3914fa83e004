"""Tests of which tests are run on which stack, with stand-ins for Bazel and Python."""

import pathlib
import shutil
import subprocess

from absl.testing import absltest, parameterized

_ROOT = pathlib.Path(__file__).parents[2]
_RECORD = '#!/bin/bash\necho "${0##*/} $*" >>calls\n'


class TestTest(parameterized.TestCase):
  @parameterized.named_parameters(
    ('both', True, '3.12', (), 2, False),
    ('no_older_one', False, '3.12', (), 1, True),
    ('the_older_one_alone', False, '3.11', (), 1, False),
    ('chosen_targets', True, '3.12', ('//tests:files_test',), 1, False),
  )
  def test_stacks(self, has_older, version, targets, num_runs, is_said):
    folder = pathlib.Path(self.create_tempdir().full_path)
    for name in ('tools', '.venv/bin', '.venv-3.11' if has_older else 'tests'):
      (folder / name).mkdir(parents=True)
    shutil.copy(_ROOT / 'tools' / 'test.sh', folder / 'tools')
    (folder / '.venv-3.11' if has_older else folder).joinpath('packages.txt').touch()
    for name in ('tools/bazel.sh', '.venv/bin/python', f'.venv/bin/python{version}'):
      (folder / name).write_text(_RECORD)
      (folder / name).chmod(0o755)
    result = subprocess.run(
      ['bash', 'tools/test.sh', *targets], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
    )
    _, *runs, counted = (folder / 'calls').read_text().splitlines()
    self.assertLen(runs, num_runs)
    self.assertEndsWith(runs[0], f' -- {" ".join(targets) or "//..."}')
    self.assertEqual('--config=python3.11 -- //tests/' in runs[-1], num_runs == 2)
    self.assertLen(counted.split()[2:], 2 * num_runs)  # The events and the status of each.
    self.assertEqual('Python 3.11 with TensorFlow 2.14 was not tested' in result.stdout, is_said)


if __name__ == '__main__':
  absltest.main()
