"""Round time and memory against the number of clients, and against the size of the cohort.

  python -m benchmarks.scale --client_store=disk
  python -m benchmarks.scale --populations=1000,10000 --cohorts=10,100 --rounds=10
  python -m benchmarks.scale --client_store=disk --populations=100000 --cohorts= --rounds=1000

It runs LG-FedAvg. A client's examples are made from its number each time they are read, so that no
file is needed. Each point runs in a process of its own, whose peak of resident memory counts.
`grown` is the ratio of resident memory after the last round to that after a third of the rounds.
Mapped files do not count: the system takes them back when memory is short.
"""

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

import psutil
from absl import flags

from pipelines import launch
from tff_lg import config as config_lib

if TYPE_CHECKING:
  from tff_lg import data

_POPULATIONS = flags.DEFINE_list(
  'populations', ['1000', '10000', '100000'], 'Numbers of clients, with cohorts of --cohort.'
)
_COHORTS = flags.DEFINE_list(
  'cohorts', ['10', '100', '1000'], 'Sizes of the cohort, of as many clients as --population.'
)
_POPULATION = flags.DEFINE_integer('population', 10_000, 'Clients where cohorts are compared.', 1)
_COHORT = flags.DEFINE_integer('cohort', 100, 'Cohort where populations are compared.', 1)
_ROUNDS = flags.DEFINE_integer('rounds', 30, 'Rounds at each point.', lower_bound=3)
_STORE = flags.DEFINE_string('client_store', None, "Where clients' states are; the default's.")
_POINT = flags.DEFINE_bool(
  'point', False, 'Runs the one point of --population and --cohort and prints its numbers.'
)

_NUM_CLASSES, _ROW_SHAPE = 10, (64,)
_NUM_HELD_OUT = 5  # Validation examples of each client, and test examples.
_EVALUATED = 100


def main() -> None:
  """Runs each point and prints a table, or runs one."""
  if _POINT.value:
    print(json.dumps(_run_point(_POPULATION.value, _COHORT.value)))
    return
  try:
    by_population = [(int(number), _COHORT.value) for number in _POPULATIONS.value]
    by_cohort = [(_POPULATION.value, int(number)) for number in _COHORTS.value if number]
  except ValueError as error:
    sys.exit(f'scale: --populations and --cohorts are numbers, but {error}.')
  if any(cohort > population for population, cohort in by_population + by_cohort):
    sys.exit('scale: a cohort is larger than its population: lower --cohort or --cohorts.')
  for points in filter(None, (by_population, by_cohort)):
    print(f'\n{"clients":>9}{"cohort":>8}{"s a round":>11}{"ratio":>8}{"peak MiB":>10}{"grown":>8}')
    first = None
    for population, cohort in points:
      found = _measure(population, cohort)
      first = first or found
      print(
        f'{population:>9,}{cohort:>8,}{found["seconds"]:>11.3f}'
        f'{found["seconds"] / first["seconds"]:>8.2f}{found["mebibytes"]:>10.0f}'
        f'{found["grown"]:>8.3f}',
        flush=True,
      )


def _measure(population: int, cohort: int) -> dict[str, float]:
  """Measures one point in a process of its own; returns its numbers."""
  command = [sys.executable, '-m', 'benchmarks.scale', '--point', f'--rounds={_ROUNDS.value}']
  command += [f'--population={population}', f'--cohort={cohort}']
  if _STORE.value is not None:
    command.append(f'--client_store={_STORE.value}')
  result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
  if result.returncode:
    sys.exit(f'scale: {population} clients, {cohort} a round: ended with {result.returncode}.')
  return json.loads(result.stdout.splitlines()[-1])


def _run_point(population: int, cohort: int) -> dict[str, float]:
  """Returns the median seconds of a round, the first left out, and the process's memory."""
  from tff_lg import training
  from tff_lg.inputs import tasks
  from tff_lg.runtime import workers
  from tff_lg.simulation import execution, loop_values, run_phases

  workers.configure_tensorflow('auto')  # before anything else starts TensorFlow
  execution.set_execution_context()
  config = config_lib.resolve(
    config_lib.TrainConfig(
      task='client_files',
      data_dir='generated',
      num_classes=_NUM_CLASSES,
      clients_per_round=cohort,
      rounds=_ROUNDS.value,
      evaluate_every=_ROUNDS.value,
      checkpoint_every=_ROUNDS.value,
      max_evaluated_clients=_EVALUATED,
      **({} if _STORE.value is None else {'client_store': _STORE.value}),
    )
  )
  federated_data = _generate(population, 2 * cohort)
  phases = run_phases.build_phases(config, tasks.build_model(config.input_options, federated_data))
  seconds, resident, process = [], [], psutil.Process()

  class Stopwatch(training.Callback):
    """Takes the time and the memory of each round; the last one's has the evaluation in it."""

    def on_run_begin(self, state, phases):
      self._began = time.perf_counter()

    def on_round_end(self, state, metrics):
      seconds.append(time.perf_counter() - self._began)
      memory = process.memory_info()
      resident.append(memory.rss - memory.shared)
      self._began = time.perf_counter()

  clients = training.to_clients(federated_data)
  with tempfile.TemporaryDirectory() as folder:
    values = loop_values.loop_values(config, len(clients), folder)
    values['callbacks'].append(Stopwatch())
    training.run(phases, clients, **values)
  peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB on Linux.
  return {
    'seconds': statistics.median(seconds[1:]),
    'mebibytes': peak / 2**10,
    'grown': resident[-1] / resident[len(resident) // 3],
  }


def _generate(num_clients: int, cache_size: int) -> 'data.FederatedData':
  """Returns clients of 20 to 60 training examples, each made from its number when it is read."""
  import numpy as np

  from tff_lg import data

  sizes = np.random.default_rng(0).integers(20, 61, num_clients)
  held_out = np.full(num_clients, _NUM_HELD_OUT)

  def read(number: int) -> data.ClientExamples:
    rng = np.random.default_rng([0, number])

    def examples(size: int) -> data.Examples:
      y = rng.integers(0, _NUM_CLASSES, size, np.int32)
      x = rng.normal(size=(size, *_ROW_SHAPE)).astype(np.float32)
      x[:, :_NUM_CLASSES] += 2 * np.eye(_NUM_CLASSES, dtype=np.float32)[y]
      return data.Examples(x, y)

    return data.ClientExamples(
      f'client_{number}', *map(examples, (sizes[number], _NUM_HELD_OUT, _NUM_HELD_OUT))
    )

  reader = data.ClientReader(
    [f'client_{number}' for number in range(num_clients)],
    {'train': sizes, 'validation': held_out, 'test': held_out},
    read,
    row_shape=_ROW_SHAPE,
    num_classes=_NUM_CLASSES,
    cache_size=cache_size,
  )
  return reader.federate()


if __name__ == '__main__':
  launch.run(main)
