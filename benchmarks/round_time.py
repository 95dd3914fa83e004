"""Seconds a round: our process, TFF's own FedAvg on both runtimes, a bare loop; as ratios.

  python -m benchmarks.round_time --workloads=small,mlp,gated,gated_100,cgau,lenet --passes=7

Each round's clients are drawn again from --population, the same for every contender. The contenders
take turns, so that what else the machine does falls on all of them. CPU seconds, of this process
and of TFF's worker, hardly depend on it.
"""

import dataclasses
import statistics
import sys
import time

import psutil
from absl import flags

from pipelines import launch

_WORKLOADS = flags.DEFINE_list(
  'workloads', ['small', 'mlp', 'gated', 'gated_100', 'cgau', 'lenet'], 'Which work, by name.'
)
_POPULATION = flags.DEFINE_integer(
  'population',
  100,
  "Clients that each round's cohort is drawn from; 0 for the same cohort each round.",
  lower_bound=0,
)
_PASSES = flags.DEFINE_integer('passes', 7, 'Rounds timed of each.', lower_bound=1)


def main() -> None:
  """Times each workload and prints a table."""
  from benchmarks import contenders, cpu_time, workloads
  from tff_lg.runtime import workers
  from tff_lg.simulation import execution

  chosen = [
    dataclasses.replace(workload, population=_POPULATION.value)
    for workload in workloads.choose(_WORKLOADS.value, 'workloads')
  ]
  for workload in chosen:
    if 0 < workload.population < workload.num_clients:
      sys.exit(
        f'round_time: --population is {workload.population}, expected 0 or at least the '
        f'{workload.num_clients} clients of each round of {workload.name}.'
      )

  workers.configure_tensorflow('auto')  # before anything else starts TensorFlow
  execution.end_worker_at_exit()
  for workload in chosen:
    runners = {}
    for contender, build in contenders.CONTENDERS.items():
      # Keras takes no model that is first called after others were made in a graph.
      runners[contender] = run = build(workload)
      run()  # tracing, compiling, filling caches
      run()
    seconds: dict[str, list[float]] = {contender: [] for contender in runners}
    cpu_seconds: dict[str, list[float]] = {contender: [] for contender in runners}
    for _ in range(_PASSES.value):
      for contender, run in runners.items():
        began, cpu_began = time.perf_counter(), cpu_time.cpu_seconds()
        run()
        seconds[contender].append(time.perf_counter() - began)
        cpu_seconds[contender].append(cpu_time.cpu_seconds() - cpu_began)
    print(f'\n{workload.name}: medians of {_PASSES.value} rounds{"":<23}time{"":<18}CPU time')
    first, cpu_first = (statistics.median(s[next(iter(s))]) for s in (seconds, cpu_seconds))
    for contender in runners:
      median, cpu_median = (statistics.median(s[contender]) for s in (seconds, cpu_seconds))
      print(
        f'  {contender:<46}{median:8.3f} s {median / first:6.2f} x'
        f'{cpu_median:10.3f} s {cpu_median / cpu_first:6.2f} x',
        flush=True,
      )
  process = psutil.Process()
  workers_rss = sum(child.memory_info().rss for child in process.children())
  print(
    f"\nresident: this process {process.memory_info().rss / 2**30:.1f} GiB, TFF's worker "
    f'{workers_rss / 2**30:.1f} GiB'
  )


if __name__ == '__main__':
  launch.run(main)
