"""CPU seconds from the start of a process to the end of the first round, against bare TensorFlow.

  python -m benchmarks.launch --passes=5

Bare TensorFlow is `benchmarks.bare_round`, to its end. Ours is `pipelines.train` on the same data
and network, to the checkpoint of its first round. It has no optimised graphs on disk, or those of
another process. The contenders take turns.
"""

import functools
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import psutil
from absl import flags

from pipelines import launch
from tff_lg import environment

_PASSES = flags.DEFINE_integer('passes', 5, 'How often each is started.', lower_bound=1)

_CHECKED_EVERY = 0.01  # Seconds.


def measure_bare() -> float:
  """Returns the CPU seconds of the program without this library."""
  return _measure(['benchmarks.bare_round'], None)


def measure_ours(graphs: str) -> float:
  """Returns the CPU seconds of `pipelines.train` until its first round is in a checkpoint.

  Args:
    graphs: folder of optimised graphs; empty for none.
  """
  with tempfile.TemporaryDirectory() as folder:
    run_dir = pathlib.Path(folder, 'run')
    command = ['pipelines.train', '--task=digits', f'--run_dir={run_dir}', '--baselines=']
    command += ['--rounds=1000', '--evaluate_every=1000', '--checkpoint_every=1']
    return _measure(command, run_dir / 'checkpoints', graphs)


def _measure(command: list[str], folder: pathlib.Path | None, graphs: str = '') -> float:
  """Returns the CPU seconds of a module until it ends, or until a folder has a finished file."""
  with psutil.Popen(
    [sys.executable, '-m', *command],
    stdout=subprocess.DEVNULL,
    stderr=subprocess.PIPE,
    text=True,
    env=os.environ | {environment.GRAPH_CACHE: graphs},
  ) as process:
    taken = 0.0
    while process.poll() is None:
      times = process.cpu_times()
      taken = times.user + times.system
      if folder and any(not file.name.endswith('.partial') for file in folder.glob('*')):
        process.kill()
        return taken
      time.sleep(_CHECKED_EVERY)
    if folder or process.returncode:
      sys.exit(f'launch: {command[0]} ended too early: {process.stderr.read()[-500:]}')
  return taken


def main() -> None:
  """Measures all in turn and prints medians."""
  with tempfile.TemporaryDirectory() as graphs:
    measure_ours(graphs)  # Fills the folder.
    contenders = {
      'bare TensorFlow': measure_bare,
      'pipelines.train': functools.partial(measure_ours, ''),
      'with graphs on disk': functools.partial(measure_ours, graphs),
    }
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(_PASSES.value):
      for name, measure in contenders.items():
        times[name].append(measure())
  unit = statistics.median(times['bare TensorFlow'])
  print(f'{"":<22}{"CPU seconds":>12}{"ratio":>8}{"lowest":>9}{"highest":>9}')
  for name, of_one in times.items():
    median = statistics.median(of_one)
    print(f'{name:<22}{median:>12.2f}{median / unit:>8.2f}{min(of_one):>9.2f}{max(of_one):>9.2f}')


if __name__ == '__main__':
  launch.run(main)
