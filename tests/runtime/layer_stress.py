"""A program that trains Keras layers at four clients at a time, to be run in a process of its own.

  python -m tests.runtime.layer_stress normalization

Each client has to get what it gets with one client at a time, to the bit.
"""

import sys
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import tensorflow as tf

from tests.runtime import testing
from tff_lg import runtime
from tff_lg.compatibility import tff

kl = tf.keras.layers

_ROUNDS = 50
_AT_A_TIME = 4
_STEPS = 5
_ROW = 48
# Each client's second batch has a size of its own: kernels that threads share see shapes change.
_BATCH_SIZE = 8
_LAST_BATCH_SIZES = (1, 2, 3, 5, 6, 7)
# Layers whose results are random.
_RANDOM = ('dropout',)

Layers = Sequence[tf.keras.layers.Layer]


class _SelfAttention(kl.MultiHeadAttention):
  def call(self, x: tf.Tensor) -> tf.Tensor:
    return super().call(x, x)


class _DotAttention(kl.Attention):
  def __call__(self, x: tf.Tensor) -> tf.Tensor:
    return super().__call__([x, x])


def _image(*layers: tf.keras.layers.Layer) -> Layers:
  return [kl.Reshape((4, 4, 3)), *layers]


def _volume(*layers: tf.keras.layers.Layer) -> Layers:
  return [kl.Reshape((4, 4, 3, 1)), *layers]


def _sequence(*layers: tf.keras.layers.Layer) -> Layers:
  return [kl.Reshape((8, 6)), *layers]


# What is stressed, by group and name; each is for rows of 48 numbers.
GROUPS: Mapping[str, Mapping[str, Callable[[], Layers]]] = {
  'dense': {
    'relu': lambda: [kl.Dense(32, 'relu'), kl.Dense(16, 'tanh')],
    'gelu': lambda: [kl.Dense(32, 'gelu'), kl.Dense(16, 'elu')],
    'softmax': lambda: [kl.Dense(32, 'swish'), kl.Dense(16, 'softmax')],
    'dropout': lambda: [kl.Dense(32, 'sigmoid'), kl.Dropout(0.5), kl.Dense(4)],
    'embedding': lambda: [kl.Lambda(lambda x: tf.cast(x > 0, tf.int32)), kl.Embedding(2, 4)],
    'attention': lambda: _sequence(_SelfAttention(2, 3)),
    'dot_attention': lambda: _sequence(kl.Dense(6), _DotAttention(use_scale=True)),
  },
  'normalization': {
    'layer_norm': lambda: [
      layer for _ in range(3) for layer in (kl.Dense(48, 'gelu'), kl.LayerNormalization())
    ],
    'layer_norm_of_sequence': lambda: _sequence(kl.Dense(6, 'relu'), kl.LayerNormalization()),
    'group_norm': lambda: _image(kl.Conv2D(4, 3), kl.GroupNormalization(2)),
    'batch_norm': lambda: [kl.Dense(8), kl.BatchNormalization()],
    'batch_norm_relu': lambda: _image(kl.Conv2D(4, 3), kl.BatchNormalization(), kl.ReLU()),
    'frozen_batch_norm': lambda: _image(
      kl.Conv2D(4, 3), kl.BatchNormalization(trainable=False), kl.ReLU()
    ),
    'unit_norm': lambda: [kl.Dense(8), kl.UnitNormalization()],
  },
  'convolution': {
    'conv_1d': lambda: _sequence(kl.Conv1D(4, 3, activation='relu')),
    'conv_2d': lambda: _image(kl.Conv2D(4, 3, padding='same', activation='relu'), kl.Conv2D(2, 3)),
    'conv_3d': lambda: _volume(kl.Conv3D(2, 2)),
    'depthwise': lambda: _image(kl.DepthwiseConv2D(3)),
    'separable': lambda: _image(kl.SeparableConv2D(4, 3)),
    'transposed': lambda: _image(kl.Conv2DTranspose(2, 3, 2)),
    'transposed_3d': lambda: _volume(kl.Conv3DTranspose(2, 2)),
    'max_pooling_1d': lambda: _sequence(kl.Conv1D(4, 3), kl.MaxPooling1D()),
    'max_pooling_2d': lambda: _image(kl.Conv2D(4, 2), kl.MaxPooling2D(2, 1)),
    'max_pooling_3d': lambda: _volume(kl.Conv3D(2, 2), kl.MaxPooling3D()),
    'average_pooling_2d': lambda: _image(kl.Conv2D(4, 2), kl.AveragePooling2D(2, 1)),
    'average_pooling_3d': lambda: _volume(kl.Conv3D(2, 2), kl.AveragePooling3D()),
    'global_pooling': lambda: _image(kl.Conv2D(4, 2), kl.GlobalMaxPooling2D()),
    'global_average': lambda: _image(kl.Conv2D(4, 2), kl.GlobalAveragePooling2D()),
  },
  'recurrence': {
    'lstm': lambda: _sequence(kl.LSTM(5)),
    'gru': lambda: _sequence(kl.GRU(5)),
    'bidirectional': lambda: _sequence(kl.Bidirectional(kl.SimpleRNN(5))),
  },
}


