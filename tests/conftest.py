"""Lets pytest run each test module in a process of its own, as Bazel does.

One process cannot hold them all. Pipelines define flags of the same names as they are imported.
Some tests set up devices, which TensorFlow allows only before it starts.
"""

import pathlib
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import pytest


def pytest_pycollect_makemodule(module_path: pathlib.Path, parent: pytest.Collector) -> pytest.File:
  """Makes pytest leave a module to its own process, instead of importing it."""
  return _ModuleFile.from_parent(parent, path=module_path)


class _FailedModuleError(Exception):
  """A test module ended with an error; the message is what it printed."""


class _ModuleFile(pytest.File):
  """A test module, which is one item."""

  def collect(self) -> Iterable[pytest.Item]:
    yield _ModuleRun.from_parent(self, name='all')


class _ModuleRun(pytest.Item):
  """All tests of a module, as by `python -m tests.folder.module_test`."""

  def runtest(self) -> None:
    root = self.config.rootpath
    module = '.'.join(self.path.relative_to(root).with_suffix('').parts)
    result = subprocess.run(
      [sys.executable, '-m', module],
      cwd=root,
      stdout=subprocess.PIPE,
      stderr=subprocess.STDOUT,
      text=True,
      check=False,
    )
    if result.returncode:
      raise _FailedModuleError(f'{result.stdout}\n{module} ended with {result.returncode}.')

  def repr_failure(self, excinfo: pytest.ExceptionInfo, style: Any = None) -> Any:
    if isinstance(excinfo.value, _FailedModuleError):
      return str(excinfo.value)
    return super().repr_failure(excinfo, style)

  def reportinfo(self) -> tuple[pathlib.Path, int, str]:
    return self.path, 0, self.nodeid
