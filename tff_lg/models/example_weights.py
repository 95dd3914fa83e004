"""Weights of examples: they come as the last column of labels and multiply losses in training."""

import dataclasses
from typing import Any

import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.models import local_global


def with_example_weights(model: local_global.LocalGlobalModel) -> local_global.LocalGlobalModel:
  """Returns the model for labels with one more column, the weight of each example.

  Its loss is the sum of weight times loss over a batch, divided by the examples of the batch, as
  Keras's `sample_weight`. Its metrics count examples alike.

  Args:
    model: with labels [n] or [n, num_labels], and a loss that takes `sample_weight`.

  Returns:
    The model with labels float32 [n, 2] or [n, num_labels + 1].
  """
  functional = model.functional
  x_spec, y_spec = functional.input_spec

  def loss(output: Any, label: tf.Tensor, sample_weight: tf.Tensor | None = None) -> tf.Tensor:
    del sample_weight
    y, weights = _split(label, y_spec)
    return functional.loss(output, y, weights)

  def update_metrics_state(
    state: Any, labels: tf.Tensor, batch_output: Any, sample_weight: tf.Tensor | None = None
  ) -> Any:
    y, _ = _split(labels, y_spec)
    return functional.update_metrics_state(state, y, batch_output, sample_weight)

  num_labels = 1 if y_spec.shape.rank == 1 else y_spec.shape[1]
  weighed = tff.learning.models.FunctionalModel(
    initial_weights=functional.initial_weights,
    predict_on_batch_fn=functional._predict_on_batch_fn,
    loss_fn=loss,
    metrics_fns=(
      functional.initialize_metrics_state,
      update_metrics_state,
      functional.finalize_metrics,
    ),
    input_spec=(x_spec, tf.TensorSpec([None, num_labels + 1], tf.float32)),
  )
  return dataclasses.replace(model, functional=weighed)


class WeighedClassLoss(tf.keras.losses.Loss):
  """A loss of classes whose labels, float32 [n, 2], have the class and the example's weight."""

  def __init__(self, loss: tf.keras.losses.Loss) -> None:
    """Takes the loss of classes, int32 [n], and outputs."""
    super().__init__(reduction=tf.keras.losses.Reduction.NONE, name='weighed')
    self._loss = loss

  def call(self, y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
    """Returns a float32 scalar."""
    y, weights = _split(y_true, tf.TensorSpec([None], tf.int32))
    return self._loss(y, y_pred, weights)


def _split(labels: tf.Tensor, spec: tf.TensorSpec) -> tuple[tf.Tensor, tf.Tensor]:
  """Returns labels as `spec` has them, and weights, float32 [n]."""
  y = labels[:, 0] if spec.shape.rank == 1 else labels[:, :-1]
  return tf.cast(y, spec.dtype), labels[:, -1]