def _build_training(layers: Callable[[], Layers]) -> tuple[tff.Computation, Sequence[list]]:
  """Returns a computation of (weights, rows) of each client, and such weights."""

  def build() -> tf.keras.Model:
    return tf.keras.Sequential([tf.keras.Input((_ROW,)), *layers()])

  shapes = [weight.shape for weight in build().get_weights()]
  rng = np.random.default_rng(0)
  # Positive, as some are variances.
  weights = [
    [rng.uniform(0.1, 0.9, shape).astype(np.float32) for shape in shapes] for _ in _LAST_BATCH_SIZES
  ]
  types = [tff.TensorType(np.float32, shape) for shape in shapes]

  @tff.tensorflow.computation(types, tff.TensorType(np.float32, [None, _ROW]))
  def train(weights, rows):
    model = build()

    @tf.function
    def all_steps(weights, rows):
      for variable, value in zip(model.variables, weights, strict=True):
        variable.assign(value)
      for number in tf.range(2 * _STEPS):
        first = tf.equal(number % 2, 0)
        batch = tf.cond(first, lambda: rows[:_BATCH_SIZE], lambda: rows[_BATCH_SIZE:])
        with tf.GradientTape() as tape:
          loss = tf.reduce_mean(tf.square(model(batch, training=True) - 1.0))
        gradients = tape.gradient(loss, model.trainable_variables)
        for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
          variable.assign_sub(0.01 * tf.convert_to_tensor(gradient))
      outputs = model(rows[_BATCH_SIZE:], training=False)
      return [variable.read_value() for variable in model.variables], outputs

    return all_steps(weights, rows)

  at_clients = tff.FederatedType(train.type_signature.parameter, tff.CLIENTS)
  return tff.federated_computation(lambda each: tff.federated_map(train, each), at_clients), weights


def _stress(name: str, layers: Callable[[], Layers]) -> None:
  """Raises an error if a client gets something else when others run at the same time."""
  computation, weights = _build_training(layers)
  rng = np.random.default_rng(1)
  rows = [
    rng.normal(size=(_BATCH_SIZE + size, _ROW)).astype(np.float32) for size in _LAST_BATCH_SIZES
  ]
  clients = list(zip(weights, rows, strict=True))
  with testing.installed(runtime.create_local_execution_context(clients_per_device=1)):
    alone = computation(clients)
  with testing.installed(runtime.create_local_execution_context(clients_per_device=_AT_A_TIME)):
    for _ in range(_ROUNDS):
      together = computation(clients)
      for ours, expected in zip(tf.nest.flatten(together), tf.nest.flatten(alone), strict=True):
        if name in _RANDOM:
          assert np.all(np.isfinite(ours)), name
        else:
          np.testing.assert_array_equal(ours, expected, name)


def main(group: str) -> None:
  """Stresses each layer of a group."""
  for name, layers in GROUPS[group].items():
    _stress(name, layers)
    print(name, flush=True)


if __name__ == '__main__':
  main(sys.argv[1])
