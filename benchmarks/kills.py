"""Kills a run at random moments, and compares what it gives with a run that nobody killed.

  python -m benchmarks.kills --kills=20 --folder=runs/kills -- --client_store=disk

After `--` come flags of `pipelines.train` beside those of `_RUN`. The same command resumes a killed
run; once it is complete, its files are compared and another one is begun.
"""

import filecmp
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence

from absl import flags

from pipelines import launch

_KILLS = flags.DEFINE_integer('kills', 20, 'How often a run is killed.', lower_bound=1)
_FOLDER = flags.DEFINE_string('folder', None, 'Folder of the runs, which must not exist.')
_SEED = flags.DEFINE_integer('seed', 0, 'Seed of the moments.')

# Clients with states, few enough rounds between checkpoints that a killed run gets somewhere.
_RUN = (
  '--task=digits --partition=dirichlet --num_clients=20 --clients_per_round=5 --rounds=600 '
  '--evaluate_every=5 --checkpoint_every=10 --keep_client_optimizer --baselines='
).split()
_COMPARED = (
  *('metrics.csv', 'communication.csv', 'clients.parquet', 'client_curves.parquet'),
  'summary.json',
)


def main(argv: Sequence[str]) -> None:
  """Runs, kills, and says how many of the killed runs gave the same files."""
  if not _FOLDER.value or os.path.exists(_FOLDER.value):
    sys.exit('kills: --folder is missing or exists, expected the name of a new folder.')
  os.makedirs(_FOLDER.value)
  whole = os.path.join(_FOLDER.value, 'whole')
  began = time.monotonic()
  process = _start(whole, argv[1:])
  first_checkpoint = _wait_for_checkpoint(process, whole)
  if process.wait():
    sys.exit(f'kills: the run that is compared with failed; see {whole}.log.')
  length = time.monotonic() - began - first_checkpoint
  moments = random.Random(_SEED.value)
  num_kills = num_runs = num_same = 0
  killed = False
  while num_kills < _KILLS.value or killed:
    folder = os.path.join(_FOLDER.value, f'run_{num_runs}')
    process, killed = _start(folder, argv[1:]), False
    if num_kills < _KILLS.value:
      # From half the time that it takes to start, so that some are killed before any round.
      killed = _kill_after(
        process, moments.uniform(first_checkpoint / 2, first_checkpoint + length / 4)
      )
    if killed:
      num_kills += 1
      print(f'kill {num_kills} of {folder}, {_newest_checkpoint(folder)}', flush=True)
    elif process.wait():
      sys.exit(f'kills: a run did not resume; see {folder}.log.')
    else:
      same = all(_is_same(whole, folder, name) for name in _COMPARED)
      num_runs, num_same = num_runs + 1, num_same + same
      print(f'{folder} is complete: {"the same" if same else "NOT THE SAME"}', flush=True)
  print(f'{num_kills} kills, {num_runs} runs complete, {num_same} with the same files')
  sys.exit(num_same < num_runs)


def _start(folder: str, arguments: Sequence[str]) -> subprocess.Popen:
  command = [sys.executable, '-m', 'pipelines.train', *_RUN, *arguments, f'--run_dir={folder}']
  with open(f'{folder}.log', 'ab') as log:
    return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)


def _wait_for_checkpoint(process: subprocess.Popen, folder: str) -> float:
  """Waits until the run has a checkpoint; returns the seconds."""
  began = time.monotonic()
  while process.poll() is None and not _newest_checkpoint(folder):
    time.sleep(0.05)
  return time.monotonic() - began


def _newest_checkpoint(folder: str) -> str:
  try:
    return max(os.listdir(os.path.join(folder, 'checkpoints')), default='')
  except FileNotFoundError:
    return ''


def _kill_after(process: subprocess.Popen, seconds: float) -> bool:
  """Kills a process after some time; False if it has ended before."""
  try:
    process.wait(seconds)
  except subprocess.TimeoutExpired:
    process.kill()
    process.wait()
    return True
  return False


def _is_same(one: str, other: str, name: str) -> bool:
  return filecmp.cmp(os.path.join(one, name), os.path.join(other, name), shallow=False)


if __name__ == '__main__':
  launch.run(main, takes_arguments=True)
