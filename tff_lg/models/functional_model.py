"""Keras models as TFF's functional models."""

import collections
import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.models import cloning, told


def from_keras(
  keras_model: tf.keras.Model,
  loss: tf.keras.losses.Loss,
  input_spec: tuple[tf.TensorSpec, tf.TensorSpec],
  metrics: Mapping[str, Callable[[], tf.keras.metrics.Metric]],
) -> tuple[tff.learning.models.FunctionalModel, tuple[int, ...]]:
  """Converts a Keras model by TFF's functions, into fewer operations that are traced faster.

  TFF makes a copy of the network on an input of its own, and calls the copy on the batch. So each
  layer is traced twice. Here the copy is made on the batch.

  Args:
    keras_model: a sequential or functional model with one input and one output.
    loss: mean loss of a batch.
    input_spec: of batches of examples and labels.
    metrics: by name, what makes a Keras metric.

  Returns:
    The functional model, and the place of each of its weights among those that Keras trains. The
    model has them in the order in which its copy creates them, Keras in that of its layers.
  """
  with _numbered_weights(keras_model) as values, cloning.own_objects(keras_model):
    converted = tff.learning.models.functional_model_from_keras(
      keras_model, loss_fn=loss, input_spec=input_spec
    )
  numbers, others = converted.initial_weights
  order = tuple(int(number.flat[0]) for number in numbers)
  metrics_fns = tff.learning.metrics.create_functional_metric_fns(collections.OrderedDict(metrics))

  @tf.function
  def predict_on_batch(model_weights: Any, x: tf.Tensor, training: bool = True) -> tf.Tensor:
    # Layers expect tensors, and may be given arrays.
    trained, others = (list(map(tf.convert_to_tensor, each)) for each in model_weights)

    def next_weight(unused_creator: Any, **options: Any) -> tf.Tensor:
      return (trained if options.get('trainable', True) else others).pop(0)

    with tf.variable_creator_scope(next_weight):
      return _Network(keras_model)(x, training=training)

  functional = tff.learning.models.FunctionalModel(
    initial_weights=(tuple(values[place] for place in order), others),
    predict_on_batch_fn=predict_on_batch,
    loss_fn=converted.loss,
    # What is a `tf.function` itself, AutoGraph always rewrites; see `mends.leave_unconverted`.
    metrics_fns=tuple(each.python_function for each in metrics_fns),
    input_spec=input_spec,
  )
  return functional, order


@contextlib.contextmanager
def _numbered_weights(keras_model: tf.keras.Model) -> Iterator[list[np.ndarray]]:
  """Fills each weight that is trained with its place, as equal values tell nothing.

  Yields:
    Their values, which they get back in the end.
  """
  weights = keras_model.trainable_weights
  values = [weight.numpy() for weight in weights]
  try:
    for place, weight in enumerate(weights):
      weight.assign(tf.fill(weight.shape, tf.cast(place, weight.dtype)))
    yield values
  finally:
    for weight, value in zip(weights, values, strict=True):
      weight.assign(value)


class _Network(tf.keras.layers.Layer):
  """A network that is made when it is called; Keras tells its layers whether they train."""

  def __init__(self, keras_model: tf.keras.Model) -> None:
    super().__init__()
    self._make = functools.partial(cloning.clone, keras_model)

  def call(self, inputs: tf.Tensor, training: bool) -> tf.Tensor:
    if tf.keras.backend.is_keras_tensor(inputs):  # Of another network, which Keras would look for.
      inputs = tf.identity(inputs)
    network = self._make(input_tensors=inputs)
    if training:
      for loss in network.losses:
        told.LOSSES.tell(loss)
    return network.output
