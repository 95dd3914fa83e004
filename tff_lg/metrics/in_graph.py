"""Keras metrics of sums over batches, which a model evaluates in its graph.

Outputs are logits, or probabilities of classes where the model ends in a softmax; of a number they
are that number, [n] or [n, 1].
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import tensorflow as tf

from tff_lg.metrics.metric import METRICS
from tff_lg.metrics.objective import OBJECTIVES

# Bins of a logit in [-20, 20], by which the area under the curve ranks examples.
_BINS, _GREATEST = 4000, 20.0
_LEAST_PROBABILITY = 1e-9

Builder = Callable[[], tf.keras.metrics.Metric]


class Outputs(NamedTuple):
  """The outputs of a model.

  Attributes:
    num_outputs: numbers in the output for one example.
    to_labels: (labels, outputs) -> for each class or label: whether it is right, whether it is
      predicted, its logit.
    columns: of these, those that rank examples; of two classes the second alone.
  """

  num_outputs: int
  to_labels: Callable[[tf.Tensor, tf.Tensor], tuple[tf.Tensor, tf.Tensor, tf.Tensor]]
  columns: slice


def build_metrics(
  objective: str, names: Sequence[str], num_outputs: int, *, are_probabilities: bool = False
) -> Mapping[str, Builder]:
  """Builds metrics of a model, by name, in this order.

  Args:
    objective: name of what is predicted.
    names: of the metrics, without `loss`.
    num_outputs: numbers in the output for one example.
    are_probabilities: whether the output is probabilities of classes.

  Returns:
    What makes each metric.
  """
  of_classes = OBJECTIVES[objective].predicts_classes

  def to_labels(y_true: tf.Tensor, y_pred: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Returns for each class or label: whether it is right, whether it is predicted, its logit."""
    if not of_classes:
      return y_true > 0.5, y_pred > 0, y_pred
    is_class = tf.one_hot(y_true, num_outputs, on_value=True, off_value=False)
    predicted = tf.one_hot(tf.argmax(y_pred, axis=-1), num_outputs, on_value=True, off_value=False)
    if num_outputs == 1:
      return is_class, predicted, y_pred
    p = y_pred if are_probabilities else tf.nn.softmax(y_pred)
    log_p = tf.math.log(tf.maximum(p, _LEAST_PROBABILITY))
    others = tf.math.log(tf.maximum(1 - p, _LEAST_PROBABILITY))
    return is_class, predicted, log_p - others

  columns = slice(1, 2) if of_classes and num_outputs == 2 else slice(0, num_outputs)
  outputs = Outputs(num_outputs, to_labels, columns)
  return {name: functools.partial(METRICS[name].build, outputs) for name in names}


