"""A tiny linear model and clients of three numbers, for tests of the process."""

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg import learning, models
from tff_lg.compatibility import tff


def linear_model(global_layers=('base', 'head')) -> models.LocalGlobalModel:
  """Builds y = head * base * x, two scalar weights 1 and 2, squared error."""

  def dense(name, value):
    return tf.keras.layers.Dense(
      1, use_bias=False, kernel_initializer=tf.keras.initializers.Constant(value), name=name
    )

  keras_model = tf.keras.Sequential(
    [tf.keras.layers.InputLayer(input_shape=(1,)), dense('base', 1.0), dense('head', 2.0)]
  )
  return models.from_keras(
    keras_model,
    loss=tf.keras.losses.MeanSquaredError(),
    metrics={'error': tf.keras.metrics.MeanSquaredError},
    label_spec=tf.TensorSpec([None, 1], tf.float32),
  ).with_global_layers(global_layers)


def classifier(seed=0, output_activation=None) -> models.LocalGlobalModel:
  """Builds a network 4-5-3, everything global."""
  return models.from_keras(
    models.build_mlp((4,), 3, (5,), seed=seed, output_activation=output_activation),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
  )


def gated_classifier() -> models.LocalGlobalModel:
  """Builds two layers of gated units and dropout, 4-8-6-3; the client's shifts are local."""
  return models.from_keras(
    models.build_cgau((4,), 3, (8, 6), conditioning='local', dropout_rate=0.5),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
  ).with_global_layers(models.cgau_global_layers())


def tensors(*pairs) -> learning.ClientTensors:
  """Makes a client of the linear model from pairs (x, y)."""
  x, y = np.array(pairs, np.float32).reshape(-1, 2).T
  return learning.ClientTensors(x[:, None], y[:, None])


def random_datasets(num_clients=3, num_examples=7, batch_size=3) -> list[tf.data.Dataset]:
  """Makes batched data sets of the classifier, of unequal sizes, always the same."""
  rng = np.random.default_rng(1)
  datasets = []
  for client in range(num_clients):
    n = num_examples + client
    examples = (rng.normal(size=(n, 4)).astype(np.float32), rng.integers(0, 3, n).astype(np.int32))
    datasets.append(tf.data.Dataset.from_tensor_slices(examples).batch(batch_size))
  return datasets


def settings(learning_rate=0.1, batches=None, **changes) -> learning.ProcessSettings:
  """Returns plain SGD on full batches, unless other values are given."""
  return learning.ProcessSettings(
    client_optimizer=tff.learning.optimizers.build_sgdm(learning_rate),
    batches=batches or learning.TensorBatches(None),
    **changes,
  )


def method_process(name, model=None, **changes) -> learning.LocalGlobalProcess:
  """Builds a registered method's process; where the method splits layers, the output is global."""
  names = learning.METHODS[name].option_names()
  options = {'global_layers': ('output',)} if 'global_layers' in names else {}
  return learning.METHODS[name].build_process(model or classifier(), settings(**changes), **options)


def in_graph(function: Callable[[], Any]) -> Any:
  """Returns what the function gives in a graph of its own, where models can be called."""
  with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    return session.run(function())
