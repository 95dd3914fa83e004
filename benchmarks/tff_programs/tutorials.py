"""Programs of the size of TFF's tutorials: their networks, optimizers and aggregators.

Each has two clients of generated data. Values that are known without TFF are compared: numbers of
examples, sums, and losses of models that start at zero.
"""

import collections
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from benchmarks.tff_programs import program
from tff_lg.compatibility import tff

TUTORIALS = program.Programs("TFF's tutorials")

_CLIENTS = 2
_PIXELS = 28 * 28
_DIGITS = 10
_EXAMPLES = 40
_EPOCHS = 5
_BATCH = 20
# All examples of all clients in all epochs.
_SEEN = _CLIENTS * _EXAMPLES * _EPOCHS
# The loss of a model that gives each class the same probability.
_UNIFORM_LOSS = float(np.log(_DIGITS))

_CHARACTERS = 86
_TEXT_BATCH, _TEXT_LENGTH = 8, 100

_ITEMS, _FACTORS, _RATINGS = 200, 50, 10

_IMAGES_SPEC = collections.OrderedDict(
  x=tf.TensorSpec([None, _PIXELS]), y=tf.TensorSpec([None, 1], tf.int32)
)


def _images(epochs: int = _EPOCHS) -> list[tf.data.Dataset]:
  """Returns each client's images, shuffled and batched as in the tutorial on images."""
  random = np.random.default_rng(0)
  return [
    tf.data.Dataset.from_tensor_slices(
      collections.OrderedDict(
        x=random.random((_EXAMPLES, _PIXELS), np.float32),
        y=random.integers(_DIGITS, size=(_EXAMPLES, 1), dtype=np.int32),
      )
    )
    .repeat(epochs)
    .shuffle(100, seed=1)
    .batch(_BATCH)
    for _ in range(_CLIENTS)
  ]


def _of_layers(layers: Sequence[tf.keras.layers.Layer]) -> tff.learning.models.VariableModel:
  return tff.learning.models.from_keras_model(
    tf.keras.Sequential(layers),
    input_spec=_IMAGES_SPEC,
    loss=tf.keras.losses.SparseCategoricalCrossentropy(),
    metrics=[tf.keras.metrics.SparseCategoricalAccuracy()],
  )


def _softmax_regression() -> tff.learning.models.VariableModel:
  layers = tf.keras.layers
  return _of_layers(
    [
      layers.InputLayer(input_shape=(_PIXELS,)),
      layers.Dense(_DIGITS, kernel_initializer='zeros'),
      layers.Softmax(),
    ]
  )


def _perceptron() -> tff.learning.models.VariableModel:
  layers = tf.keras.layers
  return _of_layers(
    [
      layers.InputLayer(input_shape=(_PIXELS,)),
      layers.Dense(200, activation='relu'),
      layers.Dense(200, activation='relu'),
      layers.Dense(_DIGITS, activation='softmax'),
    ]
  )


def _convolutional() -> tff.learning.models.VariableModel:
  layers = tf.keras.layers
  return _of_layers(
    [
      layers.Reshape((28, 28, 1), input_shape=(_PIXELS,)),
      layers.Conv2D(32, 5, padding='same', activation='relu'),
      layers.MaxPooling2D(),
      layers.Conv2D(64, 5, padding='same', activation='relu'),
      layers.MaxPooling2D(),
      layers.Flatten(),
      layers.Dense(512, activation='relu'),
      layers.Dense(_DIGITS, activation='softmax'),
    ]
  )


def _examples_of_a_round(process: Any, data: Sequence[tf.data.Dataset]) -> program.Call:
  """Returns what trains for a round and gives the number of examples.

  Args:
    process: a learning process of TFF.
    data: of each client.
  """

  def call() -> int:
    metrics = process.next(process.initialize(), list(data)).metrics
    return metrics['client_work']['train']['num_examples']

  return call


def _sgd(rate: float) -> tff.learning.optimizers.Optimizer:
  return tff.learning.optimizers.build_sgdm(rate)


@TUTORIALS.add(_SEEN)
def image_classification() -> program.Call:
  return _examples_of_a_round(
    tff.learning.algorithms.build_weighted_fed_avg(_softmax_regression, _sgd(0.02), _sgd(1.0)),
    _images(),
  )


@TUTORIALS.add(_UNIFORM_LOSS)
def image_classification_evaluation() -> program.Call:
  process, data = tff.learning.algorithms.build_fed_eval(_softmax_regression), _images(1)

  def call() -> float:
    metrics = process.next(process.initialize(), data).metrics['client_work']['eval']
    return metrics['current_round_metrics']['loss']

  return call


