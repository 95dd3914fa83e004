"""A Ray cluster: joined, or started on this machine, with actors for clients."""

import contextlib
import dataclasses
import logging
import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tff_lg.runtime import workers
from tff_lg.runtime.remote import ClusterError

_CONNECT_SECONDS, _START_SECONDS = 10, 600
# Ray's sockets are this much below its folder; a socket's path has at most 107 bytes.
_LONGEST_FOLDER = 107 - len('/session_2000-01-01_00-00-00_000000_0000000/sockets/plasma_store.0')
# An actor's crashes at the same work before it is given up: a client could be what crashes it.
_RETRIES = 3


@dataclasses.dataclass(frozen=True)
class RayOptions:
  """Which cluster, and what of it.

  Attributes:
    ray_address: `auto` for the cluster of this machine, HOST:PORT for one of several; empty
      to start Ray on this machine, for as long as it is needed.
    ray_actors: processes that clients are spread over.
    ray_actor_cpus: of each; it runs as many clients at a time, at least one.
    ray_actor_gpus: of each; a share, such as 0.5, for actors that share a GPU.
  """

  ray_address: str = ''
  ray_actors: int = 1
  ray_actor_cpus: float = 1.0
  ray_actor_gpus: float = 0.0

  def __post_init__(self) -> None:
    """Checks the address's form and the numbers."""
    host, _, port = self.ray_address.rpartition(':')
    if self.ray_address not in ('', 'auto') and not (host and port.isdigit()):
      raise ValueError(f'ray_address is {self.ray_address}, expected auto, HOST:PORT or nothing.')
    if self.ray_actors < 1:
      raise ValueError(f'ray_actors is {self.ray_actors}, expected 1 or more.')
    if self.ray_actor_cpus <= 0:
      raise ValueError(f'ray_actor_cpus is {self.ray_actor_cpus}, expected more than 0.')
    if self.ray_actor_gpus < 0:
      raise ValueError(f'ray_actor_gpus is {self.ray_actor_gpus}, expected 0 or more.')


def start_actors(options: RayOptions) -> tuple[list[Any], Callable[[], None]]:
  """Connects, or starts Ray, and starts the actors.

  Returns:
    Handles of the actors, and what ends all that this call has started, and only that.

  Raises:
    ValueError: the cluster cannot have so many actors.
    ClusterError: there is no cluster at the address, or the actors do not start.
  """
  with contextlib.ExitStack() as stack:
    ray = _connect(options.ray_address, stack)
    _check_room(options, [node['Resources'] for node in ray.nodes() if node['Alive']])
    from tff_lg.runtime import ray_worker

    actor_class = ray.remote(
      num_cpus=options.ray_actor_cpus,
      num_gpus=options.ray_actor_gpus,
      max_restarts=-1,
      max_task_retries=_RETRIES,
    )(ray_worker.ClientWorker)
    threads = max(int(options.ray_actor_cpus), 1)
    devices = 'auto' if options.ray_actor_gpus else 'cpu'
    actors = [actor_class.remote(threads, devices) for _ in range(options.ray_actors)]
    stack.callback(_end_actors, ray, actors)
    _wait_until_ready(ray, actors)
    return actors, stack.pop_all().close


def _connect(address: str, stack: contextlib.ExitStack) -> Any:
  os.environ.setdefault('RAY_USAGE_STATS_ENABLED', '0')
  os.environ.setdefault('RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO', '0')
  import ray  # Only who uses it waits for it.

  if ray.is_initialized():  # The caller's, who also ends it.
    return ray
  quiet = {'log_to_driver': False, 'logging_level': logging.ERROR}
  if not address:
    folder = _short_folder()
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    ray.init(
      'local',
      num_cpus=workers.num_cores(),
      include_dashboard=False,
      _temp_dir=folder,
      # Niceness 15 by default: whatever else runs on the machine would come first.
      _system_config={'worker_niceness': 0},
      **quiet,
    )
  else:
    if address != 'auto':
      _check_answers(address)
    try:
      ray.init(address, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as error:
      reason = str(error).strip().splitlines()[0]
      raise ClusterError(f'ray_address is {address}, but Ray cannot join it: {reason}') from error
  stack.callback(ray.shutdown)
  return ray


def _check_answers(address: str) -> None:
  """Ray itself would try for a minute, then end the process."""
  host, _, port = address.rpartition(':')
  try:
    socket.create_connection((host, int(port)), _CONNECT_SECONDS).close()
  except (OSError, OverflowError) as error:
    raise ClusterError(f'ray_address is {address}, but no Ray answers there: {error}.') from error


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


def _check_room(options: RayOptions, nodes: Sequence[Mapping[str, float]]) -> None:
  """Ray would wait forever for actors that no node has room for."""
  wanted = {'CPU': options.ray_actor_cpus, 'GPU': options.ray_actor_gpus}
  room = sum(
    min(int(node.get(kind, 0) / amount + 1e-9) for kind, amount in wanted.items() if amount)
    for node in nodes
  )
  if room < options.ray_actors:
    found = ' and '.join(f'{sum(node.get(kind, 0) for node in nodes):g} {kind}s' for kind in wanted)
    raise ValueError(
      f'ray_actors is {options.ray_actors}, but the cluster, with {found} on {len(nodes)} node(s), '
      f'has room for {room} of {options.ray_actor_cpus:g} CPUs (ray_actor_cpus) and '
      f'{options.ray_actor_gpus:g} GPUs (ray_actor_gpus) each.'
    )


def _wait_until_ready(ray: Any, actors: Sequence[Any]) -> None:
  pending = [actor.is_ready.remote() for actor in actors]
  ready, waiting = ray.wait(pending, num_returns=len(pending), timeout=_START_SECONDS)
  try:
    ray.get(ready)
  except ray.exceptions.RayError as error:
    reason = str(error).strip().splitlines()[-1].strip()
    raise ClusterError(f'A Ray actor cannot start: {reason}') from error
  if waiting:
    raise ClusterError(
      f'{len(waiting)} of {len(actors)} Ray actors have not started in {_START_SECONDS} s: other '
      'programs may use the cluster.'
    )


def _end_actors(ray: Any, actors: Sequence[Any]) -> None:
  if ray.is_initialized():
    for actor in actors:
      ray.kill(actor)
