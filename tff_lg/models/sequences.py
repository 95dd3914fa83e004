"""Models that predict a label at each position of a sequence: their loss and their accuracy.

Padding stands at the ends of sequences only and never counts, neither in the loss nor in the
accuracy. The number of examples is that of real positions. As a model reads from left to right, its
predictions at real positions do not depend on the padding after them.
"""

import tensorflow as tf

from tff_lg.models import local_global


class SequenceCrossentropy(tf.keras.losses.Loss):
  """Mean over the real positions of a batch of the cross-entropy of logits."""

  def __init__(self, padding: int) -> None:
    """Takes the label that marks no target."""
    super().__init__(reduction=tf.keras.losses.Reduction.NONE, name='sequence_crossentropy')
    self._padding = padding

  def call(self, y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
    """Returns a float32 scalar for labels int32 [n, T] and logits [n, T, V]; 0 without any."""
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y_true, logits=y_pred)
    # Not `!=`, which in a graph of TFF's compares the tensor itself; so below.
    is_real = tf.cast(tf.not_equal(y_true, self._padding), tf.float32)
    return tf.math.divide_no_nan(tf.reduce_sum(losses * is_real), tf.reduce_sum(is_real))


class SequenceAccuracy(tf.keras.metrics.Mean):
  """Share of the real positions whose label has the greatest logit.

  A position whose label is the unknown token counts, and every prediction there is wrong: to
  predict "unknown" does not predict the word.
  """

  def __init__(self, padding: int, unknown: int) -> None:
    """Takes the label that marks no target and the one that stands for unknown tokens."""
    super().__init__(name='sequence_accuracy')
    self._padding, self._unknown = padding, unknown

  def update_state(
    self, y_true: tf.Tensor, y_pred: tf.Tensor, sample_weight: tf.Tensor | None = None
  ) -> tf.Operation:
    """Takes in labels int32 [n, T] and logits [n, T, V]; sample weights are not used."""
    del sample_weight
    predicted = tf.argmax(y_pred, axis=-1, output_type=y_true.dtype)
    is_right = tf.logical_and(tf.equal(predicted, y_true), tf.not_equal(y_true, self._unknown))
    is_real = tf.not_equal(y_true, self._padding)
    return super().update_state(tf.cast(is_right, tf.float32), is_real)


def from_keras_sequences(
  keras_model: tf.keras.Model, *, padding: int, unknown: int
) -> local_global.LocalGlobalModel:
  """Wraps a Keras model of sequences with this loss and this accuracy, every weight global.

  Args:
    keras_model: as for `from_keras`, from int32 [batch, T] to logits [batch, T, V].
    padding: the label that marks no target.
    unknown: the label that no prediction gets right.

  Returns:
    The model; an example, where it counts them, is a real position.
  """
  return local_global.from_keras(
    keras_model,
    loss=SequenceCrossentropy(padding),
    metrics={'accuracy': lambda: SequenceAccuracy(padding, unknown)},
    label_spec=tf.TensorSpec([None, keras_model.output_shape[1]], tf.int32),
    padding_label=padding,
  )
