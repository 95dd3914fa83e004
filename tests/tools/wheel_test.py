"""The package as a wheel: it has its command and its data, and works in any folder."""

import configparser
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

from absl.testing import absltest

_ROOT = pathlib.Path(__file__).parents[2]
_FILES = ('pyproject.toml', 'README.md', 'LICENSE', 'requirements.in')


class WheelTest(absltest.TestCase):
  def test_command_works_from_the_wheel(self):
    folder = pathlib.Path(self.create_tempdir().full_path)
    source, unpacked = folder / 'source', folder / 'unpacked'
    source.mkdir()
    for name in _FILES:
      shutil.copy(_ROOT / name, source)
    for name in ('tff_lg', 'pipelines'):
      shutil.copytree(_ROOT / name, source / name, ignore=shutil.ignore_patterns('__pycache__'))
    build = [sys.executable, '-m', 'pip', 'wheel', '--no-deps', '--no-build-isolation', '--quiet']
    subprocess.run([*build, '--wheel-dir', folder, source], check=True)
    (wheel,) = folder.glob('tff_lg-*.whl')
    with zipfile.ZipFile(wheel) as archive:
      archive.extractall(unpacked)
    for name in ('tff_lg/analysis/report.html.j2', 'pipelines/configs/demo.flags'):
      self.assertTrue((unpacked / name).exists(), name)
    entry_points = configparser.ConfigParser()
    entry_points.read(next(unpacked.glob('*.dist-info/entry_points.txt')))
    module, function = entry_points['console_scripts']['tff-lg'].split(':')
    code = f'from {module} import {function}; {function}()'
    result = subprocess.run(
      [sys.executable, '-c', code, 'train', '--help'],
      cwd=folder,
      env=os.environ | {'PYTHONPATH': str(unpacked)},
      capture_output=True,
      text=True,
    )
    self.assertIn('--client_column', result.stdout, result.stderr)
    result = subprocess.run(
      [sys.executable, '-c', code, '--version'],
      cwd=folder,
      env=os.environ | {'PYTHONPATH': str(unpacked)},
      capture_output=True,
      text=True,
    )
    self.assertEqual(result.stdout, 'tff-lg 0.1.0\n')


if __name__ == '__main__':
  absltest.main()
