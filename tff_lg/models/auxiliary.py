"""Auxiliary networks: they learn from a client's local representation and never leave it.

The representation h is what the local layers below the first global layer give it. A network
on h answers a question of its own, and by its loss the local layers learn as well. It is not
needed to predict: its weights are extra weights of a `LocalGlobalModel`, and only an objective
knows of them. Liang et al. 2019 (the first version of the LG-FedAvg paper), section 3.
"""

import dataclasses
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from tff_lg.models import dropout, local_global

_NAME = 'auxiliary'

# Permutations of tiles that a jigsaw is drawn from: all of four tiles, as many of nine.
_NUM_PERMUTATIONS = 24


@dataclasses.dataclass(frozen=True)
class AuxiliaryNetwork:
  """A network on local layers, with the loss that both are trained by.

  Attributes:
    weight_names: of the weights that `loss` takes, in its order: those of the local layers,
      named as in the whole model, and the network's own.
    own_weights: initial values of the network's own, by name.
    loss: (weights, x, y, key) -> scalar, for a batch as the whole model gets it. Its randomness
      follows from the step's key, int64 [2]. Call it in a graph.
  """

  weight_names: tuple[str, ...]
  own_weights: Mapping[str, np.ndarray]
  loss: Callable[[tuple, tf.Tensor, tf.Tensor, tf.Tensor | None], tf.Tensor]


class _Question(NamedTuple):
  """The question that a network answers.

  Attributes:
    num_outputs: size of its output.
    ask: (x, y, key) -> what the local layers get, and the answer.
    loss: of answers and outputs.
  """

  num_outputs: int
  ask: Callable[[tf.Tensor, tf.Tensor, tf.Tensor | None], tuple[tf.Tensor, tf.Tensor]]
  loss: tf.keras.losses.Loss


def build_auxiliary(
  kind: str,
  keras_model: tf.keras.Model,
  global_layers: Sequence[str],
  *,
  label_loss: tf.keras.losses.Loss,
  units: Sequence[int] = (64,),
  seed: int = 0,
) -> AuxiliaryNetwork:
  """Builds dense ReLU layers and an output on top of a network's local representation.

  Args:
    kind: `supervised` predicts the label; `autoencoder` the input, by mean squared error. `jigsaw`
      predicts which of 24 permutations reordered an image's tiles before the local layers saw it.
      There are 3 x 3 tiles where height and width allow, else 2 x 2.
    keras_model: the network, one that nothing else uses.
    global_layers: names of the layers of the network that are global.
    label_loss: of labels and logits (`supervised`).
    units: size of each hidden layer.
    seed: of the Glorot-uniform initial weights, of the set of permutations and, with the step's
      key, of those that are drawn.

  Returns:
    The auxiliary network.

  Raises:
    ValueError: the kind is not known or does not fit the network, or no local layer is below
      the global ones.

  Liang et al. 2019; jigsaw by Noroozi and Favaro 2016.
  """
  if kind not in _QUESTIONS:
    raise ValueError(f'auxiliary network is {kind}, expected one of {", ".join(_QUESTIONS)}.')
  question = _QUESTIONS[kind](keras_model, label_loss, seed)
  hidden = representation(keras_model, global_layers)
  if len(hidden.shape) > len(keras_model.output_shape):
    hidden = tf.keras.layers.Flatten(name=f'{_NAME}/flatten')(hidden)
  names = [*(f'hidden_{number + 1}' for number in range(len(units))), 'output']
  for index, (name, size) in enumerate(zip(names, (*units, question.num_outputs), strict=True)):
    hidden = tf.keras.layers.Dense(
      size,
      activation='relu' if index < len(units) else None,
      kernel_initializer=tf.keras.initializers.GlorotUniform(seed + index),
      name=f'{_NAME}/{name}',
    )(hidden)
  model = local_global.from_keras(
    tf.keras.Model(keras_model.input, hidden, name=_NAME), loss=question.loss, metrics={}
  )
  by_name = dict(zip(model.weight_names, model.initial_weights, strict=True))

  def loss(weights: tuple, x: tf.Tensor, y: tf.Tensor, key: tf.Tensor | None) -> tf.Tensor:
    inputs, answer = question.ask(x, y, key)
    output = model.with_dropout_key(key).predict(weights, inputs, training=True)
    return model.functional.loss(output, answer)

  return AuxiliaryNetwork(
    model.weight_names,
    {name: by_name[name] for name in by_name if name.startswith(f'{_NAME}/')},
    loss,
  )


