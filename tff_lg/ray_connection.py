"""Joins a Ray cluster, or starts Ray on this machine."""

import contextlib
import logging
import os
import shutil
import socket
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

_CONNECT_SECONDS = 10
# Ray's sockets are this much below its folder; a socket's path has at most 107 bytes.
_LONGEST_FOLDER = 107 - len('/session_2000-01-01_00-00-00_000000_0000000/sockets/plasma_store.0')


class ClusterError(ConnectionError):
  """A Ray cluster that is not there, has no room, or has lost its work; one sentence."""


def check_address(address: str, name: str) -> None:
  """Refuses what is neither `auto`, HOST:PORT nor empty.

  Args:
    address: of a cluster; empty to start Ray on this machine.
    name: of the option or flag that it was given by.

  Raises:
    ValueError: it is none of these.
  """
  host, _, port = address.rpartition(':')
  if address not in ('', 'auto') and not (host and port.isdigit()):
    raise ValueError(f'{name} is {address}, expected auto, HOST:PORT or nothing.')


def connect(
  address: str, name: str, *, num_cpus: int | None = None, object_store_bytes: int | None = None
) -> tuple[Any, Callable[[], None]]:
  """Imports Ray, which takes seconds, and joins a cluster or starts one.

  Args:
    address: `auto` for the cluster of this machine, HOST:PORT for one of several; empty to start
      Ray on this machine.
    name: of the option or flag that the address was given by.
    num_cpus: of a Ray that is started; all cores by default.
    object_store_bytes: of a Ray that is started; by default Ray's own choice.

  Returns:
    The module `ray`, and what ends all that this call has started, and only that.

  Raises:
    ValueError: an address that is none.
    ClusterError: there is no cluster at the address, or Ray cannot start.
  """
  check_address(address, name)
  os.environ.setdefault('RAY_USAGE_STATS_ENABLED', '0')  # Nothing is reported to anybody.
  os.environ.setdefault('RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO', '0')
  import ray

  if ray.is_initialized():  # The caller's, who also ends it.
    return ray, lambda: None
  if address not in ('', 'auto'):
    _check_answers(address, name)
  with contextlib.ExitStack() as stack:
    own: dict[str, Any] = {}
    if not address:
      folder = _short_folder()
      stack.callback(shutil.rmtree, folder, ignore_errors=True)
      own = {
        'num_cpus': num_cpus,
        'object_store_memory': object_store_bytes,
        'include_dashboard': False,
        '_temp_dir': folder,
        # Niceness 15 by default: whatever else runs on the machine would come first.
        '_system_config': {'worker_niceness': 0},
      }
    try:
      with warnings.catch_warnings():
        # A tip about what another version will do with GPUs that a task does not ask for.
        warnings.simplefilter('ignore', FutureWarning)
        ray.init(address or 'local', log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
      what = f'{name} is {address}, but Ray cannot join it' if address else 'Ray cannot start here'
      raise ClusterError(f'{what}: {first_line(error)}') from error
    stack.callback(ray.shutdown)
    return ray, stack.pop_all().close


def first_line(error: BaseException) -> str:
  """What an error of Ray says, without the many lines that follow."""
  return (str(error).strip() or type(error).__name__).splitlines()[0]


def _check_answers(address: str, name: str) -> None:
  """Ray itself would try for a minute, then end the process."""
  host, _, port = address.rpartition(':')
  try:
    socket.create_connection((host, int(port)), _CONNECT_SECONDS).close()
  except (OSError, OverflowError) as error:
    raise ClusterError(f'{name} is {address}, but no Ray answers there: {error}.') from error


def _short_folder() -> str:
  """A new folder for Ray's sockets and logs, whose path is short enough for a socket."""
  for parent in (tempfile.gettempdir(), '/tmp', '/dev/shm'):
    try:
      folder = tempfile.mkdtemp(prefix='ray_', dir=parent)
    except OSError:
      continue
    if len(os.fsencode(folder)) <= _LONGEST_FOLDER:
      return folder
    os.rmdir(folder)
  raise ClusterError(
    f'Ray needs a folder for its sockets of at most {_LONGEST_FOLDER} bytes: let TMPDIR name one.'
  )
