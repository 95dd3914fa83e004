"""Programs about simulations: clients' data, composed processes, baselines."""

import asyncio
import collections
import os
import tempfile

import numpy as np
import tensorflow as tf

from benchmarks.tff_programs import linear, program
from tff_lg.compatibility import tff

SIMULATION = program.Programs('tff.simulation')
DATASETS = program.Programs('tff.simulation.datasets')
BASELINES = program.Programs('tff.simulation.baselines')

_NUMBERS = {'a': [1, 2], 'b': [3]}


def _client_data():
  slices = {
    name: collections.OrderedDict(x=np.array(numbers, np.int64))
    for name, numbers in _NUMBERS.items()
  }
  return tff.simulation.datasets.TestClientData(slices)


def _total(data_type):
  """Returns a computation that adds up clients' data."""

  @tff.tensorflow.computation(data_type)
  def add_up(data):
    return data.reduce(np.int64(0), lambda total, row: total + row['x'])

  @tff.federated_computation(tff.FederatedType(data_type, tff.CLIENTS))
  def computation(data):
    return tff.federated_map(add_up, data)

  return computation


def _totals(client_data):
  """Returns what each client's data add up to, read in this process and at the clients."""
  data_type = client_data.dataset_computation.type_signature.result
  names = client_data.client_ids
  from_data = _total(data_type)
  from_names = tff.simulation.compose_dataset_computation_with_computation(
    client_data.dataset_computation, from_data
  )
  data = [client_data.create_tf_dataset_for_client(name) for name in names]
  return lambda: (from_data(data), from_names(names))


@DATASETS.add(([3, 3], [3, 3]))
def test_client_data():
  return _totals(_client_data())


@DATASETS.add(([6, 6], [6, 6]))
def preprocessed_client_data():
  def double(row):
    return collections.OrderedDict(x=2 * row['x'])

  return _totals(_client_data().preprocess(lambda data: data.map(double)))


@DATASETS.add(([3, 6, 3, 6], [3, 6, 3, 6]))
def transforming_client_data():
  def transform(name):
    factor = tf.cast(tf.strings.to_number(tf.strings.split(name, '_')[-1]) + 1.0, tf.int64)
    return lambda row: collections.OrderedDict(x=factor * row['x'])

  return _totals(
    tff.simulation.datasets.TransformingClientData(
      _client_data(),
      transform,
      expand_client_id=lambda name: [f'{name}_0', f'{name}_1'],
      reduce_client_id=lambda name: tf.strings.split(name, '_')[0],
    )
  )


@DATASETS.add(([3, 3], [3, 3]))
def client_data_of_a_function():
  def of_client(name):
    numbers = tf.where(name == 'a', [1, 2], [3, 0])
    return tf.data.Dataset.from_tensor_slices(collections.OrderedDict(x=tf.cast(numbers, tf.int64)))

  return _totals(
    tff.simulation.datasets.ClientData.from_clients_and_tf_fn(list(_NUMBERS), of_client)
  )


@DATASETS.add(([3, 3], [3, 3]))
def sql_client_data():
  client_data, path = _client_data(), os.path.join(tempfile.mkdtemp(), 'clients.sqlite')
  tff.simulation.datasets.save_to_sql_client_data(
    client_data.client_ids, client_data.create_tf_dataset_for_client, path
  )
  return _totals(
    tff.simulation.datasets.load_and_parse_sql_client_data(path, client_data.element_type_structure)
  )


@DATASETS.add([1, 1])
def raw_sql_client_data():
  client_data, path = _client_data(), os.path.join(tempfile.mkdtemp(), 'clients.sqlite')
  tff.simulation.datasets.save_to_sql_client_data(
    ['b', 'a'],
    client_data.create_tf_dataset_for_client,
    path,
    split_names_by_client_id={'a': 'train', 'b': 'test'},
  )

  def clients(split):
    return len(tff.simulation.datasets.SqlClientData(path, split).client_ids)

  return lambda: [clients('train'), clients('test')]


@DATASETS.add(([3, 3], [3, 3]))
def file_per_user_client_data():
  folder = tempfile.mkdtemp()
  paths = {name: os.path.join(folder, f'{name}.txt') for name in _NUMBERS}
  for name, path in paths.items():
    with open(path, 'w', encoding='utf-8') as file:
      file.write('\n'.join(map(str, _NUMBERS[name])))

  def read(path):
    def parse(line):
      return collections.OrderedDict(x=tf.strings.to_number(line, tf.int64))

    return tf.data.TextLineDataset(path).map(parse)

  return _totals(tff.simulation.datasets.FilePerUserClientData(paths, read))


def _on_first(function):
  """Returns a function of the first client's data set, as numbers."""
  data = _client_data().create_tf_dataset_for_client('a')
  data_type = tff.SequenceType(collections.OrderedDict(x=np.int64))
  computation = _total(data_type)
  return lambda: computation([function(data)])


@DATASETS.add([2])
def single_label_dataset():
  return _on_first(lambda data: tff.simulation.datasets.build_single_label_dataset(data, 'x', 2))


@DATASETS.add([3])
def dataset_mixture():
  return _on_first(
    lambda data: tff.simulation.datasets.build_dataset_mixture(data, data.skip(1), 1.0).concatenate(
      data.skip(1)
    )
  )