def representation(keras_model: tf.keras.Model, global_layers: Sequence[str]) -> tf.Tensor:
  """Returns the output of a network's local layers to the global ones.

  Args:
    keras_model: the network.
    global_layers: names of its layers that are global.

  Returns:
    The input of the first global layer, a symbolic tensor of the network.

  Raises:
    ValueError: no local layer is below it, or it has several inputs.
  """
  has_weights = [layer for layer in keras_model.layers if layer.trainable_weights]
  of_model = [layer.name.split('/')[0] for layer in has_weights]
  first = next((i for i, name in enumerate(of_model) if name in global_layers), len(of_model))
  hidden = None if first in (0, len(of_model)) else has_weights[first].input
  if hidden is None or isinstance(hidden, (list, tuple)):  # Of a layer with several inputs.
    raise ValueError(
      'auxiliary network: no one representation by local layers alone is below the global layers '
      f'{", ".join(global_layers) or "(none)"} out of {", ".join(dict.fromkeys(of_model))}: '
      'expected the first layers local and later ones global (--global_layers).'
    )
  return hidden


def _supervised(
  keras_model: tf.keras.Model, label_loss: tf.keras.losses.Loss, seed: int
) -> _Question:
  del seed
  return _Question(keras_model.output_shape[-1], lambda x, y, key: (x, y), label_loss)


def _autoencoder(
  keras_model: tf.keras.Model, label_loss: tf.keras.losses.Loss, seed: int
) -> _Question:
  del label_loss, seed
  if not keras_model.input.dtype.is_floating:
    raise ValueError(
      'auxiliary autoencoder: it gives back numbers, but the network takes '
      f'{keras_model.input.dtype.name}: use a supervised one.'
    )
  num_inputs = math.prod(keras_model.input_shape[1:])
  return _Question(
    num_inputs,
    lambda x, y, key: (x, tf.reshape(x, [-1, num_inputs])),
    tf.keras.losses.MeanSquaredError(),
  )


def _jigsaw(keras_model: tf.keras.Model, label_loss: tf.keras.losses.Loss, seed: int) -> _Question:
  del label_loss
  shape = keras_model.input_shape[1:]
  sides = [side for side in (3, 2) if len(shape) == 3 and not any(n % side for n in shape[:2])]
  if not sides:
    raise ValueError(
      'auxiliary jigsaw: it cuts images into 3 x 3 or 2 x 2 equal tiles, but an example has the '
      f'shape {shape}, expected height, width and channels, the former two both divisible.'
    )
  permutations = _permutations(sides[0] ** 2, seed)

  def ask(x: tf.Tensor, y: tf.Tensor, key: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    del y
    chosen = tf.random.stateless_uniform(
      tf.shape(x)[:1], dropout.fold_in(key, seed), 0, len(permutations), dtype=tf.int32
    )
    return permute_tiles(x, tf.gather(permutations, chosen), sides[0]), chosen

  return _Question(
    len(permutations), ask, tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
  )


_QUESTIONS: Mapping[str, Callable[[tf.keras.Model, tf.keras.losses.Loss, int], _Question]] = {
  'supervised': _supervised,
  'autoencoder': _autoencoder,
  'jigsaw': _jigsaw,
}


def permute_tiles(images: tf.Tensor, permutations: tf.Tensor, side: int) -> tf.Tensor:
  """Cuts each image into side x side tiles and puts them in another order.

  Args:
    images: [n, height, width, channels], height and width multiples of `side`.
    permutations: int32 [n, side^2], of each image which of its tiles, counted by rows, is at
      each place.
    side: tiles in a row and in a column.

  Returns:
    Images of the same shape.
  """
  height, width, channels = images.shape[1:]
  cut = tf.reshape(images, [-1, side, height // side, side, width // side, channels])
  tiles = tf.transpose(cut, [0, 1, 3, 2, 4, 5])
  as_list = tf.reshape(tiles, [-1, side * side, height // side, width // side, channels])
  placed = tf.reshape(tf.gather(as_list, permutations, batch_dims=1), tf.shape(tiles))
  return tf.reshape(tf.transpose(placed, [0, 1, 3, 2, 4, 5]), [-1, height, width, channels])


def _permutations(num_tiles: int, seed: int) -> np.ndarray:
  """Returns int32 [24, num_tiles], different ones: all of four tiles, else drawn by the seed."""
  if math.factorial(num_tiles) == _NUM_PERMUTATIONS:
    return np.array(list(itertools.permutations(range(num_tiles))), np.int32)
  rng = np.random.default_rng(seed)
  drawn = {tuple(rng.permutation(num_tiles).tolist()): None for _ in range(2 * _NUM_PERMUTATIONS)}
  return np.array(list(drawn)[:_NUM_PERMUTATIONS], np.int32)
