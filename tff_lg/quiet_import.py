"""Imports TensorFlow without the lines that its C++ libraries log as they are loaded.

TensorFlow 2.16 and later log before they have read `TF_CPP_MIN_LOG_LEVEL`, whatever it says:
https://github.com/tensorflow/tensorflow/issues/100442. Everything else that is written to the
standard error stream meanwhile is passed on.
"""

import contextlib
import importlib.abc
import importlib.machinery
import os
import re
import sys
import tempfile
import types
from collections.abc import Iterator, Sequence

_EARLY_LINE = re.compile(
  rb'WARNING: All log messages before absl::InitializeLog|[IWE]\d{4} [\d:.]+ +\d+ \w+\.cc:\d+\]'
)

_stderr = 2


def stderr() -> int:
  """Returns the descriptor of the standard error stream, also while TensorFlow is imported."""
  return _stderr


def quiet_tensorflow() -> None:
  """Makes the first import of TensorFlow in this process a quiet one; imports nothing."""
  if not any(isinstance(finder, _QuietFinder) for finder in sys.meta_path):
    sys.meta_path.insert(0, _QuietFinder())


class _QuietFinder(importlib.abc.MetaPathFinder):
  """Finds TensorFlow where it is, with a loader that drops early lines."""

  def find_spec(
    self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
  ) -> importlib.machinery.ModuleSpec | None:
    """Returns TensorFlow's spec; None for other modules."""
    del target
    if fullname != 'tensorflow':
      return None
    spec = importlib.machinery.PathFinder.find_spec(fullname, path)
    if spec is not None and spec.loader is not None:
      execute = spec.loader.exec_module

      def execute_quietly(module: types.ModuleType) -> None:
        with _without_early_lines():
          execute(module)

      # This one loader's alone, whatever its class is.
      spec.loader.exec_module = execute_quietly  # type: ignore[method-assign]
    return spec


@contextlib.contextmanager
def _without_early_lines() -> Iterator[None]:
  global _stderr
  if sys.stderr is None:  # The process began without one.
    yield
    return
  sys.stderr.flush()
  try:
    _stderr = os.dup(2)
  except OSError:  # It was closed meanwhile.
    yield
    return
  with tempfile.TemporaryFile() as written:
    os.dup2(written.fileno(), 2)
    try:
      yield
    finally:
      sys.stderr.flush()
      os.dup2(_stderr, 2)
      os.close(_stderr)
      _stderr = 2
      written.seek(0)
      for line in written:
        if not _EARLY_LINE.match(line):
          os.write(2, line)
