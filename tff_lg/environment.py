"""Checks the Python environment before anything heavy is imported.

TensorFlow Federated 0.87 works with few versions of its neighbours, and fails in obscure ways with
others. Call `check_environment` first: it reads only the metadata of the installed packages, in a
few milliseconds.
"""

from __future__ import annotations  # An older Python must get as far as the message.

import importlib.metadata
import os
import platform
import sys

from tff_lg import errors, quiet_import

# By the version of Python, the lock and those of its packages that decide whether TFF works at all.
STACKS = {
  (3, 12): (
    'requirements.txt',
    {
      'numpy': '2.5.5',
      'tensorflow': '2.21.0',
      'tensorflow-federated': '0.87.0',
      'tf-keras': '2.21.0',
    },
  ),
  (3, 11): (
    'requirements-3.11.txt',
    {
      'numpy': '1.25.2',
      'pyarrow': '17.0.0',
      'tensorflow': '2.14.1',
      'tensorflow-federated': '0.87.0',
      'tf-keras': '2.14.1',
    },
  ),
}

# The variable by which TensorFlow 2.16 and later chooses Keras; TFF is made for the legacy one.
LEGACY_KERAS = 'TF_USE_LEGACY_KERAS'

# The variable that turns on TensorFlow's oneDNN kernels; without it, only some CPUs use them.
ONEDNN = 'TF_ENABLE_ONEDNN_OPTS'

# The folder of optimised graphs; empty for none. See `tff_lg.runtime.graph_cache`.
GRAPH_CACHE = 'TFF_LG_CACHE'

_NEXT_STEP = 'run `make venv` and use .venv/bin/python'


class UnsupportedEnvironmentError(errors.RunFailure):
  """This Python, or a package installed in it, is not what TFF-LG was made for."""


def check_environment() -> None:
  """Checks Python and the packages TFF depends on, and quiets TensorFlow's C++ log.

  Raises:
    UnsupportedEnvironmentError: there is no lock for this Python, or packages are missing or of
      another version than in it. The message is one sentence that says what was found, what was
      expected and what to do.
  """
  prepare_tensorflow()
  if sys.version_info[:2] not in STACKS:
    raise UnsupportedEnvironmentError(
      f'TFF-LG needs Python {" or ".join(map(_dotted, STACKS))}, but this is Python '
      f'{_dotted(sys.version_info[:3])} ({sys.executable}): {_NEXT_STEP}.'
    )
  lock, versions = STACKS[sys.version_info[:2]]
  differences = []
  for package, expected in versions.items():
    found = _installed_version(package)
    if found is None:
      differences.append(f'{package} is missing, {expected} expected')
    elif found != expected:
      differences.append(f'{package} is {found}, {expected} expected')
  if differences:
    raise UnsupportedEnvironmentError(
      f'The packages of {sys.executable} differ from the lock, {lock} '
      f'({"; ".join(differences)}): {_NEXT_STEP}.'
    )


def prepare_tensorflow() -> None:
  """Sets variables that TensorFlow reads when it is imported, where the user has not.

  They silence its C++ log, have `tf.keras` be legacy Keras, and turn on its oneDNN kernels on every
  x86 CPU. TensorFlow does the last only where the CPU has AVX-512 VNNI. Elsewhere, too, its other
  kernels take up to three times as long.
  """
  os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
  os.environ.setdefault(LEGACY_KERAS, '1')
  if platform.machine() in {'x86_64', 'AMD64'}:
    os.environ.setdefault(ONEDNN, '1')
  if os.environ['TF_CPP_MIN_LOG_LEVEL'] == '3':
    quiet_import.quiet_tensorflow()


def _installed_version(package: str) -> str | None:
  """Returns the version of an installed package, `None` if there is none."""
  try:
    return importlib.metadata.version(package)
  except importlib.metadata.PackageNotFoundError:
    return None


def _dotted(version: tuple[int, ...]) -> str:
  """Returns a version such as `(3, 11)` as `3.11`."""
  return '.'.join(map(str, version))
