"""The work of one client in one round: training its copy of the model on its own data."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.learning import batches as batches_lib
from tff_lg.learning import phases as phases_lib
from tff_lg.learning import settings as settings_lib
from tff_lg.models import dropout, local_global, told

_ALL = phases_lib.Phase()


class ClientState(NamedTuple):
  """The state that a client keeps between rounds and shows to nobody.

  Attributes:
    local_weights: the model's local weights.
    optimizer_state: of the client optimiser, or () if it is reset each round. For several
      phases, a tuple of their states.
  """

  local_weights: tuple
  optimizer_state: Any


class ClientMetrics(NamedTuple):
  """The report of a client on its training in a round.

  Attributes:
    loss: float32, mean over the examples that it saw.
    num_examples: int32, examples that it saw, each epoch counted.
    update_is_finite: bool, whether it can be taken into the round.
    update_size: float32, the largest absolute value in the update that it sends.
  """

  loss: tf.Tensor
  num_examples: tf.Tensor
  update_is_finite: tf.Tensor
  update_size: tf.Tensor


class TrainingState(NamedTuple):
  """The loop state of training on batches.

  Attributes:
    weights: those that are trained.
    optimizer_state: of the client optimiser, for these weights.
    loss_sum: float32, summed over the examples seen.
    num_examples: int32, examples seen, each epoch counted.
    num_steps: int32, steps taken.
  """

  weights: tuple
  optimizer_state: Any
  loss_sum: Any = 0.0
  num_examples: Any = 0
  num_steps: Any = 0


class ClientOutput(NamedTuple):
  """The result of a client's work: only `update` and `client_weight` travel.

  Attributes:
    update: initial minus final global weights, zeros if not finite or without a step.
    client_weight: float32, zero if the update is not finite or without a step.
    client_state: the client's next state.
    metrics: its `ClientMetrics`.
  """

  update: tuple
  client_weight: tf.Tensor
  client_state: ClientState
  metrics: ClientMetrics


def build_client_work(
  model: local_global.LocalGlobalModel, settings: settings_lib.ProcessSettings
) -> Callable[[tuple, ClientState, Any, tf.Tensor], ClientOutput]:
  """Builds a client's work as a function to be traced in a TFF computation.

  Args:
    model: the model and its split.
    settings: optimiser, objective, batches, client weighting.

  Returns:
    (global_weights, client_state, data, round_num) -> ClientOutput.
  """
  phases = settings.phases
  num_phases = len(phases)
  # Who makes no step keeps its state, also where a phase begins or ends with a change.
  only_with_steps = any(phase.begin or phase.finish for phase in phases)

  def work(
    global_weights: tuple, client_state: ClientState, data: Any, round_num: tf.Tensor
  ) -> ClientOutput:
    weights = model.merge(global_weights, client_state.local_weights)
    received = model.received(global_weights, client_state.local_weights)
    kept = client_state.optimizer_state
    state, optimizer_states = TrainingState(weights, ()), []
    for index, phase in enumerate(phases):
      of_phase = None if settings.reset_client_optimizer else kept
      if of_phase is not None and num_phases > 1:
        of_phase = of_phase[index]
      state = run_phase(model, settings, phase, received, state, of_phase, data, round_num)
      optimizer_states.append(state.optimizer_state)
    final, _, loss_sum, num_examples, _ = state
    optimizer_state = optimizer_states[0] if num_phases == 1 else tuple(optimizer_states)

    global_final, local_final = model.split(final)
    update = tuple(old - new for old, new in zip(global_weights, global_final, strict=True))
    of_client = settings.batches.count_examples(data, num_examples, model.count_examples)
    client_weight = settings.client_weighting(tf.cast(of_client, tf.float32), update)
    new_state = ClientState(local_final, () if settings.reset_client_optimizer else optimizer_state)
    finite = all_finite((update, local_final, loss_sum, client_weight))
    # Who makes no step has an update if it keeps a model of its own; it sends nothing all the same.
    is_sent = finite & (num_examples > 0)
    sent = or_zeros(is_sent, update)
    return ClientOutput(
      update=sent,
      client_weight=tf.where(is_sent, client_weight, 0.0),
      client_state=where(is_sent if only_with_steps else finite, new_state, client_state),
      metrics=ClientMetrics(
        loss=tf.math.divide_no_nan(loss_sum, tf.cast(num_examples, tf.float32)),
        num_examples=num_examples,
        update_is_finite=finite,
        update_size=largest(sent),
      ),
    )

  return work


def run_phase(
  model: local_global.LocalGlobalModel,
  settings: settings_lib.ProcessSettings,
  phase: phases_lib.Phase,
  received: tuple,
  state: TrainingState,
  optimizer_state: Any,
  data: Any,
  round_num: tf.Tensor,
) -> TrainingState:
  """Continues with the weights of the state; the phase's optimiser has its own state or None."""
  optimizer = phase.optimizer or settings.client_optimizer
  objective = phase.objective or settings.objective
  begun = state.weights if phase.begin is None else tuple(phase.begin(state.weights))
  if optimizer_state is None:
    optimizer_state = initialize_optimizer(optimizer, phase.select(begun))
  if phase.optimizer is None:
    optimizer_state = with_learning_rate(
      optimizer, optimizer_state, settings.client_learning_rate_fn, round_num
    )

  def of_step(key: tf.Tensor) -> local_global.LocalGlobalModel:
    return model.with_dropout_key(dropout.fold_in(key, round_num))

  def loss_fn(weights: tuple, x: tf.Tensor, y: tf.Tensor, key: tf.Tensor) -> tf.Tensor:
    return objective(of_step(key), weights, received, x, y)

  def before_step(weights: tuple, x: tf.Tensor, y: tf.Tensor, key: tf.Tensor) -> tuple:
    if phase.before_step is None:
      return weights
    return tuple(phase.before_step(of_step(key), weights, received, x, y))

  trained = train(
    loss_fn,
    optimizer,
    phase.batches or settings.batches,
    state._replace(weights=begun, optimizer_state=optimizer_state),
    data,
    model.count_examples,
    phase,
    before_step,
  )
  if phase.finish is None:
    return trained
  num_steps = trained.num_steps - state.num_steps
  done = phases_lib.Trained(begun, trained.weights, num_steps, trained.optimizer_state)
  return trained._replace(weights=tuple(phase.finish(done)))


