"""A short run writes the same bytes on Python 3.12 with TensorFlow 2.21 and 3.11 with 2.14."""

import os
import pathlib
import subprocess
import sys

from absl.testing import absltest

import pipelines
from tests import processes

# Names the other Python where it is not in the usual folder beside this one.
_VARIABLE = 'TFF_LG_OTHER_PYTHON'
_ROOT = pathlib.Path(pipelines.__file__).parents[1]


def _other_python() -> str | None:
  """Returns the Python of the other stack's environment; None if there is none."""
  if _VARIABLE in os.environ:
    return os.environ[_VARIABLE]
  environment = pathlib.Path(sys.prefix)
  other = '.venv' if environment.name == '.venv-3.11' else '.venv-3.11'
  python = environment.with_name(other) / 'bin' / 'python'
  return str(python) if python.exists() else None


def _start(python: str, run_dir: str) -> subprocess.Popen[str]:
  arguments = ('--fast', '--seed=3', '--devices=cpu', f'--run_dir={run_dir}')
  return subprocess.Popen(
    [python, '-m', 'pipelines.train', *arguments],
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    env=processes.environment(PYTHONPATH=str(_ROOT)),
  )


class TwoStacksTest(absltest.TestCase):
  def test_a_short_run_writes_the_same_bytes(self):
    other = _other_python()
    if other is None:
      self.skipTest('There is one stack alone: `make venv-3.11` makes the environment of another.')
    folder = self.create_tempdir().full_path
    for index, python in enumerate((sys.executable, other)):
      with _start(python, f'{folder}/{index}') as process:
        output, _ = process.communicate()
      self.assertEqual(process.returncode, 0, output)
    for name in ('metrics.csv', 'summary.json', 'clients.csv'):
      ours, others = (pathlib.Path(folder, str(i), name).read_bytes() for i in range(2))
      self.assertEqual(ours, others, name)


if __name__ == '__main__':
  absltest.main()
