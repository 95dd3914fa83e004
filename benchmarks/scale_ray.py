"""Seconds a round of many clients: Ray actors against the local runtime; as ratios.

  python -m benchmarks.scale_ray --actors=1,2 --clients=100 --passes=5

The contenders take turns, so that what else the machine does falls on all of them.
"""

import dataclasses
import functools
import statistics
import time

from absl import flags

from pipelines import launch

_ACTORS = flags.DEFINE_list('actors', ['1', '2'], 'Numbers of Ray actors, of one CPU each.')
_CLIENTS = flags.DEFINE_integer('clients', 100, 'Clients of a round.', lower_bound=1)
_EXAMPLES = flags.DEFINE_integer('examples', 600, 'Examples of a client.', lower_bound=1)
_PASSES = flags.DEFINE_integer('passes', 5, 'Rounds timed of each.', lower_bound=1)


def main() -> None:
  """Times the rounds and prints a table."""
  from benchmarks import contenders, workloads
  from tff_lg import runtime
  from tff_lg.runtime import ray_cluster

  (mlp,) = workloads.choose(['mlp'], 'workloads')
  workload = dataclasses.replace(mlp, num_clients=_CLIENTS.value, num_examples=_EXAMPLES.value)
  counts = [int(count) for count in _ACTORS.value]
  options = ray_cluster.RayOptions(ray_actors=max(counts), ray_actor_cpus=1.0)
  actors, end = ray_cluster.start_actors(options)
  makers = {'local': runtime.create_local_execution_context}
  for count in counts:
    makers[f'{count} actors'] = functools.partial(runtime.RayExecutionContext, actors[:count])
  runners = {
    name: contenders.on_context(make)(contenders.our_fed_avg)(workload)
    for name, make in makers.items()
  }
  seconds: dict[str, list[float]] = {name: [] for name in runners}
  for run in runners.values():  # tracing, and the clients' data on their way
    for _ in range(3):
      run()
  for _ in range(_PASSES.value):
    for name, run in runners.items():
      began = time.perf_counter()
      run()
      seconds[name].append(time.perf_counter() - began)
  end()
  medians = {name: statistics.median(taken) for name, taken in seconds.items()}
  print(
    f'\n{_CLIENTS.value} clients of {_EXAMPLES.value} examples, median of {_PASSES.value} rounds'
  )
  for name, median in medians.items():
    print(f'  {name:<12}{median:8.3f} s {median / medians["local"]:6.2f} x')


if __name__ == '__main__':
  launch.run(main)