@TUTORIALS.add(_CLIENTS * _EXAMPLES)
def convolutional_network() -> program.Call:
  return _examples_of_a_round(
    tff.learning.algorithms.build_weighted_fed_avg(_convolutional, _sgd(0.02), _sgd(1.0)),
    _images(1),
  )


@TUTORIALS.add(_SEEN)
def tuned_aggregator() -> program.Call:
  return _examples_of_a_round(
    tff.learning.algorithms.build_weighted_fed_avg(
      _softmax_regression,
      _sgd(0.02),
      _sgd(1.0),
      model_aggregator=tff.learning.compression_aggregator(zeroing=True, clipping=True),
    ),
    _images(),
  )


@TUTORIALS.add(_SEEN)
def differential_privacy() -> program.Call:
  aggregator = tff.aggregators.DifferentiallyPrivateFactory.gaussian_adaptive(
    noise_multiplier=0.05, clients_per_round=_CLIENTS
  )
  return _examples_of_a_round(
    tff.learning.algorithms.build_unweighted_fed_avg(
      _perceptron, _sgd(0.01), _sgd(1.0), model_aggregator=aggregator
    ),
    _images(),
  )


@TUTORIALS.add(_CLIENTS * _TEXT_BATCH * _TEXT_LENGTH)
def text_generation() -> program.Call:
  random = np.random.default_rng(0)
  texts = random.integers(
    _CHARACTERS, size=(_CLIENTS, _TEXT_BATCH, _TEXT_LENGTH + 1), dtype=np.int64
  )
  data = [
    tf.data.Dataset.from_tensor_slices((text[:, :-1], text[:, 1:])).batch(
      _TEXT_BATCH, drop_remainder=True
    )
    for text in texts
  ]

  def model() -> tff.learning.models.VariableModel:
    layers = tf.keras.layers
    return tff.learning.models.from_keras_model(
      tf.keras.Sequential(
        [
          layers.InputLayer(batch_input_shape=(_TEXT_BATCH, None)),
          layers.Embedding(_CHARACTERS, 256),
          layers.GRU(1024, return_sequences=True, stateful=True),
          layers.Dense(_CHARACTERS),
        ]
      ),
      input_spec=data[0].element_spec,
      loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
      metrics=[tff.simulation.baselines.keras_metrics.NumTokensCounter(masked_tokens=[])],
    )

  process = tff.learning.algorithms.build_weighted_fed_avg(model, _sgd(0.5), _sgd(1.0))

  def call() -> int:
    metrics = process.next(process.initialize(), data).metrics['client_work']['train']
    return metrics['num_tokens']

  return call


# The client's factors are local: rebuilt on its ratings, on which the others are trained then.
@TUTORIALS.add(_CLIENTS * _RATINGS)
def reconstruction_of_a_factorization() -> program.Call:
  random = np.random.default_rng(0)
  data = [
    tf.data.Dataset.from_tensor_slices(
      (
        random.integers(_ITEMS, size=(_RATINGS, 1), dtype=np.int64),
        random.random((_RATINGS, 1), np.float32),
      )
    ).batch(1)
    for _ in range(_CLIENTS)
  ]

  def model() -> tff.learning.models.ReconstructionModel:
    layers = tf.keras.layers
    item = layers.Input(shape=[1], dtype=tf.int64)
    item_factors = layers.Embedding(_ITEMS, _FACTORS)
    user_factors = layers.Embedding(1, _FACTORS)
    user = layers.Lambda(tf.zeros_like)(item)
    product = layers.Dot(axes=1)(
      [layers.Flatten()(item_factors(item)), layers.Flatten()(user_factors(user))]
    )
    return tff.learning.models.ReconstructionModel.from_keras_model_and_layers(
      keras_model=tf.keras.Model(inputs=item, outputs=product),
      global_layers=[item_factors],
      local_layers=[user_factors],
      input_spec=data[0].element_spec,
    )

  process = tff.learning.algorithms.build_fed_recon(
    model,
    loss_fn=tf.keras.losses.MeanSquaredError,
    metrics_fn=lambda: [tff.learning.metrics.NumExamplesCounter()],
    client_optimizer_fn=_sgd(0.5),
    reconstruction_optimizer_fn=_sgd(0.1),
    dataset_split_fn=tff.learning.models.ReconstructionModel.simple_dataset_split_fn,
  )
  return _examples_of_a_round(process, data)


