"""TFF contexts that run computations in this process."""

import asyncio
import contextlib
import dataclasses
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tff_lg import garbage
from tff_lg.compatibility import infer_cardinalities, tff
from tff_lg.runtime import cache, interpreter, ray_cluster, remote, safeguards, values, workers
from tff_lg.runtime import tff_internals as internals


@dataclasses.dataclass(frozen=True)
class _Compiled:
  """A computation's closure, and what takes its argument in and gives its result out."""

  closure: interpreter.Closure
  ingest: values.Ingest | None
  release: values.Release


def _compile(computation: tff.framework.ConcreteComputation) -> interpreter.Closure:
  return interpreter.build(internals.compile_computation(computation))


def _add_conversions(
  computation: tff.framework.ConcreteComputation, closure: interpreter.Closure
) -> _Compiled:
  parameter, result = computation.type_signature.parameter, computation.type_signature.result
  ingest = None if parameter is None else values.build_ingest(parameter)
  return _Compiled(closure, ingest, values.build_release(result))


class LocalExecutionContext(tff.framework.SyncContext):
  """Evaluates TFF computations in this process."""

  def __init__(
    self,
    *,
    default_num_clients: int = 0,
    devices: str | Sequence[str] = 'auto',
    clients_per_device: int | None = None,
    stacked_clients: int = 1,
    reproducible_gpus: bool = False,
    gpu_parts: int = 1,
  ) -> None:
    """Creates the context; `create_local_execution_context` describes the arguments."""
    if default_num_clients < 0:
      raise ValueError(f'default_num_clients is {default_num_clients}, expected 0 or more.')
    if clients_per_device is not None and clients_per_device < 1:
      raise ValueError(f'clients_per_device is {clients_per_device}, expected 1 or more.')
    if stacked_clients < 0:
      raise ValueError(f'stacked_clients is {stacked_clients}, expected 0 or more.')
    if gpu_parts < 1:
      raise ValueError(f'gpu_parts is {gpu_parts}, expected 1 or more.')
    safeguards.check_process()
    safeguards.tensorflow_has_started()
    self._default_num_clients = default_num_clients
    self._stacked_clients = stacked_clients
    workers.configure_tensorflow(devices, reproducible_gpus, gpu_parts)
    garbage.set_aside()
    self._pool = workers.WorkerPool(workers.choose_devices(devices), clients_per_device)
    self._compile = cache.ComputationCache(_compile, _add_conversions)

  def invoke(self, comp: tff.framework.ConcreteComputation, arg: Any) -> Any:
    """Evaluates a computation on an argument, as TFF's contexts do.

    Raises:
      TypeError: the argument is not of the computation's type.
      ValueError: parts of the argument are of different numbers of clients.
      ClientComputationError: a client's computation failed.
      RuntimeError: it would hang, see `safeguards`.
    """
    safeguards.check_process()
    if self._pool.is_busy:
      safeguards.check_not_within_clients()
    function_type = comp.type_signature
    num_clients = self._default_num_clients
    if arg is None and function_type.parameter is not None:
      raise TypeError(f'Expected an argument of type {function_type.parameter}, found None.')
    if arg is not None:
      found = infer_cardinalities(arg, function_type.parameter)
      num_clients = found.get(tff.CLIENTS, num_clients)
    compiled = self._compile(comp)
    with self._start_run(num_clients) as run:

      def embed(argument: tff.framework.ConcreteComputation) -> Callable[[Any], Any]:
        return self._compile(argument).closure({}, run)

      if arg is not None:
        arg = compiled.ingest(arg, embed)
      return compiled.release(compiled.closure({}, run)(arg))

  @contextlib.contextmanager
  def _start_run(self, num_clients: int) -> Iterator[interpreter.Run]:
    yield interpreter.Run(num_clients, self._pool, self._stacked_clients)

  def cancel(self) -> None:
    """Ends the clients that run, for other threads; their `invoke` raises an error."""
    self._pool.cancel()


class RayExecutionContext(LocalExecutionContext):
  """Evaluates TFF computations with the work at clients spread over Ray actors."""

  def __init__(self, actors: Sequence[Any], *, default_num_clients: int = 0) -> None:
    """Creates the context for actors that `create_ray_execution_context` has started."""
    super().__init__(default_num_clients=default_num_clients, devices='cpu')
    self._clients = remote.RemoteClients(actors)

  @contextlib.contextmanager
  def _start_run(self, num_clients: int) -> Iterator[interpreter.Run]:
    at_clients = self._clients.start_run(num_clients)
    try:
      yield interpreter.Run(num_clients, self._pool, remote_run=at_clients)
    finally:
      at_clients.close()


class AsyncLocalExecutionContext(tff.framework.AsyncContext):
  """The context for programs that await, as `tff.program.NativeFederatedContext` does."""

  def __init__(self, context: LocalExecutionContext) -> None:
    """Runs computations on the threads of the event loop, by `context`."""
    self._context = context

  async def invoke(self, comp: tff.framework.ConcreteComputation, arg: Any) -> Any:
    """Evaluates a computation without blocking the event loop."""
    if asyncio.iscoroutine(arg):
      arg = await arg
    try:
      return await asyncio.to_thread(self._context.invoke, comp, arg)
    except asyncio.CancelledError:
      self._context.cancel()
      raise


