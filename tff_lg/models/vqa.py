"""A network of two channels that answers questions about pictures, and its accuracy."""

import itertools
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from tff_lg.models import adversary, local_global

# All layers but the encoders.
VQA_GLOBAL_LAYERS = ('picture_1', 'picture_2', 'question_1', 'question_2', 'fused', 'output')
_ANNOTATORS = 10


@tf.keras.saving.register_keras_serializable(package='tff_lg')
class SplitPictureAndQuestion(tf.keras.layers.Layer):
  """Parts a row: the first `num_features` numbers, and the others as int32 tokens."""

  def __init__(self, num_features: int, **options: Any) -> None:
    """Makes the layer; `options` are of `tf.keras.layers.Layer`."""
    super().__init__(**options)
    self.num_features = num_features

  def call(self, inputs: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Splits float32 [batch, d + T] into float32 [batch, d] and int32 [batch, T]."""
    return inputs[:, : self.num_features], tf.cast(inputs[:, self.num_features :], tf.int32)

  def get_config(self) -> dict[str, Any]:
    """Returns the config from which `from_config` makes the same layer."""
    return {**super().get_config(), 'num_features': self.num_features}


def build_vqa(
  num_features: int,
  sequence_length: int,
  vocabulary_size: int,
  num_classes: int,
  *,
  embedding_units: int = 300,
  lstm_units: Sequence[int] = (512, 512),
  hidden_units: Sequence[int] = (1024, 1024, 1000),
  channel_layers: int = 2,
  seed: int = 0,
) -> tf.keras.Model:
  """Builds a network for rows of a picture's features and a question's tokens.

  Its layers, with a, b, c the `hidden_units`:

  - the encoder of pictures, `picture_encoder`: dense, a units, on the features that a frozen
    network has made of the picture;
  - the encoder of questions, `embedding` and `lstm_1`, `lstm_2`, ...: all their last outputs and
    cells, side by side, are the question;
  - the last two dense layers of each channel: `picture_1` (a) and `picture_2` (b), `question_1`
    (a) and `question_2` (b). With `channel_layers` of 1, these are the second ones alone;
  - the element-wise product of both, then dense `fused` (c) and `output`.

  All but the output are followed by tanh. Token 0 is padding: where it stands, states stay as they
  are. `VQA_GLOBAL_LAYERS` are all but the encoders, the split of Liang et al.

  Args:
    num_features: d, of a picture.
    sequence_length: T, tokens of a question.
    vocabulary_size: V, tokens known, padding counted.
    num_classes: size of the output.
    embedding_units: size of an embedded token.
    lstm_units: size of each LSTM layer, at least one.
    hidden_units: a, b and c.
    channel_layers: dense layers of each channel, 1 or 2.
    seed: of the initial weights: embeddings normal with variance 1, kernels Glorot-uniform,
      recurrent kernels orthogonal; the same seed, the same weights.

  Returns:
    An uncompiled Keras model from float32 [batch, d + T] to logits float32 [batch, num_classes].

  Raises:
    ValueError: no LSTM layer, not three `hidden_units`, or another number of `channel_layers`.

  Antol et al. 2015, section 4, `deeper LSTM Q + norm I`; Liang et al. 2020, VQA.
  """
  if not lstm_units or len(hidden_units) != 3:
    raise ValueError(
      f'lstm_units is {tuple(lstm_units)} and hidden_units {tuple(hidden_units)}, expected at '
      'least one layer, and three numbers.'
    )
  if channel_layers not in (1, 2):
    raise ValueError(f'channel_layers is {channel_layers}, expected 1 or 2.')
  layers, initializers = tf.keras.layers, tf.keras.initializers
  seeds = itertools.count(seed)

  def dense(units: int, name: str, activation: str | None = 'tanh') -> tf.keras.layers.Dense:
    kernel = initializers.GlorotUniform(next(seeds))
    return layers.Dense(units, activation=activation, kernel_initializer=kernel, name=name)

  of_first, of_second, of_fused = hidden_units
  inputs = tf.keras.Input((num_features + sequence_length,), name='picture_and_question')
  picture, tokens = SplitPictureAndQuestion(num_features, name='split')(inputs)
  picture = dense(of_first, 'picture_encoder')(picture)
  hidden = layers.Embedding(
    vocabulary_size,
    embedding_units,
    # Smaller ones would make the question, and with it the product, next to nothing at first.
    embeddings_initializer=initializers.RandomNormal(stddev=1.0, seed=next(seeds)),
    mask_zero=True,
    name='embedding',
  )(tokens)
  states = []
  for number, units in enumerate(lstm_units, 1):
    # A cell in `RNN`, not the layer `LSTM`, which may become another kernel on a GPU.
    cell = layers.LSTMCell(
      units,
      kernel_initializer=initializers.GlorotUniform(next(seeds)),
      recurrent_initializer=initializers.Orthogonal(seed=next(seeds)),
      name='cell',  # Keras would count up, and name the weights of each network otherwise.
    )
    lstm = layers.RNN(cell, return_sequences=True, return_state=True, name=f'lstm_{number}')
    hidden, *last = lstm(hidden)
    states += last
  question = layers.Concatenate(name='question')(states)

  def channel(name: str, encoded: tf.Tensor) -> tf.Tensor:
    last = dense(of_second, f'{name}_2')
    return last(encoded if channel_layers == 1 else dense(of_first, f'{name}_1')(encoded))

  picture, question = channel('picture', picture), channel('question', question)
  hidden = dense(of_fused, 'fused')(layers.Multiply(name='fusion')([picture, question]))
  return tf.keras.Model(inputs, dense(num_classes, 'output', None)(hidden), name='vqa')


class VqaAccuracy(tf.keras.metrics.Mean):
  """The official accuracy of VQA, of labels that come with ten annotators' answers.

  An answer is as right as min(c / 3, 1), where c annotators gave it, averaged over the ten sets
  of nine annotators. If c of all ten gave it, c of the sets have c - 1 of them and the others c.
  The mean is (c min((c - 1) / 3, 1) + (10 - c) min(c / 3, 1)) / 10, which is min(0.3 c, 1).

  Antol et al. 2015; Goyal et al. 2017; https://visualqa.org/evaluation.html.
  """

  def update_state(
    self, y_true: tf.Tensor, y_pred: tf.Tensor, sample_weight: tf.Tensor | None = None
  ) -> tf.Operation:
    """Takes in int32 [n, 1 + 10] and logits [n, num_classes]; sample weights are not used."""
    del sample_weight
    predicted = tf.argmax(y_pred, axis=1, output_type=y_true.dtype)
    # Not `==`, which in a graph of TFF's compares the tensor itself.
    agrees = tf.equal(y_true[:, 1:], predicted[:, tf.newaxis])
    count = tf.math.count_nonzero(agrees, axis=1, dtype=tf.int32)
    return super().update_state(tf.minimum(0.3 * tf.cast(count, tf.float32), 1.0))


def from_keras_vqa(keras_model: tf.keras.Model) -> local_global.LocalGlobalModel:
  """Wraps a classifier of questions with ten annotators' answers, with every weight global.

  Args:
    keras_model: as for `from_keras`, to logits [n, num_classes].

  Returns:
    The model. Labels are int32 [n, 1 + 10]: the class to be learnt, then the class that each
    annotator gave, -1 for none. The loss is the cross-entropy of the class to be learnt, and
    `accuracy` is `VqaAccuracy`.
  """
  return local_global.from_keras(
    keras_model,
    loss=adversary.ClassCrossentropy(),
    metrics={'accuracy': VqaAccuracy},
    label_spec=tf.TensorSpec([None, 1 + _ANNOTATORS], tf.int32),
  )
