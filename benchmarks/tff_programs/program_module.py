"""Programs about federated programs: contexts, data sources, managers and training loops."""

import asyncio
import collections
import csv
import datetime
import functools
import pathlib
import tempfile

import numpy as np
import tensorflow as tf

from benchmarks.tff_programs import linear, program, runtimes
from tff_lg.compatibility import tff

PROGRAM = program.Programs('tff.program')
LEARNING = program.Programs('tff.learning.programs')

_INTS = tff.FederatedType(np.int32, tff.CLIENTS)


def _awaited(main):
  """Returns what runs a federated program with a folder of its own."""

  def call():
    context = tff.program.NativeFederatedContext(runtimes.asynchronous())
    with tff.framework.get_context_stack().install(context):
      with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(main(pathlib.Path(folder)))

  return call


def _sum():
  return tff.federated_computation(tff.federated_sum, _INTS)


@PROGRAM.add((3, 6, [1.0, 2.0]))
def native_federated_context():
  @tff.federated_computation(_INTS, tff.FederatedType((np.float32, [2]), tff.SERVER))
  def computation(values, numbers):
    total = tff.federated_sum(values)
    return total, tff.federated_map(tff.tensorflow.computation(lambda x: 2 * x), total), numbers

  async def main(folder):
    del folder
    tff.program.check_in_federated_context()
    references = computation([1, 2], np.array([1.0, 2.0], np.float32))
    assert isinstance(references[0], tff.program.NativeValueReference)
    return await tff.program.materialize_value(references)

  return _awaited(main)


# A reference is the argument of the next computation before it has a value.
@PROGRAM.add(8)
def chain_of_references():
  computation = tff.federated_computation(
    lambda x: tff.federated_map(tff.tensorflow.computation(lambda y: 2 * y, np.int32), x),
    tff.FederatedType(np.int32, tff.SERVER),
  )

  async def main(folder):
    del folder
    return await tff.program.materialize_value(computation(computation(computation(1))))

  return _awaited(main)


@PROGRAM.add((True, False))
def contains_only_server_placed_data():
  types = tff.FederatedType(np.int32, tff.SERVER), _INTS
  return lambda: tuple(map(tff.program.contains_only_server_placed_data, types))


@PROGRAM.add(6)
def dataset_data_source():
  data_type = tff.FederatedType(tff.SequenceType(np.int64), tff.CLIENTS)

  @tff.federated_computation(data_type)
  def computation(data):
    add_up = tff.tensorflow.computation(
      lambda x: x.reduce(np.int64(0), lambda y, z: y + z), data_type.member
    )
    return tff.federated_sum(tff.federated_map(add_up, data))

  datasets = [tf.data.Dataset.from_tensor_slices(np.array(x, np.int64)) for x in ([1, 2], [3])]

  async def main(folder):
    del folder
    iterator = tff.program.DatasetDataSource(datasets).iterator()
    again = tff.program.DatasetDataSourceIterator.from_bytes(iterator.to_bytes())
    return await tff.program.materialize_value(computation(again.select(2)))

  return _awaited(main)


@PROGRAM.add(['a', 'b'])
def client_id_data_source():
  computation = tff.federated_computation(
    lambda names: tff.aggregators.federated_sample(names, 5),
    tff.FederatedType(np.str_, tff.CLIENTS),
  )

  async def main(folder):
    del folder
    iterator = tff.program.ClientIdDataSource(['a', 'b']).iterator()
    again = tff.program.ClientIdDataSourceIterator.from_bytes(iterator.to_bytes())
    names = await tff.program.materialize_value(computation(again.select(2)))
    return sorted(name.decode() for name in names)

  return _awaited(main)


@PROGRAM.add((3, 2, [1, 2]))
def file_program_state_manager():
  async def main(folder):
    manager = tff.program.FileProgramStateManager(folder, keep_total=2, keep_first=False)
    for version in range(3):
      await manager.save({'total': _sum()([1, version])}, version)
    state, version = await manager.load_latest({'total': 0})
    return state['total'], version, sorted(await manager.get_versions())

  return _awaited(main)


@PROGRAM.add((True, True))
def errors_of_state_managers():
  async def main(folder):
    manager = tff.program.FileProgramStateManager(folder)
    await manager.save(1, version=1)
    errors = []
    for step, error in (
      (manager.load(2, 0), tff.program.ProgramStateNotFoundError),
      (manager.save(1, version=1), tff.program.ProgramStateExistsError),
    ):
      try:
        await step
      except error:
        errors.append(True)
    return tuple(errors)

  return _awaited(main)


@PROGRAM.add({1: {'total': 1}, 2: {'total': 2}})
def memory_release_manager():
  async def main(folder):
    del folder
    manager = tff.program.MemoryReleaseManager()
    for key in (1, 2):
      await manager.release({'total': _sum()([0, key])}, key)
    return dict(manager.values())

  return _awaited(main)