class SquaredError(tf.keras.losses.Loss):
  """Mean squared error of outputs [n] or [n, 1] and labels [n]; 0 without examples."""

  def __init__(self) -> None:
    """Takes no options."""
    reduction = tf.keras.losses.Reduction.SUM_OVER_BATCH_SIZE
    super().__init__(reduction=reduction, name='squared_error')

  def call(self, y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
    """Returns float32 [n], the squared error of each example."""
    return tf.square(tf.reshape(y_true, [-1]) - tf.reshape(y_pred, [-1]))


class MacroF1(tf.keras.metrics.Metric):
  """Mean F1 over classes or labels that occur or are predicted; 0 without any."""

  def __init__(self, outputs: Outputs) -> None:
    """Takes what says of examples which are right and predicted."""
    super().__init__(name='macro_f1')
    self._to_labels, num_outputs = outputs.to_labels, outputs.num_outputs
    self._right = self.add_weight(name='right', shape=[num_outputs], initializer='zeros')
    self._either = self.add_weight(name='either', shape=[num_outputs], initializer='zeros')

  def update_state(
    self, y_true: tf.Tensor, y_pred: tf.Tensor, sample_weight: tf.Tensor | None = None
  ) -> None:
    """Takes in a batch; sample weights are not used."""
    del sample_weight
    is_label, predicted, _ = self._to_labels(y_true, y_pred)
    is_label, predicted = (tf.cast(each, tf.float32) for each in (is_label, predicted))
    self._right.assign_add(tf.reduce_sum(is_label * predicted, axis=0))
    self._either.assign_add(tf.reduce_sum(is_label + predicted, axis=0))

  def result(self) -> tf.Tensor:
    """Returns the mean."""
    right, either = map(tf.convert_to_tensor, (self._right, self._either))
    occurs = tf.cast(either > 0, tf.float32)
    scores = tf.math.divide_no_nan(2 * right, either)
    return tf.math.divide_no_nan(tf.reduce_sum(scores), tf.reduce_sum(occurs))


class AreaUnderCurve(tf.keras.metrics.Metric):
  """Mean area under the curve; examples are ranked by their logit to a hundredth.

  The mean is over classes or labels that some examples have and others have not, NaN without any.
  """

  def __init__(self, outputs: Outputs) -> None:
    """Takes what says of examples which are right, and which columns count."""
    super().__init__(name='auc')
    self._num_outputs, self._to_labels, self._columns = outputs
    width = len(range(self._num_outputs)[self._columns])
    for name in ('positive', 'negative'):
      weight = self.add_weight(name=name, shape=[width, _BINS], initializer='zeros')
      setattr(self, f'_{name}', weight)

  def update_state(
    self, y_true: tf.Tensor, y_pred: tf.Tensor, sample_weight: tf.Tensor | None = None
  ) -> None:
    """Takes in a batch; sample weights are not used."""
    del sample_weight
    is_label, _, logit = (each[:, self._columns] for each in self._to_labels(y_true, y_pred))
    place = (logit + _GREATEST) / (2 * _GREATEST) * _BINS
    # NaN, of a model that has diverged, is no number of a bin.
    place = tf.where(tf.math.is_nan(place), tf.zeros_like(place), place)
    place = tf.cast(tf.clip_by_value(place, 0, _BINS - 1), tf.int32)
    width = len(range(self._num_outputs)[self._columns])
    segment = tf.reshape(place + tf.range(width) * _BINS, [-1])
    for weight, counts in ((self._positive, is_label), (self._negative, tf.logical_not(is_label))):
      sums = tf.math.unsorted_segment_sum(
        tf.reshape(tf.cast(counts, tf.float32), [-1]), segment, width * _BINS
      )
      weight.assign_add(tf.reshape(sums, [width, _BINS]))

  def result(self) -> tf.Tensor:
    """Returns the mean area."""
    positive, negative = map(tf.convert_to_tensor, (self._positive, self._negative))
    below = tf.cumsum(negative, axis=1, exclusive=True)
    pairs = tf.reduce_sum(positive, axis=1) * tf.reduce_sum(negative, axis=1)
    won = tf.reduce_sum(positive * (below + negative / 2), axis=1)
    varied = tf.cast(pairs > 0, tf.float32)
    return tf.reduce_sum(tf.math.divide_no_nan(won, pairs)) / tf.reduce_sum(varied)


class AbsoluteError(tf.keras.metrics.Mean):
  """Mean over examples; that of Keras is one over batches where labels are [n]."""

  def update_state(
    self, y_true: tf.Tensor, y_pred: tf.Tensor, sample_weight: tf.Tensor | None = None
  ) -> tf.Operation:
    """Takes in a batch; sample weights are not used."""
    del sample_weight
    return super().update_state(tf.abs(tf.reshape(y_true, [-1]) - tf.reshape(y_pred, [-1])))


class CoefficientOfDetermination(tf.keras.metrics.Metric):
  """R² from running means, which lose no digits where labels are far from 0; NaN if constant."""

  def __init__(self) -> None:
    """Starts without examples."""
    super().__init__(name='r2')
    self._count = self.add_weight(name='count', initializer='zeros')
    self._mean = self.add_weight(name='mean', initializer='zeros')
    self._spread = self.add_weight(name='spread', initializer='zeros')
    self._error = self.add_weight(name='error', initializer='zeros')

  def update_state(
    self, y_true: tf.Tensor, y_pred: tf.Tensor, sample_weight: tf.Tensor | None = None
  ) -> None:
    """Takes in a batch, at least one example; sample weights are not used.

    Chan et al. 1979, Updating formulae and a pairwise algorithm for computing sample variances.
    """
    del sample_weight
    y, predicted = tf.reshape(y_true, [-1]), tf.reshape(y_pred, [-1])
    count, before = tf.cast(tf.size(y), tf.float32), tf.identity(self._count)
    mean = tf.reduce_mean(y)
    away = mean - tf.identity(self._mean)
    total = before + count
    self._spread.assign_add(
      tf.reduce_sum(tf.square(y - mean)) + tf.square(away) * before * count / total
    )
    self._mean.assign_add(away * count / total)
    self._count.assign(total)
    self._error.assign_add(tf.reduce_sum(tf.square(y - predicted)))

  def result(self) -> tf.Tensor:
    """Returns 1 less the squared error over that of the mean label."""
    spread, error = map(tf.convert_to_tensor, (self._spread, self._error))
    return tf.where(spread > 0, 1 - error / spread, tf.constant(float('nan')))


def build_accuracy(outputs: Outputs) -> tf.keras.metrics.Metric:
  """Builds the share of examples, or positions, with the right class."""
  del outputs
  return tf.keras.metrics.SparseCategoricalAccuracy()


def build_label_accuracy(outputs: Outputs) -> tf.keras.metrics.Metric:
  """Builds the share of right labels."""
  del outputs
  return tf.keras.metrics.BinaryAccuracy(threshold=0.0)


def build_mae(outputs: Outputs) -> tf.keras.metrics.Metric:
  """Builds the mean absolute error."""
  del outputs
  return AbsoluteError()


def build_rmse(outputs: Outputs) -> tf.keras.metrics.Metric:
  """Builds the root of the mean squared error."""
  del outputs
  return tf.keras.metrics.RootMeanSquaredError()


def build_r2(outputs: Outputs) -> tf.keras.metrics.Metric:
  """Builds the coefficient of determination."""
  del outputs
  return CoefficientOfDetermination()
