"""A model of one weight, y = w x, and two clients whose rounds can be computed by hand.

The loss is the squared error, so a batch of one example has the gradient 2 x (w x - y). From w = 0
with rate 0.1 the first client's steps lead to 0.4 and 1.68, the second client's to 0.2.
"""

import collections

import numpy as np
import tensorflow as tf

from tff_lg.compatibility import tff

RATE = 0.1
# Each client's batches of one example (x, y).
EXAMPLES = (((1.0, 2.0), (2.0, 4.0)), ((1.0, 1.0),))
SPEC = (tf.TensorSpec([None, 1]), tf.TensorSpec([None, 1]))
# After one round, weighted by examples and not.
WEIGHTED = (2 * 1.68 + 0.2) / 3
UNWEIGHTED = (1.68 + 0.2) / 2
# The gradient over all examples at w = 0.
GRADIENT = (-4.0 - 16.0 - 2.0) / 3
# The mean loss over all examples at w = 0.
LOSS = (4.0 + 16.0 + 1.0) / 3


def client_data() -> list[tf.data.Dataset]:
  """Returns each client's data, in batches of one example."""
  return [
    tf.data.Dataset.from_tensor_slices(
      tuple(np.array(column, np.float32)[:, np.newaxis] for column in zip(*examples, strict=True))
    ).batch(1)
    for examples in EXAMPLES
  ]


def keras_model() -> tf.keras.Model:
  """Returns the model in Keras, with weight 0."""
  return tf.keras.Sequential(
    [
      tf.keras.layers.InputLayer(input_shape=(1,)),
      tf.keras.layers.Dense(1, use_bias=False, kernel_initializer='zeros'),
    ]
  )


def variable() -> tff.learning.models.VariableModel:
  """Returns the model for builders that take one with variables."""
  return tff.learning.models.from_keras_model(
    keras_model(),
    loss=tf.keras.losses.MeanSquaredError(),
    input_spec=SPEC,
    metrics=[tf.keras.metrics.MeanSquaredError(name='error')],
  )


def functional() -> tff.learning.models.FunctionalModel:
  """Returns the model without variables."""
  return tff.learning.models.functional_model_from_keras(
    keras_model(),
    loss_fn=tf.keras.losses.MeanSquaredError(),
    input_spec=SPEC,
    metrics_constructor=collections.OrderedDict(
      error=lambda: tf.keras.metrics.MeanSquaredError(name='error')
    ),
  )


def weight(process, state) -> float:
  """Returns the model's only weight in the state of a learning process."""
  return float(np.squeeze(process.get_model_weights(state).trainable[0]))


def trained(process, rounds=1):
  """Returns what trains for some rounds and gives the weight."""
  data = client_data()

  def call():
    state = process.initialize()
    for _ in range(rounds):
      state = process.next(state, data).state
    return weight(process, state)

  return call