@PROGRAM.add([{'round': '1', 'total': '1'}, {'round': '2', 'total': '2'}])
def csv_file_release_manager():
  async def main(folder):
    manager = tff.program.CSVFileReleaseManager(
      folder / 'm.csv', save_mode=tff.program.CSVSaveMode.WRITE, key_fieldname='round'
    )
    for key in (1, 2):
      await manager.release({'total': _sum()([0, key])}, key)
    with open(folder / 'm.csv', newline='', encoding='utf-8') as file:
      return list(csv.DictReader(file))

  return _awaited(main)


@PROGRAM.add((3, [1.0, 2.0]))
def saved_model_file_release_manager():
  async def main(folder):
    manager = tff.program.SavedModelFileReleaseManager(folder)
    await manager.release((_sum()([1, 2]), np.array([1.0, 2.0])), key=1)
    return await manager.get_value(1)

  return _awaited(main)


@PROGRAM.add(True)
def tensorboard_and_logging_release_managers():
  async def main(folder):
    managers = [
      tff.program.TensorBoardReleaseManager(folder),
      tff.program.LoggingReleaseManager(),
    ]
    grouped = tff.program.GroupingReleaseManager(managers)
    await grouped.release({'total': _sum()([1, 2])}, key=1)
    return any(folder.glob('events.out.tfevents*'))

  return _awaited(main)


# Of rounds 1 to 4, all from the third on, every second, without what starts with an underscore.
@PROGRAM.add(({3: {'total': 3}, 4: {'total': 4}}, {2: {'total': 2}, 4: {'total': 4}}))
def delayed_periodic_and_filtering_release_managers():
  async def main(folder):
    del folder
    delayed, periodic = (tff.program.MemoryReleaseManager() for _ in range(2))
    grouped = tff.program.GroupingReleaseManager(
      [
        tff.program.DelayedReleaseManager(delayed, delay=3),
        tff.program.PeriodicReleaseManager(periodic, periodicity=2),
      ]
    )
    manager = tff.program.FilteringReleaseManager(
      grouped, lambda path: not str(path[-1]).startswith('_')
    )
    for key in range(1, 5):
      await manager.release({'total': _sum()([0, key]), '_total': _sum()([0, key])}, key)
    return dict(delayed.values()), dict(periodic.values())

  return _awaited(main)


def _fed_avg():
  return tff.learning.algorithms.build_weighted_fed_avg(
    linear.functional(), tff.learning.optimizers.build_sgdm(linear.RATE)
  )


@LEARNING.add((linear.WEIGHTED, [1]))
def train_model():
  process = _fed_avg()

  async def main(folder):
    output, metrics = (tff.program.MemoryReleaseManager() for _ in range(2))
    await tff.learning.programs.train_model(
      train_process=process,
      train_data_source=tff.program.DatasetDataSource(linear.client_data()),
      train_per_round_clients=2,
      train_total_rounds=1,
      program_state_manager=tff.program.FileProgramStateManager(folder),
      model_output_manager=output,
      train_metrics_manager=metrics,
      evaluation_manager=None,
      evaluation_periodicity=1,
    )
    state = output.values()['training_checkpoint_round_1']
    return np.squeeze(state.global_model_weights.trainable[0]), list(metrics.values())

  return _awaited(main)


def _loss(weight):
  errors = [(weight * x - y) ** 2 for examples in linear.EXAMPLES for x, y in examples]
  return np.mean(errors)


@LEARNING.add({1: _loss(linear.WEIGHTED)})
def evaluation_manager():
  process = _fed_avg()
  evaluation = tff.learning.algorithms.build_fed_eval(linear.functional())
  source = functools.partial(tff.program.DatasetDataSource, linear.client_data())

  async def main(folder):
    metrics = tff.program.MemoryReleaseManager()
    manager = tff.learning.programs.EvaluationManager(
      source(),
      metrics,
      lambda name: tff.program.FileProgramStateManager(folder / name),
      lambda name: (evaluation, None),
      cohort_size=2,
      duration=datetime.timedelta(seconds=0),
    )
    await tff.learning.programs.train_model(
      train_process=process,
      train_data_source=source(),
      train_per_round_clients=2,
      train_total_rounds=1,
      program_state_manager=tff.program.FileProgramStateManager(folder / 'train'),
      model_output_manager=tff.program.MemoryReleaseManager(),
      evaluation_manager=manager,
      evaluation_periodicity=1,
    )
    return {key: each['model_metrics']['error'] for key, each in metrics.values().items()}

  return _awaited(main)


@LEARNING.add({'client_work': {}, 'model_metrics': {'loss': 1.0}})
def extract_and_rewrap_metrics():
  metrics = collections.OrderedDict(client_work={'train': {'loss': 1.0}})
  return lambda: tff.learning.programs.extract_and_rewrap_metrics(
    metrics, path=('client_work', 'train')
  )