def train(
  loss_fn: Callable[[tuple, tf.Tensor, tf.Tensor, tf.Tensor], tf.Tensor],
  optimizer: tff.learning.optimizers.Optimizer,
  batches: batches_lib.Batches,
  state: TrainingState,
  data: Any,
  count_examples: Callable[[tf.Tensor], tf.Tensor] = lambda y: tf.shape(y)[0],
  phase: phases_lib.Phase = _ALL,
  before_step: Callable[[tuple, tf.Tensor, tf.Tensor, tf.Tensor], tuple] | None = None,
) -> TrainingState:
  """Folds steps of the optimiser over a client's batches, in the graph.

  Args:
    loss_fn: (weights, x, y, key) -> scalar, differentiated by the weights. Its randomness follows
      from the key, int64 [2], which differs from step to step. See `Batches.step_key`.
    optimizer: takes the steps.
    batches: how the data become batches.
    state: what to start from.
    data: one client's, as `batches` types them.
    count_examples: of a batch of labels; the model's own where some are padding.
    phase: says which weights the optimiser moves; all by default.
    before_step: (weights, x, y, key) -> weights, applied before each step.

  Returns:
    The state after the last batch.
  """

  def step(state: TrainingState, x: tf.Tensor, y: tf.Tensor) -> TrainingState:
    weights, optimizer_state, loss_sum, num_examples, num_steps = state
    key = batches.step_key(data, x, num_steps)
    if before_step is not None:
      weights = before_step(weights, x, y, key)
    moved = phase.select(weights)
    with told.STATISTICS.collect() as statistics, tf.GradientTape() as tape:
      tape.watch(moved)
      loss = loss_fn(phase.replace(weights, moved), x, y, key)
    gradients = tape.gradient(loss, moved, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    optimizer_state, moved = optimizer.next(optimizer_state, moved, gradients)
    weights = phase.set_statistics(phase.replace(weights, moved), statistics)
    batch_size = count_examples(y)
    loss_sum += loss * tf.cast(batch_size, tf.float32)
    return TrainingState(
      weights, optimizer_state, loss_sum, num_examples + batch_size, num_steps + 1
    )

  return batches.fold(data, state, step, training=True)


def initialize_optimizers(settings: settings_lib.ProcessSettings, weights: tuple) -> Any:
  """Returns the first optimiser state of a client: of its phase, or a tuple for several of them."""
  states = tuple(
    initialize_optimizer(phase.optimizer or settings.client_optimizer, phase.select(weights))
    for phase in settings.phases
  )
  return states[0] if len(states) == 1 else states


def initialize_optimizer(optimizer: tff.learning.optimizers.Optimizer, weights: tuple) -> Any:
  """Returns the optimiser's first state for these weights, hyper-parameters as tensors."""
  specs = tf.nest.map_structure(lambda w: tf.TensorSpec(w.shape, w.dtype), weights)
  return tf.nest.map_structure(tf.convert_to_tensor, optimizer.initialize(specs))


def with_learning_rate(
  optimizer: tff.learning.optimizers.Optimizer,
  optimizer_state: Any,
  learning_rate_fn: Callable[[tf.Tensor], tf.Tensor] | None,
  round_num: tf.Tensor,
) -> Any:
  """Returns the optimiser's state with a round's learning rate; unchanged without a function."""
  if learning_rate_fn is None:
    return optimizer_state
  learning_rate = tf.cast(learning_rate_fn(round_num), tf.float32)
  return optimizer.set_hparams(
    optimizer_state, {tff.learning.optimizers.LEARNING_RATE_KEY: learning_rate}
  )


def all_finite(structure: Any) -> tf.Tensor:
  """Returns whether every number of every tensor is finite, a bool scalar."""
  finite = [tf.reduce_all(tf.math.is_finite(tensor)) for tensor in tf.nest.flatten(structure)]
  return tf.reduce_all([True, *finite])


def largest(tensors: tuple) -> tf.Tensor:
  """Returns the largest absolute value in float32 tensors, a scalar; 0 where there are none."""
  return tf.reduce_max([0.0, *(tf.norm(tensor, np.inf) for tensor in tensors)])


def where(condition: tf.Tensor, if_true: Any, if_false: Any) -> Any:
  """Returns the first structure if the condition, a bool scalar, holds; else the second."""
  return tf.nest.map_structure(lambda a, b: tf.where(condition, a, b), if_true, if_false)


def or_zeros(condition: tf.Tensor, tensors: Any) -> Any:
  """Returns the tensors if the condition, a bool scalar, holds; else zeros of their shapes.

  The zeros are scalars that are broadcast. If a graph had zeros as large as the weights,
  TensorFlow would unpack them several times before the first round.
  """
  return where(condition, tensors, tf.nest.map_structure(lambda t: tf.zeros([], t.dtype), tensors))
