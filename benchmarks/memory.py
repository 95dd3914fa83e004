"""Resident memory every 50 rounds of our process on the local runtime.

  python -m benchmarks.memory --rounds=1000

The result is the growth from round 100, when all caches are full, to the end.
"""

import gc

import psutil
import tqdm
from absl import flags

from pipelines import launch

_ROUNDS = flags.DEFINE_integer('rounds', 1000, 'Rounds in all.', lower_bound=150)
_WORKLOAD = flags.DEFINE_string('workload', 'gated', 'Which work, by name.')

_EVERY = 50
_WARM = 100


def main() -> None:
  """Runs the rounds and prints resident memory."""
  from benchmarks import contenders, workloads

  (workload,) = workloads.choose([_WORKLOAD.value], 'workload')
  run = contenders.CONTENDERS[contenders.OURS](workload)
  process = psutil.Process()
  resident = {}
  for round_num in tqdm.trange(1, _ROUNDS.value + 1, unit='round', disable=None):
    run()
    if round_num % _EVERY == 0:
      gc.collect()
      resident[round_num] = process.memory_info().rss / 2**20
  print('round  resident MiB')
  for round_num, mebibytes in resident.items():
    print(f'{round_num:5}  {mebibytes:12.1f}')
  growth = resident[max(resident)] / resident[_WARM] - 1
  print(f'growth from round {_WARM} to {max(resident)}: {growth:.2%}')


if __name__ == '__main__':
  launch.run(main)
