"""A client adapts a trained model: its epochs alone, and which of them it keeps.

All epochs of a client are one loop in the graph.
"""

import collections
import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import tensorflow as tf

from tff_lg import metrics as metrics_lib
from tff_lg.adaptation.technique import Adaptation
from tff_lg.compatibility import tff
from tff_lg.learning import batches as batches_lib
from tff_lg.learning import client_work, evaluation
from tff_lg.learning import phases as phases_lib
from tff_lg.models import local_global


class AdaptationOutput(NamedTuple):
  """A client's adaptation, with the epoch chosen on its own validation data.

  Attributes:
    weights: all weights after the best epoch.
    best_epoch: int32; 0 is the model as it was, the earliest epoch wins among equals. It
      is 0 for a client without validation examples.
    validation: by name, the model's metrics and `loss` on the client's validation data, float32
      [len(epochs)] each, at the process's `epochs`. Zeros without validation examples.
    num_validation_examples: int32; of sequences, real positions.
    is_finite: bool; False for a client whose training gave a weight or loss that is not
      finite. It keeps the weights it started from, and their metrics at all epochs. With a patience
      it keeps the weights of its best epoch so far, and the metrics as measured.
    num_epochs: int32, epochs that it trained.
  """

  weights: tuple
  best_epoch: Any
  validation: Any
  num_validation_examples: Any
  is_finite: Any
  num_epochs: Any


class AdaptedWeights(NamedTuple):
  """A client's adaptation up to an epoch that was given.

  Attributes:
    weights: all weights after that epoch.
    is_finite: bool; if False the weights are those that the client started from.
  """

  weights: tuple
  is_finite: Any


class _Progress(NamedTuple):
  """The state of the loop over epochs; `index` counts evaluations."""

  index: Any
  training: client_work.TrainingState
  best_weights: tuple
  best_index: Any
  improved_index: Any
  validation: Any
  is_finite: Any


_Train: TypeAlias = Callable[
  [tf.Tensor, client_work.TrainingState], tuple[client_work.TrainingState, tf.Tensor]
]
"""(index, state) -> (the state at the next evaluation, whether it is finite)."""


