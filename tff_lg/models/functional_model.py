"""Keras models as TFF's functional models."""

import collections
import functools
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.models import cloning, told


def from_keras(
  keras_model: tf.keras.Model,
  loss: tf.keras.losses.Loss,
  input_spec: tuple[tf.TensorSpec, tf.TensorSpec],
  metrics: Mapping[str, Callable[[], tf.keras.metrics.Metric]],
) -> tuple[tff.learning.models.FunctionalModel, tuple[int, ...]]:
  """Converts a Keras model in the way of `tff.learning.models.functional_model_from_keras`.

  TFF makes a copy of the network on an input of its own, and calls the copy on the batch. So each
  layer is traced twice. Here the copy is made on the batch. TFF's copies of models within models
  create weights in another order, too, where the layers are none of Keras's.

  Args:
    keras_model: a sequential or functional model with one input and one output.
    loss: mean loss of a batch.
    input_spec: of batches of examples and labels.
    metrics: by name, what makes a Keras metric.

  Returns:
    The functional model, and the place of each of its weights among those that Keras trains. The
    model has them in the order in which its copy creates them, Keras in that of its layers.
  """
  order, order_of_others = _creation_orders(keras_model)
  initial_weights = tuple(
    tuple(weights[place].numpy() for place in places)
    for weights, places in (
      (keras_model.trainable_weights, order),
      (keras_model.non_trainable_weights, order_of_others),
    )
  )
  metrics_fns = tff.learning.metrics.create_functional_metric_fns(collections.OrderedDict(metrics))

  @tf.function
  def predict_on_batch(model_weights: Any, x: tf.Tensor, training: bool = True) -> tf.Tensor:
    # Layers expect tensors, and may be given arrays.
    trained, others = (list(map(tf.convert_to_tensor, each)) for each in model_weights)

    def next_weight(unused_creator: Any, **options: Any) -> tf.Tensor:
      return (trained if options.get('trainable', True) else others).pop(0)

    with tf.variable_creator_scope(next_weight):
      return _Network(keras_model)(x, training=training)

  def compute_loss(output: Any, label: Any, sample_weight: Any = None) -> tf.Tensor:
    return loss(y_true=label, y_pred=output, sample_weight=sample_weight)

  functional = tff.learning.models.FunctionalModel(
    initial_weights=initial_weights,
    predict_on_batch_fn=predict_on_batch,
    loss_fn=compute_loss,
    # What is a `tf.function` itself, AutoGraph always rewrites; see `mends.leave_unconverted`.
    metrics_fns=tuple(each.python_function for each in metrics_fns),
    input_spec=input_spec,
  )
  return functional, order


def _creation_orders(keras_model: tf.keras.Model) -> list[tuple[int, ...]]:
  """Returns the order in which a copy creates weights: of those that are trained, and of others.

  Each is given as the places in the lists that Keras has of them.

  Raises:
    ValueError: layers share weights, which they do not in a copy; one sentence.
  """
  created = []

  def note(create: Callable[..., tf.Variable], **options: Any) -> tf.Variable:
    created.append(create(**options))
    return created[-1]

  with tf.Graph().as_default(), tf.variable_creator_scope(note):
    copy = cloning.clone(keras_model)
  orders = []
  for kind in ('trainable_weights', 'non_trainable_weights'):
    places = {id(weight): place for place, weight in enumerate(getattr(copy, kind))}
    if len(places) != len(getattr(keras_model, kind)):
      raise ValueError(
        f'model {keras_model.name} has layers that share weights, expected a layer for each.'
      )
    orders.append(tuple(places[id(weight)] for weight in created if id(weight) in places))
  return orders


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
