"""How a client's examples become batches.

A `Batches` value knows the TFF type of a client's data and how to fold a training
or evaluation step over them, in the graph. `TensorBatches` gathers each batch by
index from plain tensors inside one `tf.while_loop`: no tf.data pipeline per client
and round. `DatasetBatches` takes TFF's convention, a sequence of batches.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import tensorflow as tf

from tff_lg.compatibility import tff

# (state, x, y) -> state, where x and y are one batch.
Step = Callable[[Any, tf.Tensor, tf.Tensor], Any]


class ClientTensors(NamedTuple):
  """A client's examples as plain tensors.

  Attributes:
    x: features, [n, ...].
    y: labels, [n, ...].
    seed: int32 [2], of the client's shuffling, augmentation and dropout in this round.
    work_share: float32, the share of the round's training steps that the client finishes. It is 1
      for all steps, in (0, 1) for a straggler, and 0 for a client that drops out.
    is_malicious: bool, whether `ProcessSettings.update_attack` changes its update.
  """

  x: Any
  y: Any
  seed: Any = np.zeros(2, np.int32)
  work_share: Any = np.float32(1)
  is_malicious: Any = np.bool_(False)


class Batches(Protocol):
  """The facts of a client's data that training and evaluation need."""

  def data_type(self, input_spec: tuple[tf.TensorSpec, tf.TensorSpec]) -> tff.Type:
    """Returns the TFF type of one client's data, given the spec of a batch of (x, y)."""

  def fold(self, data: Any, state: Any, step: Step, training: bool = False) -> Any:
    """Applies `step` to each batch in turn, in the graph.

    Args:
      data: one client's, of `data_type`.
      state: what the first step gets.
      step: (state, x, y) -> state.
      training: whether the client may stop early, where its data say so.

    Returns:
      The last state.
    """

  def count_examples(
    self, data: Any, num_seen: tf.Tensor, count: Callable[[tf.Tensor], tf.Tensor]
  ) -> tf.Tensor:
    """Counts the examples that a client has, each epoch counted, for its weight.

    Args:
      data: one client's, of `data_type`.
      num_seen: int32, those that its training saw.
      count: of examples in labels.

    Returns:
      int32.
    """

  def step_key(self, data: Any, x: tf.Tensor, num_steps: tf.Tensor) -> tf.Tensor:
    """Returns a key for what is random in a step, such as the masks of dropout.

    Args:
      data: one client's, of `data_type`.
      x: the step's batch.
      num_steps: how many the client has taken before, in this round.

    Returns:
      int64 [2].
    """


