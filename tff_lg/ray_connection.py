"""Joins a Ray cluster, or starts Ray on this machine.

Anyone who reaches a Ray port can run code there. A Ray that is started here listens on the loopback
address only. It requires a token that is made for it and given to its own processes alone.
"""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from absl import logging

from tff_lg import errors, orphans

_CONNECT_SECONDS = 10
_LOOPBACK = '127.0.0.1'
_AUTH_MODE, _AUTH_TOKEN, _AUTH_PATH = 'RAY_AUTH_MODE', 'RAY_AUTH_TOKEN', 'RAY_AUTH_TOKEN_PATH'
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
    environment: dict[str, str] = {}
    if not address:
      folder = _short_folder()
      stack.callback(shutil.rmtree, folder, ignore_errors=True)
      watch = orphans.Watch(folder)
      stack.callback(watch.end)
      environment = {
        **watch.environment,
        _AUTH_MODE: 'token',
        _AUTH_TOKEN: secrets.token_hex(32),
      }
      own = {
        'num_cpus': num_cpus,
        'object_store_memory': object_store_bytes,
        'include_dashboard': False,
        '_node_ip_address': _LOOPBACK,
        '_temp_dir': folder,
        # Niceness 15 by default: whatever else runs on the machine would come first.
        '_system_config': {'worker_niceness': 0},
      }
    elif os.environ.get(_AUTH_MODE) != 'token':
      logging.warning(
        'The Ray cluster of %s=%s is joined without a token: whoever reaches its ports can run '
        'code on its machines.',
        name,
        address,
      )
    # After `_environment`, what Ray has read of it is to be forgotten.
    stack.callback(_read_authentication, ray)
    try:
      with warnings.catch_warnings(), _environment(environment), _kept_signals():
        # A tip about what another version will do with GPUs that a task does not ask for.
        warnings.simplefilter('ignore', FutureWarning)
        _read_authentication(ray)
        if address not in ('', 'auto'):
          # `init` would ask for the token 20 times.
          raylet: Any = ray._raylet
          raylet.GcsClient(address=address)
        ray.init(address or 'local', log_to_driver=False, logging_level='ERROR', **own)
    except ray.exceptions.AuthenticationError as error:
      raise ClusterError(
        f'{name} is {address}, but that Ray cluster wants its token: set {_AUTH_MODE}=token and '
        f'{_AUTH_TOKEN} or {_AUTH_PATH}.'
      ) from error
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
      what = f'{name} is {address}, but Ray cannot join it' if address else 'Ray cannot start here'
      # Of the cluster of this machine Ray does not say what it wants.
      hint = f' (is {_AUTH_TOKEN} missing?)' if address == 'auto' else ''
      raise ClusterError(f'{what}: {errors.first_line(error)}{hint}') from error
    stack.callback(ray.shutdown)
    leave = stack.pop_all().close
  return ray, leave


def _read_authentication(ray: Any) -> None:
  """Lets Ray read the mode and the token from the environment again: it does so once only."""
  ray._raylet.AuthenticationTokenLoader.instance().reset_cache()
  ray._raylet.Config.initialize('')


@contextlib.contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
  """Sets variables for what is started meanwhile; a token's path gives way to a token."""
  hidden = {_AUTH_PATH} if _AUTH_TOKEN in variables else set()
  before = {name: os.environ.get(name) for name in {*variables, *hidden}}
  os.environ.update(variables)
  for name in hidden:
    os.environ.pop(name, None)
  try:
    yield
  finally:
    for name, value in before.items():
      if value is None:
        os.environ.pop(name, None)
      else:
        os.environ[name] = value


@contextlib.contextmanager
def _kept_signals() -> Iterator[None]:
  """Keeps the program's way to end, in place of which Ray puts its own."""
  if threading.current_thread() is not threading.main_thread():
    yield
    return
  before = signal.getsignal(signal.SIGTERM)
  try:
    yield
  finally:
    if before is not None:
      signal.signal(signal.SIGTERM, before)


def _check_answers(address: str, name: str) -> None:
  """Refuses an address where nobody answers; Ray would try for a minute, then end the process."""
  host, _, port = address.rpartition(':')
  try:
    socket.create_connection((host, int(port)), _CONNECT_SECONDS).close()
  except (OSError, OverflowError) as error:
    raise ClusterError(f'{name} is {address}, but no Ray answers there: {error}.') from error


def _short_folder() -> str:
  """Returns a new folder for Ray's sockets and logs, whose path is short enough for a socket."""
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