@TUTORIALS.add([_UNIFORM_LOSS, _CLIENTS])
def custom_federated_averaging() -> program.Call:
  spec = collections.OrderedDict(
    x=tff.TensorType(np.float32, [None, _PIXELS]), y=tff.TensorType(np.int32, [None])
  )
  model_type = tff.to_type(
    collections.OrderedDict(
      weights=tff.TensorType(np.float32, [_PIXELS, _DIGITS]),
      bias=tff.TensorType(np.float32, [_DIGITS]),
    )
  )

  def loss(model, batch) -> tf.Tensor:
    logits = batch['x'] @ model['weights'] + model['bias']
    return tf.reduce_mean(
      tf.nn.sparse_softmax_cross_entropy_with_logits(labels=batch['y'], logits=logits)
    )

  data_type = tff.SequenceType(spec)

  @tff.tensorflow.computation(model_type, np.float32, data_type)
  def train(model, rate, batches):
    def step(model, batch):
      with tf.GradientTape() as tape:
        tape.watch(model)
        value = loss(model, batch)
      return tf.nest.map_structure(
        lambda each, gradient: each - rate * gradient, model, tape.gradient(value, model)
      )

    return batches.reduce(model, step)

  @tff.tensorflow.computation(model_type, data_type)
  def evaluate(model, batches):
    total, count = batches.reduce(
      (0.0, 0.0), lambda found, batch: (found[0] + loss(model, batch), found[1] + 1.0)
    )
    return total / count

  one = tff.tensorflow.computation(lambda: 1)

  @tff.federated_computation(
    tff.FederatedType(model_type, tff.SERVER),
    tff.FederatedType(np.float32, tff.SERVER),
    tff.FederatedType(data_type, tff.CLIENTS),
  )
  def next_fn(model, rate, data):
    received = tff.federated_broadcast(model)
    before = tff.federated_mean(tff.federated_map(evaluate, (received, data)))
    trained = tff.federated_map(train, (received, tff.federated_broadcast(rate), data))
    clients = tff.federated_sum(tff.federated_eval(one, tff.CLIENTS))
    return tff.federated_mean(trained), before, clients

  data = [
    client.map(lambda row: collections.OrderedDict(x=row['x'], y=row['y'][:, 0]))
    for client in _images(1)
  ]
  model = collections.OrderedDict(
    weights=np.zeros([_PIXELS, _DIGITS], np.float32), bias=np.zeros([_DIGITS], np.float32)
  )

  def call() -> list[float]:
    _, before, clients = next_fn(model, np.float32(0.1), data)
    return [before, clients]

  return call


# Clients ask for the rows of their own words; a row is its number.
@TUTORIALS.add([[3.0, 1.0], [2.0, 3.0]])
def federated_select() -> program.Call:
  table_type = tff.TensorType(np.float32, [_ITEMS, _FACTORS])
  keys_type = tff.TensorType(np.int32, [2])
  row = tff.tensorflow.computation(lambda table, key: tf.gather(table, key), table_type, np.int32)
  first = tff.tensorflow.computation(
    lambda rows: rows.map(lambda each: each[0]).batch(2).reduce(tf.zeros([2]), lambda _, x: x),
    tff.SequenceType(tff.TensorType(np.float32, [_FACTORS])),
  )
  number = tff.tensorflow.computation(lambda: _ITEMS)

  @tff.federated_computation(
    tff.FederatedType(table_type, tff.SERVER), tff.FederatedType(keys_type, tff.CLIENTS)
  )
  def select(table, keys):
    limit = tff.federated_eval(number, tff.SERVER)
    return tff.federated_map(first, tff.federated_select(keys, limit, table, row))

  table = np.repeat(np.arange(_ITEMS, dtype=np.float32)[:, np.newaxis], _FACTORS, axis=1)
  return lambda: select(table, [np.array([3, 1], np.int32), np.array([2, 3], np.int32)])


@TUTORIALS.add([_EXAMPLES, _EXAMPLES])
def personalization() -> program.Call:
  def fine_tune(model, train_data, test_data, context=None):
    del test_data, context
    optimizer = tf.keras.optimizers.SGD(0.02)

    @tf.function
    def train() -> tf.Tensor:
      seen = tf.constant(0)
      for batch in train_data.batch(_BATCH):
        with tf.GradientTape() as tape:
          output = model.forward_pass(batch)
        variables = model.trainable_variables
        optimizer.apply_gradients(
          zip(tape.gradient(output.loss, variables), variables, strict=True)
        )
        seen += output.num_examples
      return seen

    return collections.OrderedDict(examples=train())

  def evaluate(model, data):
    del model
    return collections.OrderedDict(examples=data.reduce(0, lambda count, _: count + 1))

  computation = tff.learning.algorithms.build_personalization_eval_computation(
    _perceptron, collections.OrderedDict(tuned=lambda: fine_tune), evaluate
  )
  weights = tff.learning.models.ModelWeights.from_model(_perceptron())
  values = tff.learning.models.ModelWeights(
    [np.array(each) for each in weights.trainable], [np.array(x) for x in weights.non_trainable]
  )
  data = [
    collections.OrderedDict(train_data=client.unbatch(), test_data=client.unbatch())
    for client in _images(1)
  ]
  return lambda: computation(values, data)['tuned']['examples']