def create_local_execution_context(
  *,
  default_num_clients: int = 0,
  devices: str | Sequence[str] = 'auto',
  clients_per_device: int | None = None,
  stacked_clients: int = 1,
  reproducible_gpus: bool = False,
  gpu_parts: int = 1,
) -> LocalExecutionContext:
  """Makes a context that evaluates TFF computations in this process.

  Args:
    default_num_clients: clients of a computation whose argument does not tell.
    devices: `auto` for all GPUs, or the CPU if there is none; `cpu`; or names such as
      `gpu:0`.
    clients_per_device: clients that run on a device at the same time. By default the number
      of cores on the CPU, four on a GPU, and one on a part of a GPU.
    stacked_clients: how many clients are trained in one call, if their data have the same shape
      and their scalars are equal. With 0 it measures which number is the fastest. Results
      differ by the rounding of floats.
    reproducible_gpus: whether GPUs give the same bits in each run, and the CPU's results to the
      rounding of float32. Operations of random numbers then need a seed. By default, TensorFlow
      sums in any order, and rounds factors of products to TensorFloat-32.
    gpu_parts: parts that each GPU is split into, `gpu:0`, `gpu:1` and so on. Each has an equal
      share of the memory. A part runs its operations one after another, and beside the others'.

  Returns:
    The context, for `tff.framework.set_default_context`.

  Raises:
    ValueError: a number is out of range, there is no such device, or GPUs cannot be split.
  """
  return LocalExecutionContext(
    default_num_clients=default_num_clients,
    devices=devices,
    clients_per_device=clients_per_device,
    stacked_clients=stacked_clients,
    reproducible_gpus=reproducible_gpus,
    gpu_parts=gpu_parts,
  )


def set_local_execution_context(
  *,
  default_num_clients: int = 0,
  devices: str | Sequence[str] = 'auto',
  clients_per_device: int | None = None,
  stacked_clients: int = 1,
  reproducible_gpus: bool = False,
  gpu_parts: int = 1,
) -> None:
  """Makes this process run all TFF computations; see `create_local_execution_context`.

  Threads that set no context of their own use this one, too.
  """
  context = create_local_execution_context(
    default_num_clients=default_num_clients,
    devices=devices,
    clients_per_device=clients_per_device,
    stacked_clients=stacked_clients,
    reproducible_gpus=reproducible_gpus,
    gpu_parts=gpu_parts,
  )
  tff.framework.set_default_context(context)
  safeguards.serve_other_threads(context)


def create_ray_execution_context(
  *,
  default_num_clients: int = 0,
  ray_address: str = '',
  ray_actors: int = 1,
  ray_actor_cpus: float = 1.0,
  ray_actor_gpus: float = 0.0,
  reproducible_gpus: bool = False,
) -> RayExecutionContext:
  """Makes a context that spreads the work at clients over Ray actors.

  Values at the server are evaluated in this process. Results have the same bits as the
  local runtime's, for any number of actors, on processors of the same kind.

  Args:
    default_num_clients: clients of a computation whose argument does not tell.
    ray_address: `auto` for the cluster of this machine, HOST:PORT for one of several; empty
      to start Ray on this machine, which ends with the context.
    ray_actors: processes that clients are spread over.
    ray_actor_cpus: of each; it runs as many clients at a time, at least one.
    ray_actor_gpus: of each; a share, such as 0.5, for actors that share a GPU.
    reproducible_gpus: as `create_local_execution_context` takes it, for the actors' GPUs.

  Returns:
    The context, for `tff.framework.set_default_context`.

  Raises:
    ValueError: a number is out of range, or the cluster has no room for the actors.
    ClusterError: there is no cluster at the address, or the actors do not start.
  """
  options = ray_cluster.RayOptions(
    ray_address, ray_actors, ray_actor_cpus, ray_actor_gpus, reproducible_gpus
  )
  actors, end = ray_cluster.start_actors(options)
  context = RayExecutionContext(actors, default_num_clients=default_num_clients)
  weakref.finalize(context, end)
  return context


def set_ray_execution_context(
  *,
  default_num_clients: int = 0,
  ray_address: str = '',
  ray_actors: int = 1,
  ray_actor_cpus: float = 1.0,
  ray_actor_gpus: float = 0.0,
  reproducible_gpus: bool = False,
) -> None:
  """Makes Ray actors run all work at clients; see `create_ray_execution_context`."""
  context = create_ray_execution_context(
    default_num_clients=default_num_clients,
    ray_address=ray_address,
    ray_actors=ray_actors,
    ray_actor_cpus=ray_actor_cpus,
    ray_actor_gpus=ray_actor_gpus,
    reproducible_gpus=reproducible_gpus,
  )
  tff.framework.set_default_context(context)
  safeguards.serve_other_threads(None)  # Its messages to actors are of one call at a time.
