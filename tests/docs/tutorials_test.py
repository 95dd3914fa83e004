"""The Python and the commands of the short tutorials run word for word."""

import contextlib
import io
import os
import pathlib
import re
import shlex
import sys
from unittest import mock

from absl.testing import absltest

from tests import processes

_TUTORIALS = pathlib.Path(__file__).parents[2] / 'docs' / 'tutorials'


def _blocks(page, language):
  text = _TUTORIALS.joinpath(page).read_text(encoding='utf-8')
  return re.findall(rf'```{language}\n(.*?)```', text, re.DOTALL)


def _run(*blocks):
  printed = io.StringIO()
  with contextlib.redirect_stdout(printed):
    exec('\n'.join(blocks), {})
  return printed.getvalue().splitlines()


class OwnMethodTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    self.module, self.use = _blocks('own_method.md', 'python')
    pathlib.Path(self.folder, 'pulled_fedper.py').write_text(self.module)

  def test_without_a_pull_it_is_fedper(self):
    (command,) = _blocks('own_method.md', 'bash')
    python, *arguments = shlex.split(command)
    self.assertEqual(python, 'python')
    arguments += ['--pull_strength=0', f'--run_dir={self.folder}/run']
    path = os.pathsep.join([self.folder, *sys.path])
    result = processes.run_python(*arguments, PYTHONPATH=path)
    self.assertEqual(result.returncode, 0, result.stderr)
    (difference,) = re.findall(r'^Pulled FedPer − FedPer +(.*)$', result.stdout, re.M)
    self.assertEqual(difference.split(), ['0.00', '0.00', 'to', '0.00', '0', '10', '0'])

  def test_from_python(self):
    with mock.patch.object(sys, 'path', [*sys.path, self.folder]):
      self.assertEqual(_run(self.use), ['Pulled FedPer | all layers but the last | the last layer'])


class GpuTest(absltest.TestCase):
  def test_python(self):
    (mean,) = _run(*_blocks('gpu.md', 'python'))
    self.assertAlmostEqual(float(mean), 69.533, places=3)


if __name__ == '__main__':
  absltest.main()