@dataclasses.dataclass(frozen=True)
class ClientAdaptation:
  """A client's adaptation with one setting, as functions of tensors.

  Attributes:
    model: the model.
    split: the same, split in layers that train ("global") and layers that do not.
    adaptation: what is minimised.
    client_optimizer: takes the steps; its state lasts for all epochs of a client.
    batches: of the epochs from one evaluation to the next.
    evaluation_batches: how validation data become batches.
    epochs: those at which validation data are evaluated, from 0, equally far apart.
    selection_metric: name of the validation metric that chooses the best epoch.
    patience: evaluations in a row without an improvement after which a client stops; None for all.
  """

  model: local_global.LocalGlobalModel
  split: local_global.LocalGlobalModel
  adaptation: Adaptation
  client_optimizer: tff.learning.optimizers.Optimizer
  batches: batches_lib.TensorBatches
  evaluation_batches: batches_lib.Batches
  epochs: tuple[int, ...]
  selection_metric: str
  patience: int | None

  def adapt(
    self, weights: tuple, measured: Any, train_data: batches_lib.ClientTensors, validation_data: Any
  ) -> AdaptationOutput:
    """Trains a client's weights, and keeps the best epoch by its own validation data.

    Args:
      weights: all weights of the client's model.
      measured: what the technique measured on public data.
      train_data: the client's training data.
      validation_data: the client's validation data, as `evaluation_batches` takes them.

    Returns:
      The adaptation.

    Raises:
      ValueError: the model has no such metric.
    """
    before, frozen = self.split.split(weights)
    train = self._train(weights, measured, train_data)
    metrics, num_validation_examples = self._evaluate(weights, validation_data)
    curves = tf.nest.map_structure(lambda value: tf.fill([len(self.epochs)], value), metrics)
    zero = tf.constant(0)

    def train_and_evaluate(progress: _Progress) -> tuple[_Progress]:
      training, is_finite = train(progress.index, progress.training)
      metrics, _ = self._evaluate(self.split.merge(training.weights, frozen), validation_data)
      return (self._advance(progress, training, is_finite, metrics),)

    (progress,) = tf.while_loop(
      self._continues,
      train_and_evaluate,
      (_Progress(zero, self._start(weights), before, zero, zero, curves, True),),
    )
    is_kept = progress.is_finite if self.patience is None else tf.constant(True)
    trained = client_work.where(is_kept, progress.best_weights, before)
    return AdaptationOutput(
      weights=self.split.merge(trained, frozen),
      best_epoch=tf.where(is_kept, progress.best_index * self._epochs_apart, 0),
      validation=client_work.where(is_kept, progress.validation, curves),
      num_validation_examples=num_validation_examples,
      is_finite=progress.is_finite,
      num_epochs=progress.index * self._epochs_apart,
    )

  def adapt_to_epoch(
    self, weights: tuple, measured: Any, train_data: batches_lib.ClientTensors, epoch: tf.Tensor
  ) -> AdaptedWeights:
    """Trains a client's weights up to an epoch, int32; between two of `epochs`, the earlier."""
    before, frozen = self.split.split(weights)
    train = self._train(weights, measured, train_data)
    num_evaluations = epoch // self._epochs_apart
    _, training, is_finite = tf.while_loop(
      lambda index, _, is_finite: tf.logical_and(index < num_evaluations, is_finite),
      lambda index, state, _: (index + 1, *train(index, state)),
      (tf.constant(0), self._start(weights), True),
    )
    trained = client_work.where(is_finite, training.weights, before)
    return AdaptedWeights(self.split.merge(trained, frozen), is_finite)

  @property
  def _epochs_apart(self) -> int:
    return self.batches.num_epochs

  @property
  def _phase(self) -> phases_lib.Phase:
    is_statistic, _ = self.split.split(self.split.weight_is_statistic)
    return phases_lib.with_statistics(phases_lib.Phase(), is_statistic)

  def _start(self, weights: tuple) -> client_work.TrainingState:
    trained, _ = self.split.split(weights)
    optimizer_state = client_work.initialize_optimizer(
      self.client_optimizer, self._phase.select(trained)
    )
    return client_work.TrainingState(trained, optimizer_state, tf.constant(0.0), tf.constant(0))

  def _train(self, weights: tuple, measured: Any, data: batches_lib.ClientTensors) -> _Train:
    """Returns what trains from one evaluation to the next."""
    _, frozen = self.split.split(weights)
    objective = self.adaptation.objective(measured)

    def loss_fn(trained: tuple, x: tf.Tensor, y: tf.Tensor, key: tf.Tensor) -> tf.Tensor:
      of_step = self.model.with_dropout_key(key)
      return objective(of_step, self.split.merge(trained, frozen), weights, x, y)

    def train(
      index: tf.Tensor, state: client_work.TrainingState
    ) -> tuple[client_work.TrainingState, tf.Tensor]:
      seed = tf.random.experimental.stateless_fold_in(data.seed, index)
      state = client_work.train(
        loss_fn,
        self.client_optimizer,
        self.batches,
        state,
        data._replace(seed=seed),
        phase=self._phase,
      )
      return state, client_work.all_finite((state.weights, state.loss_sum))

    return train

  def _evaluate(
    self, weights: tuple, data: Any
  ) -> tuple[collections.OrderedDict[str, tf.Tensor], tf.Tensor]:
    """Returns the metrics on validation data, float32, and the number of examples."""
    metrics = evaluation.evaluate_weights(self.model, weights, self.evaluation_batches, data)
    num_examples = metrics.pop('num_examples')
    if self.selection_metric not in metrics:
      raise ValueError(
        f'selection_metric is {self.selection_metric}, expected one of {", ".join(metrics)}.'
      )
    return tf.nest.map_structure(lambda value: tf.cast(value, tf.float32), metrics), num_examples

  def _advance(
    self,
    progress: _Progress,
    training: client_work.TrainingState,
    is_finite: tf.Tensor,
    metrics: collections.OrderedDict[str, tf.Tensor],
  ) -> _Progress:
    """Returns the progress at the next evaluation, given what was trained and measured there."""
    index = progress.index + 1
    sign = float(metrics_lib.sign(self.selection_metric))
    value = sign * metrics[self.selection_metric]
    best = sign * progress.validation[self.selection_metric][progress.best_index]
    is_better = has_improved = value > best
    if self.patience is not None:
      # Epochs not trained yet have the loss of the initial weights.
      has_improved |= metrics['loss'] < tf.reduce_min(progress.validation['loss'])
      is_better = is_finite & (value >= best)
    is_index = tf.equal(tf.range(len(self.epochs)), index)
    return _Progress(
      index,
      training,
      client_work.where(is_better, training.weights, progress.best_weights),
      tf.where(is_better, index, progress.best_index),
      tf.where(has_improved, index, progress.improved_index),
      tf.nest.map_structure(
        lambda curve, new: tf.where(is_index, new, curve), progress.validation, metrics
      ),
      is_finite,
    )

  def _continues(self, progress: _Progress) -> tf.Tensor:
    continues = tf.logical_and(progress.index < len(self.epochs) - 1, progress.is_finite)
    if self.patience is None:
      return continues
    return tf.logical_and(continues, progress.index - progress.improved_index < self.patience)
