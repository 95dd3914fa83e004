"""An adversary that guesses protected attributes from a client's local representation.

It is an auxiliary network whose answer the local layers learn *not* to give: the adversary
minimises its loss, the local layers maximise it. Labels are rows of a label and the
attributes, so that attributes go where labels go and no further: not into the network.
Liang et al. 2020, the experiment on fair representations.
"""

import dataclasses
from collections.abc import Callable, Sequence

import tensorflow as tf

from tff_lg.models import auxiliary, local_global, mlp

_NAME = 'adversary'


@dataclasses.dataclass(frozen=True)
class Adversary(auxiliary.AuxiliaryNetwork):
  """An auxiliary network that guesses attributes.

  Attributes:
    guess: (weights, x) -> representation [n, size] and a logit for each attribute
      [n, num_attributes], without dropout; weights as `loss` takes them, in a graph.
  """

  guess: Callable[[tuple, tf.Tensor], tuple[tf.Tensor, tf.Tensor]]


def build_adversary(
  keras_model: tf.keras.Model,
  global_layers: Sequence[str],
  num_attributes: int,
  *,
  strength: float,
  learning_rate: float,
  units: Sequence[int] = (32, 32, 32),
  dropout_rate: float = 0.0,
  seed: int = 0,
) -> Adversary:
  """Builds a dense ReLU network on the representation, with a logit for each binary attribute.

  Both update in turn, in each batch. The adversary takes a step that lowers its loss. Then the
  local layers take a step that raises the loss of the adversary *after* its step, with the
  gradient times `strength`. This is the gradient reversal of Ganin et al. with alternating
  updates; they update both at once. The step that the local layers answer to is one of plain
  gradient descent at `learning_rate`; with momentum the adversary then moves a little further.

  Args:
    keras_model: the network, one that nothing else uses.
    global_layers: names of the layers of the network that are global.
    num_attributes: how many attributes.
    strength: lambda, not negative; with 0 the adversary learns and nobody answers to it.
    learning_rate: of the step that the local layers answer to, that of the client's optimiser.
    units: size of each hidden layer of the adversary.
    dropout_rate: after each of them, in training; a step has the same mask before and after the
      adversary's own.
    seed: of its Glorot-uniform initial weights.

  Returns:
    The adversary, for `learning.with_auxiliary`. Its loss takes labels int32
    [n, 1 + num_attributes], as `protected_classifier` does. Its value is the binary cross-entropy
    of the adversary before its step, the mean over attributes and examples.

  Raises:
    ValueError: `strength` is negative, or no local layer is below the global ones.

  Ganin et al. 2016, Domain-adversarial training of neural networks, equation 13.
  """
  if not strength >= 0:
    raise ValueError(f'strength of the adversary is {strength}, expected a number >= 0.')
  hidden = auxiliary.representation(keras_model, global_layers)
  adversary_network = mlp.build_mlp(
    hidden.shape[1:], num_attributes, units, seed=seed, dropout_rate=dropout_rate
  )
  loss_of_guesses = tf.keras.losses.BinaryCrossentropy(from_logits=True)
  local, adversary = (
    local_global.from_keras(
      network,
      loss=loss_of_guesses,
      metrics={},
      label_spec=tf.TensorSpec([None, num_attributes], tf.float32),
    )
    for network in (tf.keras.Model(keras_model.input, hidden), adversary_network)
  )
  own_names = [f'{_NAME}/{name}' for name in adversary.weight_names]
  num_local = len(local.weight_names)

  def loss(weights: tuple, x: tf.Tensor, y: tf.Tensor, key: tf.Tensor | None) -> tf.Tensor:
    attributes = tf.cast(y[:, 1:], tf.float32)
    h = local.with_dropout_key(key).predict(weights[:num_local], x, training=True)
    own_weights = weights[num_local:]

    def error(own_weights: tuple, h: tf.Tensor) -> tf.Tensor:
      logits = adversary.with_dropout_key(key).predict(own_weights, h, training=True)
      return adversary.functional.loss(logits, attributes)

    with tf.GradientTape() as tape:
      tape.watch(own_weights)
      own_error = error(own_weights, tf.stop_gradient(h))
    if not strength:
      return own_error
    gradients = tape.gradient(own_error, own_weights)
    after_step = tuple(
      tf.stop_gradient(weight - learning_rate * gradient)
      for weight, gradient in zip(own_weights, gradients, strict=True)
    )
    reversed_error = -strength * error(after_step, h)
    # Only its gradient counts: a term that is zero.
    return own_error + reversed_error - tf.stop_gradient(reversed_error)

  def guess(weights: tuple, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    h = local.predict(weights[:num_local], x, training=False)
    return h, adversary.predict(weights[num_local:], h, training=False)

  return Adversary(
    (*local.weight_names, *own_names),
    dict(zip(own_names, adversary.initial_weights, strict=True)),
    loss,
    guess,
  )


def protected_classifier(
  keras_model: tf.keras.Model, num_attributes: int
) -> local_global.LocalGlobalModel:
  """Returns a classifier by its logits of data whose labels come with protected attributes.

  Args:
    keras_model: the network, from examples to logits [n, num_classes].
    num_attributes: how many attributes.

  Returns:
    The model, every weight global. Labels are int32 [n, 1 + num_attributes], the class first;
    its loss and its `accuracy` are those of the class.
  """
  return local_global.from_keras(
    keras_model,
    loss=ClassCrossentropy(),
    metrics={'accuracy': _ClassAccuracy},
    label_spec=tf.TensorSpec([None, 1 + num_attributes], tf.int32),
  )


class ClassCrossentropy(tf.keras.losses.Loss):
  """Cross-entropy of the first column and logits."""

  def call(self, y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
    """Returns float32 [n] for labels int32 [n, 1 + k] and logits [n, num_classes]."""
    return tf.keras.losses.sparse_categorical_crossentropy(y_true[:, 0], y_pred, from_logits=True)


class _ClassAccuracy(tf.keras.metrics.SparseCategoricalAccuracy):
  """Accuracy of the first column."""

  def update_state(
    self, y_true: tf.Tensor, y_pred: tf.Tensor, sample_weight: tf.Tensor | None = None
  ) -> tf.Operation:
    """Counts labels int32 [n, 1 + k] against logits [n, num_classes]."""
    return super().update_state(y_true[:, 0], y_pred, sample_weight)
