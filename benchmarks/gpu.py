"""Does a GPU help? TFF's own FedAvg and our process on the CPU, one GPU and several.

  python -m benchmarks.gpu --workloads=mlp,gated_100,lenet,resnet18 --passes=5

Prints rounds per second for each workload and placement. While clients train, NVML samples how busy
the GPUs are and how much of their memory is taken. Also prints the largest difference between the
weights after the last round and the CPU's. Without a GPU, the same runs on logical CPU devices, and
the first line says so: placement is tried, speed is not. Split GPUs have rows for one part and for
all of them:

  python -m benchmarks.gpu --workloads=resnet18 --num_clients=10 --num_examples=512 --gpu_parts=4
"""

import contextlib
import dataclasses
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from absl import flags

from pipelines import launch

_WORKLOADS = flags.DEFINE_list(
  'workloads', ['mlp', 'gated_100', 'lenet', 'resnet18'], 'Which work, by name.'
)
_PASSES = flags.DEFINE_integer('passes', 5, 'Rounds timed of each.', lower_bound=1)
_NUM_CLIENTS = flags.DEFINE_integer(
  'num_clients', None, "Clients of a round; by default as many as the workload's.", lower_bound=1
)
_NUM_EXAMPLES = flags.DEFINE_integer(
  'num_examples', None, "Examples of a client; by default as many as the workload's.", lower_bound=1
)
_GPU_PARTS = flags.DEFINE_integer(
  'gpu_parts', 1, 'Parts that each GPU is split into.', lower_bound=1
)
_STACKED = flags.DEFINE_multi_integer(
  'stacked', [5], 'Clients in a stack; a row for each number.', lower_bound=2
)
_REPRODUCIBLE_GPUS = flags.DEFINE_bool(
  'reproducible_gpus', True, 'As `pipelines.train` takes it; without it, as TensorFlow has it.'
)

_STOCK = "TFF's build_weighted_fed_avg"
_LOGICAL_DEVICES = 3
_SAMPLE_SECONDS = 0.05


@dataclasses.dataclass
class _Usage:
  """GPUs while something runs: mean utilisation in percent, most memory in bytes."""

  utilisation: float = float('nan')
  num_bytes: int = 0

  def __str__(self) -> str:
    if np.isnan(self.utilisation):
      return f'{"–":>6} {"–":>10}'
    return f'{self.utilisation:5.0f}% {self.num_bytes / 2**30:6.1f} GiB'


def main() -> None:
  """Times each workload on each placement and prints a table."""
  from benchmarks import workloads

  chosen = workloads.choose(_WORKLOADS.value, 'workloads')
  placements = _placements()
  for workload in chosen:
    num_clients = _NUM_CLIENTS.value or workload.num_clients
    sized = dataclasses.replace(
      workload,
      num_clients=num_clients,
      population=num_clients,
      num_examples=_NUM_EXAMPLES.value or workload.num_examples,
    )
    _measure(sized, placements)


def _placements() -> dict[str, dict[str, Any]]:
  """Returns arguments of a context by their names; the first is the one to compare with."""
  import tensorflow as tf

  gpus, gpu_parts = tf.config.list_physical_devices('GPU'), _GPU_PARTS.value
  kind = 'GPU' if gpu_parts == 1 else 'part'
  if gpus:
    names = [f'gpu:{index}' for index in range(len(gpus) * gpu_parts)]
    print(f'TensorFlow {tf.__version__}, GPUs: {len(gpus)}, parts of each: {gpu_parts}')
  else:
    cpu = tf.config.list_physical_devices('CPU')[0]
    parts = [tf.config.LogicalDeviceConfiguration()] * _LOGICAL_DEVICES
    tf.config.set_logical_device_configuration(cpu, parts)
    names = [f'cpu:{index}' for index in range(1, _LOGICAL_DEVICES)]
    print(f'TensorFlow {tf.__version__}, no GPU found: logical CPU devices stand for GPUs.')
  found: dict[str, dict[str, Any]] = {
    'CPU': {'devices': ['cpu:0']},
    f'one {kind}': {'devices': names[:1]},
  }
  for size in _STACKED.value:
    found[f'one {kind}, {size} stacked'] = {'devices': names[:1], 'stacked_clients': size}
  if len(names) > 1:
    found[f'{len(names)} {kind}s'] = {'devices': names}
  if gpus:  # Already for the first placement, which starts TensorFlow.
    found = {name: {**arguments, 'gpu_parts': gpu_parts} for name, arguments in found.items()}
  return found


def _measure(workload: Any, placements: dict[str, dict[str, Any]]) -> None:
  """Prints the rows of one workload."""
  from benchmarks import contenders
  from tff_lg import runtime

  builders = {
    _STOCK: (contenders.stock_fed_avg, _stock_weights),
    'our process': (contenders.our_fed_avg, _our_weights),
  }
  print(f'\n{workload.name}: rounds a second{"":<22}GPU busy, memory, difference from the CPU')
  for label, (build, weights_of) in builders.items():
    on_cpu = None
    for placement, arguments in placements.items():
      if 'stacked_clients' in arguments and label == _STOCK:
        continue  # Its clients' sequences are not stacked.
      context = runtime.create_local_execution_context(
        **arguments, reproducible_gpus=_REPRODUCIBLE_GPUS.value
      )
      run = contenders.on_context(lambda context=context: context)(build)(workload)
      run()  # Tracing, compiling, filling caches.
      with _sampled() as usage:
        seconds, state = _time(run)
      weights = weights_of(state)
      on_cpu = weights if on_cpu is None else on_cpu
      difference = max(np.abs(a - b).max() for a, b in zip(weights, on_cpu, strict=True))
      print(
        f'  {label:<30}{placement:<20}{1 / seconds:8.3f}  {usage}  {difference:9.1e}', flush=True
      )


def _time(run: Callable[[], Any]) -> tuple[float, Any]:
  began = time.perf_counter()
  for _ in range(_PASSES.value):
    state = run()
  return (time.perf_counter() - began) / _PASSES.value, state


def _our_weights(state: Any) -> list[np.ndarray]:
  return [np.asarray(weight) for weight in state.global_weights]


def _stock_weights(state: Any) -> list[np.ndarray]:
  return [np.asarray(weight) for weight in state.global_model_weights.trainable]


@contextlib.contextmanager
def _sampled() -> Iterator[_Usage]:
  """Samples the GPUs while the body runs; NaN where NVML is not to be had."""
  usage = _Usage()
  try:
    import pynvml

    pynvml.nvmlInit()
  except Exception:  # The package is not installed, or there is no driver.
    yield usage
    return
  handles = [
    pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(pynvml.nvmlDeviceGetCount())
  ]
  busy: list[float] = []
  is_over = threading.Event()

  def sample() -> None:
    while not is_over.wait(_SAMPLE_SECONDS):
      busy.append(np.mean([pynvml.nvmlDeviceGetUtilizationRates(each).gpu for each in handles]))
      used = sum(pynvml.nvmlDeviceGetMemoryInfo(each).used for each in handles)
      usage.num_bytes = max(usage.num_bytes, used)

  thread = threading.Thread(target=sample, daemon=True)
  thread.start()
  try:
    yield usage
  finally:
    is_over.set()
    thread.join()
    usage.utilisation = float(np.mean(busy)) if busy else float('nan')
    pynvml.nvmlShutdown()


if __name__ == '__main__':
  launch.run(main)
