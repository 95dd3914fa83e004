"""Trials that do what they are told, importable by the processes of a pool."""

import os
import signal
import sys

from tff_lg import sweeps


def job(folder, name, behaviour='ends'):
  """Returns a trial with its files in the folder."""
  return sweeps.Job(
    name, behaviour, os.path.join(folder, name), os.path.join(folder, 'logs', f'{name}.log')
  )


class ReadAfter:
  """A behaviour that fails where it is read before a module was imported."""

  def __init__(self, module, behaviour='ends'):
    self._arguments = module, behaviour

  def __reduce__(self):
    return _read, self._arguments


def _read(module, behaviour):
  return behaviour if module in sys.modules else 'fails'


def num_attempts(folder, name):
  """Returns how often a trial was started."""
  try:
    with open(os.path.join(folder, name, 'attempts'), encoding='utf-8') as file:
      return len(file.read().splitlines())
  except FileNotFoundError:
    return 0


def process_ids(folder, name):
  """Returns the processes that ran a trial."""
  with open(os.path.join(folder, name, 'attempts'), encoding='utf-8') as file:
    return file.read().split()


def run(behaviour, run_dir):
  """Runs a trial: writes its process down, then behaves as told."""
  os.makedirs(run_dir, exist_ok=True)
  path = os.path.join(run_dir, 'attempts')
  with open(path, 'a', encoding='utf-8') as file:
    file.write(f'{os.getpid()}\n')
  with open(path, encoding='utf-8') as file:
    is_first = len(file.read().splitlines()) == 1
  print('trial', os.path.basename(run_dir))
  sys.stderr.write('and its errors\n')
  if behaviour == 'fails' or (behaviour == 'fails once' and is_first):
    raise ValueError('no luck\nsecond line')
  if behaviour == 'dies' or (behaviour == 'dies once' and is_first):
    os.kill(os.getpid(), signal.SIGKILL)
  if behaviour == 'exits':
    sys.exit('enough')
  if behaviour == 'hangs':
    signal.pause()
  with open(os.path.join(run_dir, 'cores'), 'w', encoding='utf-8') as file:
    file.write(','.join(map(str, sorted(os.sched_getaffinity(0)))))