@dataclasses.dataclass(frozen=True)
class TensorBatches:
  """Batches gathered from plain tensors, typed as `ClientTensors`.

  Attributes:
    batch_size: examples in a batch, the last one of an epoch may have fewer; None
      for all examples in one batch.
    num_epochs: how often all examples are seen.
    max_steps: batches at most, whatever the epochs; None for no limit.
    shuffle: whether each epoch has a new order, drawn from the data's seed.
    augment: (x, seed) -> x, applied to each batch with a seed of its own.
  """

  batch_size: int | None
  num_epochs: int = 1
  shuffle: bool = True
  max_steps: int | None = None
  augment: Callable[[tf.Tensor, tf.Tensor], tf.Tensor] | None = None

  def __post_init__(self) -> None:
    if self.batch_size is not None and self.batch_size < 1:
      raise ValueError(f'batch_size is {self.batch_size}, expected a positive number or None.')
    if self.num_epochs < 1:
      raise ValueError(f'num_epochs is {self.num_epochs}, expected a positive number.')
    if self.max_steps is not None and self.max_steps < 1:
      raise ValueError(f'max_steps is {self.max_steps}, expected a positive number or None.')

  def data_type(self, input_spec: tuple[tf.TensorSpec, tf.TensorSpec]) -> tff.Type:
    """Returns `ClientTensors` of any number of examples."""
    x_type, y_type = (tff.TensorType(spec.dtype.as_numpy_dtype, spec.shape) for spec in input_spec)
    return tff.to_type(
      ClientTensors(
        x_type,
        y_type,
        seed=tff.TensorType(np.int32, [2]),
        work_share=tff.TensorType(np.float32),
        is_malicious=tff.TensorType(np.bool_),
      )
    )

  def fold(self, data: ClientTensors, state: Any, step: Step, training: bool = False) -> Any:
    """Applies `step` to each batch of each epoch; nothing for no examples.

    In training a client does the first ceil(work_share * steps) steps, the product in float32.
    """
    num_examples = tf.shape(data.y)[0]
    batch_size = tf.maximum(num_examples, 1) if self.batch_size is None else self.batch_size
    batches_per_epoch = -(-num_examples // batch_size)
    num_steps = self.num_epochs * batches_per_epoch
    if self.max_steps is not None:
      num_steps = tf.minimum(num_steps, self.max_steps)
    if training:
      finished = tf.math.ceil(data.work_share * tf.cast(num_steps, tf.float32))
      num_steps = tf.cast(finished, tf.int32)
    # One sort before the loop gives the order of every epoch.
    order = tf.argsort(
      tf.random.stateless_uniform([self.num_epochs, num_examples], data.seed), stable=True
    )

    def one_batch(index: tf.Tensor, state: Any) -> tuple[tf.Tensor, Any]:
      start = (index % batches_per_epoch) * batch_size
      end = tf.minimum(start + batch_size, num_examples)
      if self.shuffle:
        chosen = order[index // batches_per_epoch, start:end]
        x, y = tf.gather(data.x, chosen), tf.gather(data.y, chosen)
      else:
        x, y = data.x[start:end], data.y[start:end]
      if self.augment is not None:
        x = self.augment(x, tf.stack([data.seed[0] ^ 1, data.seed[1] + index]))
      return index + 1, step(state, x, y)

    _, state = tf.while_loop(
      lambda index, _: index < num_steps,
      one_batch,
      (tf.constant(0), state),
    )
    return state

  def count_examples(
    self, data: ClientTensors, num_seen: tf.Tensor, count: Callable[[tf.Tensor], tf.Tensor]
  ) -> tf.Tensor:
    """Returns all of the client's, however many steps it took; 0 if it took none."""
    return tf.where(num_seen > 0, self.num_epochs * count(data.y), 0)

  def step_key(self, data: ClientTensors, x: tf.Tensor, num_steps: tf.Tensor) -> tf.Tensor:
    """Returns the data's seed and the number of the step; the batch does not count."""
    del x
    return tf.stack([tf.bitcast(data.seed, tf.int64), tf.cast(num_steps, tf.int64)])


@dataclasses.dataclass(frozen=True)
class DatasetBatches:
  """Batches as they come in a `tf.data` sequence: batched, shuffled and repeated before."""

  def data_type(self, input_spec: tuple[tf.TensorSpec, tf.TensorSpec]) -> tff.Type:
    """Returns a sequence of pairs (x, y)."""
    return tff.SequenceType(
      tuple(tff.TensorType(spec.dtype.as_numpy_dtype, spec.shape) for spec in input_spec)
    )

  def fold(self, data: tf.data.Dataset, state: Any, step: Step, training: bool = False) -> Any:
    """Applies `step` to each element of the data set, in training too."""
    del training  # A data set says nothing of stragglers.
    return data.reduce(state, lambda state, batch: step(state, *batch))

  def count_examples(
    self, data: tf.data.Dataset, num_seen: tf.Tensor, count: Callable[[tf.Tensor], tf.Tensor]
  ) -> tf.Tensor:
    """Returns the number of those seen, as a data set is read to its end."""
    del data, count
    return num_seen

  def step_key(self, data: tf.data.Dataset, x: tf.Tensor, num_steps: tf.Tensor) -> tf.Tensor:
    """Returns the bits of the batch, as data sets have no seed, and the number of the step."""
    del data
    return tf.stack([_fingerprint(x), tf.cast(num_steps, tf.int64)])


def _fingerprint(x: tf.Tensor) -> tf.Tensor:
  """Returns an int64 that depends on every bit of numbers and on where it is."""
  bits = tf.cast(tf.reshape(tf.bitcast(x, tf.uint8), [-1]), tf.int64) + 1
  # Odd factors lose no bits; int64 wraps around where the sum is too large.
  factors = 2 * tf.range(tf.size(bits, tf.int64), dtype=tf.int64) + 1
  return tf.reduce_sum(bits * factors)
