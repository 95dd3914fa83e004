"""Objectives that a client minimises.

An objective is a function of the model, its current weights, the weights it started the round
from, and a batch. The weights at the start are the server's wherever it has any. The value is a
scalar that is differentiated by the current weights.
"""

from collections.abc import Callable

import tensorflow as tf

from tff_lg.models import auxiliary, local_global, told

# (model, weights, initial_weights, x, y) -> scalar loss.
Objective = Callable[[local_global.LocalGlobalModel, tuple, tuple, tf.Tensor, tf.Tensor], tf.Tensor]


def supervised(
  model: local_global.LocalGlobalModel,
  weights: tuple,
  initial_weights: tuple,
  x: tf.Tensor,
  y: tf.Tensor,
) -> tf.Tensor:
  """Returns the model's own loss on the batch, a scalar, plus the losses of its layers."""
  del initial_weights
  with told.LOSSES.collect() as of_layers:
    output = model.predict(weights, x, training=True)
  return tf.add_n([model.functional.loss(output, y), *of_layers])


def proximal(strength: float, objective: Objective = supervised) -> Objective:
  """Adds strength / 2 * ||w - w_0||^2 over the global weights w; nothing if all are local.

  Args:
    strength: mu of the paper, not negative.
    objective: what the term is added to.

  Returns:
    The objective.

  Raises:
    ValueError: `strength` is negative.

  Li et al. 2020, Federated Optimization in Heterogeneous Networks, equation 2.
  """
  if strength < 0:
    raise ValueError(f'proximal strength is {strength}, expected a number >= 0.')

  def with_proximal_term(
    model: local_global.LocalGlobalModel,
    weights: tuple,
    initial_weights: tuple,
    x: tf.Tensor,
    y: tf.Tensor,
  ) -> tf.Tensor:
    global_weights, _ = model.split(weights)
    start, _ = model.split(initial_weights)
    squares = [
      tf.reduce_sum(tf.square(w - w_0)) for w, w_0 in zip(global_weights, start, strict=True)
    ]
    distance = tf.add_n(squares) if squares else 0.0
    return objective(model, weights, initial_weights, x, y) + strength / 2 * distance

  return with_proximal_term


def of_network(network: local_global.LocalGlobalModel, objective: Objective) -> Objective:
  """Returns the objective of a network whose weights are the first ones of a greater model's.

  Args:
    network: the model without its further extra weights.
    objective: what is minimised over the network's weights.
  """
  num_weights = len(network.weight_names)

  def of_first_weights(
    model: local_global.LocalGlobalModel,
    weights: tuple,
    initial_weights: tuple,
    x: tf.Tensor,
    y: tf.Tensor,
  ) -> tf.Tensor:
    of_step = network.with_dropout_key(model.dropout_key)
    return objective(of_step, weights[:num_weights], initial_weights[:num_weights], x, y)

  return of_first_weights


def weight_decay(strength: float, objective: Objective = supervised) -> Objective:
  """Adds strength * ||w||^2 over all weights w, global and local.

  Args:
    strength: not negative. The gradient is 2 * strength * w.
    objective: what the term is added to.

  Returns:
    The objective.

  Raises:
    ValueError: `strength` is negative.
  """
  if strength < 0:
    raise ValueError(f'weight decay is {strength}, expected a number >= 0.')

  def with_decay(
    model: local_global.LocalGlobalModel,
    weights: tuple,
    initial_weights: tuple,
    x: tf.Tensor,
    y: tf.Tensor,
  ) -> tf.Tensor:
    squares = tf.add_n([tf.reduce_sum(tf.square(weight)) for weight in weights])
    return objective(model, weights, initial_weights, x, y) + strength * squares

  return with_decay


def with_auxiliary(
  network: auxiliary.AuxiliaryNetwork, global_weight: float, objective: Objective = supervised
) -> Objective:
  """Returns the network's loss plus global_weight times the objective.

  Args:
    network: its own weights are among those of the models that the objective is given, see
      `LocalGlobalModel.with_extra_weights`.
    global_weight: lambda, positive. It multiplies the loss of the whole model, whose
      prediction the global layers make, and not that of the auxiliary network.
    objective: the loss of the whole model.

  Returns:
    The objective.

  Raises:
    ValueError: `global_weight` is not positive.

  Liang et al. 2019 (the paper's first version), equation 3.
  """
  if not global_weight > 0:
    raise ValueError(f'weight of the global loss is {global_weight}, expected a number > 0.')

  def with_auxiliary_loss(
    model: local_global.LocalGlobalModel,
    weights: tuple,
    initial_weights: tuple,
    x: tf.Tensor,
    y: tf.Tensor,
  ) -> tf.Tensor:
    by_name = dict(zip(model.weight_names, weights, strict=True))
    of_network = tuple(by_name[name] for name in network.weight_names)
    auxiliary_loss = network.loss(of_network, x, y, model.dropout_key)
    return auxiliary_loss + global_weight * objective(model, weights, initial_weights, x, y)

  return with_auxiliary_loss
