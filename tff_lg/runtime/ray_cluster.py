"""A Ray cluster: joined, or started on this machine, with actors for clients."""

import contextlib
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tff_lg import ray_connection
from tff_lg.ray_connection import ClusterError
from tff_lg.runtime import workers

_START_SECONDS = 600


@dataclasses.dataclass(frozen=True)
class RayOptions:
  """Which cluster, and what of it.

  Attributes:
    ray_address: `auto` for the cluster of this machine, HOST:PORT for one of several. If empty,
      Ray is started on this machine for as long as it is needed.
    ray_actors: processes that clients are spread over.
    ray_actor_cpus: of each; it runs as many clients at a time, at least one.
    ray_actor_gpus: of each; a share, such as 0.5, for actors that share a GPU.
    reproducible_gpus: as `workers.configure_tensorflow` takes it.
  """

  ray_address: str = ''
  ray_actors: int = 1
  ray_actor_cpus: float = 1.0
  ray_actor_gpus: float = 0.0
  reproducible_gpus: bool = False

  def __post_init__(self) -> None:
    """Checks the address's form and the numbers."""
    ray_connection.check_address(self.ray_address, 'ray_address')
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
    ray, leave = ray_connection.connect(
      options.ray_address, 'ray_address', num_cpus=workers.num_cores()
    )
    stack.callback(leave)
    _check_room(options, [node['Resources'] for node in ray.nodes() if node['Alive']])
    from tff_lg.runtime import ray_worker

    actor_class = ray.remote(
      num_cpus=options.ray_actor_cpus,
      num_gpus=options.ray_actor_gpus,
      max_restarts=-1,
    )(ray_worker.ClientWorker)
    threads = max(int(options.ray_actor_cpus), 1)
    devices = 'auto' if options.ray_actor_gpus else 'cpu'
    arguments = threads, devices, options.reproducible_gpus
    actors = [actor_class.remote(*arguments) for _ in range(options.ray_actors)]
    stack.callback(_end_actors, ray, actors)
    _wait_until_ready(ray, actors)
    end = stack.pop_all().close
  return actors, end


def _check_room(options: RayOptions, nodes: Sequence[Mapping[str, float]]) -> None:
  """Raises if no node has room for the actors; Ray itself would wait forever."""
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
  pending = [actor.is_ready.options(max_task_retries=-1).remote() for actor in actors]
  ready, waiting = ray.wait(pending, num_returns=len(pending), timeout=_START_SECONDS)
  try:
    ray.get(ready)
  except ray.exceptions.RayError as error:
    reason = (str(error).strip() or type(error).__name__).splitlines()[-1].strip()
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