# Each of the first client is drawn from all: three different numbers add up to 6.
@DATASETS.add([6])
def synthetic_iid_datasets():
  client_data = _client_data()

  def three(data):
    del data
    datasets = tff.simulation.datasets.build_synthethic_iid_datasets(client_data, 3)
    window = next(iter(datasets))['x']
    return window.map(lambda x: collections.OrderedDict(x=x))

  return _on_first(three)


@SIMULATION.add((True, 2, [0, 1, 2]))
def uniform_sampling_fn():
  def call():
    sample = tff.simulation.build_uniform_sampling_fn(range(3), random_seed=1)
    return sample(4, 2) == sample(4, 2), len(set(sample(0, 2))), sorted(sample(1, 3))

  return call


def _counting_process():
  """Adds up what clients have over rounds."""
  data_type = tff.SequenceType(collections.OrderedDict(x=np.int64))
  initialize = tff.federated_computation(lambda: tff.federated_value(np.int64(0), tff.SERVER))
  add = tff.tensorflow.computation(lambda x, y: x + y, np.int64, np.int64)
  total = _total(data_type)

  @tff.federated_computation(
    tff.FederatedType(np.int64, tff.SERVER), tff.FederatedType(data_type, tff.CLIENTS)
  )
  def next_fn(state, data):
    found = tff.federated_sum(total(data))
    return tff.federated_map(add, (state, found)), found

  return tff.templates.IterativeProcess(initialize, next_fn)


@SIMULATION.add((12, 6))
def iterative_process_from_client_names():
  client_data = _client_data()
  process = tff.simulation.compose_dataset_computation_with_iterative_process(
    client_data.dataset_computation, _counting_process()
  )

  def call():
    state, _ = process.next(process.initialize(), client_data.client_ids)
    return process.next(state, client_data.client_ids)

  return call


def _named_clients():
  """Returns the linear model's clients by name."""
  batches = dict(zip('ab', linear.client_data(), strict=True))
  return tff.simulation.datasets.TestClientData(
    {
      name: collections.OrderedDict(
        (column, np.concatenate([batch[index] for batch in data]))
        for index, column in enumerate('xy')
      )
      for name, data in batches.items()
    }
  ).preprocess(lambda data: data.map(lambda row: (row['x'], row['y'])).batch(1))


def _fed_avg():
  return tff.learning.algorithms.build_weighted_fed_avg(
    linear.functional(), tff.learning.optimizers.build_sgdm(linear.RATE)
  )


@SIMULATION.add(linear.WEIGHTED)
def learning_process_from_client_names():
  client_data = _named_clients()
  process = tff.simulation.compose_dataset_computation_with_learning_process(
    client_data.dataset_computation, _fed_avg()
  )

  def call():
    return linear.weight(process, process.next(process.initialize(), ['a', 'b']).state)

  return call


@SIMULATION.add((linear.WEIGHTED, [0, 1], [linear.LOSS]))
def training_process():
  process, data = _fed_avg(), linear.client_data()
  evaluation = tff.learning.algorithms.build_fed_eval(linear.functional())

  def evaluate(state, clients):
    metrics = evaluation.next(
      evaluation.set_model_weights(evaluation.initialize(), process.get_model_weights(state)),
      clients,
    ).metrics
    return metrics['client_work']['eval']['current_round_metrics']

  def call():
    manager = tff.program.MemoryReleaseManager()
    # TFF asks for the thread's loop, which `asyncio.run` removes.
    asyncio.set_event_loop(asyncio.new_event_loop())
    state = tff.simulation.run_training_process(
      process,
      training_selection_fn=lambda round_num: data,
      total_rounds=1,
      evaluation_fn=evaluate,
      evaluation_selection_fn=lambda round_num: data,
      metrics_managers=[manager],
    )
    released = manager.values()
    losses = [released[0][f'{tff.simulation.EVALUATION_METRICS_PREFIX}error']]
    return linear.weight(process, state), list(released), losses

  return call


def _first_round(task):
  """Counts the examples of a baseline's first client, and tells if its loss is finite."""
  data = task.datasets.train_data
  client = task.datasets.train_preprocess_fn(data.create_tf_dataset_for_client(data.client_ids[0]))
  process = tff.learning.algorithms.build_weighted_fed_avg(
    task.model_fn, tff.learning.optimizers.build_sgdm(0.01)
  )

  def call():
    metrics = process.next(process.initialize(), [client.take(1)]).metrics['client_work']['train']
    return metrics['num_examples'], bool(np.isfinite(metrics['loss']))

  return call


_SPEC = tff.simulation.baselines.ClientSpec(num_epochs=1, batch_size=2)


@BASELINES.add((2, True))
def emnist_character_recognition():
  return _first_round(
    tff.simulation.baselines.emnist.create_character_recognition_task(
      _SPEC, model_id='2nn', use_synthetic_data=True
    )
  )


@BASELINES.add((2, True))
def emnist_autoencoder():
  return _first_round(
    tff.simulation.baselines.emnist.create_autoencoder_task(_SPEC, use_synthetic_data=True)
  )


# Metrics count letters, of which a line has fewer than its length.
@BASELINES.add(True)
def shakespeare_character_prediction():
  call = _first_round(
    tff.simulation.baselines.shakespeare.create_character_prediction_task(
      _SPEC, sequence_length=5, use_synthetic_data=True
    )
  )
  return lambda: call()[1]
