"""A model whose weights are split into a global and a local part.

The one idea that FedAvg, LG-FedAvg, CGAU and local adaptation share: the server
aggregates the global weights, the local weights never leave their client.
Liang et al. 2020, section 3.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.models import (
  cloning,
  dropout,
  frozen,
  functional_model,
  keras3,
  keyed_draws,
  subclassed,
  tensors_first,
)

# A model's trainable weights, in the model's own order.
ModelWeights = tuple[np.ndarray, ...]


@dataclasses.dataclass(frozen=True)
class LocalGlobalModel:
  """A functional model and, for each of its weights, whether it is global.

  Attributes:
    functional: TFF's functional model. Use it inside a
      `tff.tensorflow.computation` only.
    weight_names: `layer/weight` for each trainable weight, in the model's order.
    weight_is_global: whether the server aggregates that weight.
    outputs_probabilities: whether the output is probabilities instead of logits.
    padding_label: of sequences, the label that marks no target; None where each counts.
    outputs_per_example: how many numbers the output for one example has.
    has_classes: whether the output has a last dimension, of classes; not if it is one number, or
      of several labels at once.
    metric_names: of the metrics that it evaluates beside its loss, the main one first.
    to_predictions: of an output without classes makes predictions; None where nothing does.
    server_has_copy: whether every weight is a client's own and the server has a copy beside
      it, the mean of the clients'.
    extra_weights: initial values of the last weights, which are none of the network's: only
      objectives use them, and no evaluation does.
    constants: values of the functional model's weights that stay as they are, such as those of a
      frozen layer. Each comes with its place among all weights, in ascending order. They are not
      weights of this model: nothing trains or sends them.
    statistics: names of weights that no gradient trains, but steps set: the moving statistics of
      batch normalisation. They are global or local as other weights of their layers.
    dropout_key: int64 [2], what the masks of dropout are drawn from in training; None in a
      model that no step trains.
  """

  functional: tff.learning.models.FunctionalModel
  weight_names: tuple[str, ...]
  weight_is_global: tuple[bool, ...]
  outputs_probabilities: bool = False
  padding_label: int | None = None
  outputs_per_example: int = 1
  has_classes: bool = True
  metric_names: tuple[str, ...] = ('accuracy',)
  to_predictions: Callable[[tf.Tensor], tf.Tensor] | None = None
  server_has_copy: bool = False
  extra_weights: ModelWeights = ()
  constants: tuple[tuple[int, np.ndarray], ...] = ()
  statistics: frozenset[str] = frozenset()
  dropout_key: tf.Tensor | None = dataclasses.field(default=None, compare=False)

  @property
  def initial_weights(self) -> ModelWeights:
    """The weights that Keras initialised, and the extra ones, as float32 arrays."""
    constant = {place for place, _ in self.constants}
    trained, _ = self.functional.initial_weights
    of_network = (weight for place, weight in enumerate(trained) if place not in constant)
    return (*of_network, *self.extra_weights)

  @property
  def layer_names(self) -> tuple[str, ...]:
    """Names of the network's layers that have weights, in the model's order."""
    names = self.network_weights(self.weight_names)
    return tuple(dict.fromkeys(_layer(name) for name in names))

  def network_weights(self, weights: Sequence) -> tuple:
    """Returns weights, or anything else one per weight, without those of `extra_weights`."""
    return tuple(weights)[: len(self.weight_names) - len(self.extra_weights)]

  def with_global_layers(self, layers: Sequence[str]) -> 'LocalGlobalModel':
    """Returns the model with exactly these layers global.

    Args:
      layers: layer names; none at all makes every weight local.

    Returns:
      The model with its new split.

    Raises:
      ValueError: a name is not a layer with weights.
    """
    unknown = [layer for layer in layers if layer not in self.layer_names]
    if unknown:
      raise ValueError(
        f'global layers: the model has no layer with weights named {", ".join(unknown)}; '
        f'its layers are {", ".join(self.layer_names)}.'
      )
    chosen = tuple(_layer(name) in layers for name in self.weight_names)
    return dataclasses.replace(self, weight_is_global=chosen, server_has_copy=False)

  def with_all_global(self) -> 'LocalGlobalModel':
    """Returns the model with every weight global."""
    return self.with_global_layers(self.layer_names)

  def with_server_copy(self) -> 'LocalGlobalModel':
    """Returns the model with every weight local and the clients' mean at the server.

    Global weights are then the server's copy of all weights, and local weights the client's own.
    A client's model is its own weights: `split` gives both, `merge` the latter.
    """
    return dataclasses.replace(self.with_global_layers(()), server_has_copy=True)

  def with_extra_weights(
    self, weights: Mapping[str, np.ndarray], *, are_global: bool = False
  ) -> 'LocalGlobalModel':
    """Returns the model with more weights, by `layer/weight`, for an objective.

    They are local, or global until the model is given another split.
    """
    return dataclasses.replace(
      self,
      weight_names=(*self.weight_names, *weights),
      weight_is_global=(*self.weight_is_global, *[are_global] * len(weights)),
      extra_weights=(*self.extra_weights, *weights.values()),
    )

  def with_dropout_key(self, key: tf.Tensor) -> 'LocalGlobalModel':
    """Returns the model that draws the masks of its dropout in training from a step's key."""
    return dataclasses.replace(self, dropout_key=key)

  def with_global_extra_weights(self) -> 'LocalGlobalModel':
    """Returns the model with its extra weights global too."""
    of_network = self.network_weights(self.weight_is_global)
    return dataclasses.replace(
      self, weight_is_global=(*of_network, *[True] * len(self.extra_weights))
    )

  def split(self, weights: Sequence) -> tuple[tuple, tuple]:
    """Splits weights, or anything else one per weight, in (global, local)."""
    if self.server_has_copy:
      return tuple(weights), tuple(weights)
    pairs = list(zip(weights, self.weight_is_global, strict=True))
    return (
      tuple(weight for weight, is_global in pairs if is_global),
      tuple(weight for weight, is_global in pairs if not is_global),
    )

  def merge(self, global_weights: Sequence, local_weights: Sequence) -> tuple:
    """Merges both parts, the inverse of `split`: returns what a client trains."""
    if self.server_has_copy:
      return tuple(local_weights)
    global_iterator, local_iterator = iter(global_weights), iter(local_weights)
    return tuple(
      next(global_iterator if is_global else local_iterator) for is_global in self.weight_is_global
    )

  def received(self, global_weights: Sequence, local_weights: Sequence) -> tuple:
    """Returns a client's model as a round begins: the server's weights where it has any."""
    if self.server_has_copy:
      return tuple(global_weights)
    return self.merge(global_weights, local_weights)

  def predict(self, weights: Sequence, x: tf.Tensor, training: bool) -> tf.Tensor:
    """Returns the model's output for a batch; call it in a graph.

    Raises:
      ValueError: in training, dropout without a key.
    """
    _, keys = self.functional.initial_weights
    if keys and training:
      if self.dropout_key is None:
        raise ValueError('The model has dropout, which needs a key in training: with_dropout_key.')
      keys = (self.dropout_key,) * len(keys)
    of_network = list(self.network_weights(weights))
    for place, value in self.constants:
      of_network.insert(place, tf.constant(value))
    # In the graph of the step: a function of its own would be traced, and differentiated, apart
    # from it, and moving statistics could not be collected.
    predict = self.functional._predict_on_batch_fn.python_function
    with keyed_draws.draw_from(self.dropout_key if training else None):
      return predict((tuple(of_network), keys), x, training)

  @property
  def weight_is_statistic(self) -> tuple[bool, ...]:
    """Which weights are moving statistics, of the network or of a copy among the extra weights."""
    return tuple(
      any(name == each or name.endswith(f'/{each}') for each in self.statistics)
      for name in self.weight_names
    )

  @property
  def batch_norm_layers(self) -> tuple[str, ...]:
    """Names of the layers that have moving statistics, in the model's order."""
    layers = set(map(_layer, self.statistics))
    return tuple(name for name in self.layer_names if name in layers)

  def count_examples(self, y: tf.Tensor) -> tf.Tensor:
    """Counts the examples in a batch of labels, an int32 scalar: rows; for sequences, positions."""
    if self.padding_label is None:
      return tf.shape(y)[0]
    # Not `!=`, which in a graph of TFF's compares the tensor itself.
    return tf.math.count_nonzero(tf.not_equal(y, self.padding_label), dtype=tf.int32)

  def describe_split(self) -> str:
    """Returns a text table of each weight, its side, its parameters and its bytes."""
    rows = [
      (name, self._side(is_global), str(weight.shape), weight.size, weight.nbytes)
      for name, is_global, weight in zip(
        self.weight_names, self.weight_is_global, self.initial_weights, strict=True
      )
    ]
    total = sum(parameters for *_, parameters, _ in rows)
    width = max(28, *(len(name) + 2 for name in self.weight_names))
    lines = [f'{"weight":<{width}}{"side":<8}{"shape":<18}{"parameters":>12}{"bytes":>14}']
    lines += [
      f'{name:<{width}}{side:<8}{shape:<18}{parameters:>12,}{num_bytes:>14,}'
      for name, side, shape, parameters, num_bytes in rows
    ]
    for wanted in ('global', 'local'):
      parameters = sum(row[3] for row in rows if row[1] in (wanted, 'both'))
      num_bytes = sum(row[4] for row in rows if row[1] in (wanted, 'both'))
      share = f'{parameters / total:.2%} of {total:,}'
      lines.append(f'{"all " + wanted:<{width}}{"":<8}{share:<18}{parameters:>12,}{num_bytes:>14,}')
    return '\n'.join(lines)

  def _side(self, is_global: bool) -> str:
    if self.server_has_copy:
      return 'both'
    return 'global' if is_global else 'local'


def from_keras(
  keras_model: tf.keras.Model,
  *,
  loss: tf.keras.losses.Loss,
  metrics: Mapping[str, Callable[[], tf.keras.metrics.Metric]],
  label_spec: tf.TensorSpec | None = None,
  padding_label: int | None = None,
  to_predictions: Callable[[tf.Tensor], tf.Tensor] | None = None,
) -> LocalGlobalModel:
  """Wraps a Keras model, with every weight global.

  Args:
    keras_model: an uncompiled model with one input and one output, of tf.keras or of Keras 3
      (see `keras3.to_legacy`). It is built and has weights to train. It may also have weights of
      frozen layers, moving statistics of batch normalisation, and keys of `StatelessDropout`.
      Weights of frozen layers stay as they are. Keras's dropout draws its masks from the step's
      key. TFF clones it in a graph, where Keras changes classes: one of tf.keras can be called
      again after `assign_weights`.
    loss: mean loss of a batch. Training adds what layers add: regularisers and `add_loss`.
    metrics: by name, what makes a Keras metric of labels and outputs; the main one first.
    label_spec: type of a batch of labels, int32 [None] by default.
    padding_label: for sequences, the label that marks no target and is not an example.
    to_predictions: of outputs that are none of classes makes predictions, such as numbers [n].

  Returns:
    The model; choose a split by `with_global_layers`.

  Raises:
    ValueError: the model has several inputs or outputs, mixed precision, no weights to train, or
      two weights of one name. Or weights change without a gradient, and are not statistics of batch
      normalisation. Or the model or a metric of Keras 3 has no counterpart in legacy Keras.
  """
  _check_ends(keras_model)
  keras_model = keras3.to_legacy(keras_model)
  for name, build in metrics.items():
    if keras3.is_keras3(build()):
      raise ValueError(f'metric {name} is one of Keras 3, expected metrics of tf.keras.')
  _check_layers(keras_model)
  original = keras_model
  activation = getattr(keras_model.layers[-1], 'activation', None)
  keras_model = tensors_first.put(keras_model)
  if frozen.needs_copy(keras_model):
    keras_model = frozen.copy_without_states(keras_model)
  if label_spec is None:
    label_spec = tf.TensorSpec([None], tf.int32)
  input_spec = (tf.TensorSpec(keras_model.input_shape, keras_model.input.dtype), label_spec)
  functional, order = functional_model.from_keras(keras_model, loss, input_spec, metrics)
  # Layers within layers may have other names in a copy.
  of_copy = {id(weight): same for weight, same in frozen.pair_weights(keras_model, original)}
  weights = [of_copy[id(keras_model.trainable_weights[place])] for place in order]
  fixed = {id(weight) for weight in frozen.frozen_weights(original)}
  constants = tuple(
    (place, value)
    for place, (weight, value) in enumerate(
      zip(weights, functional.initial_weights[0], strict=True)
    )
    if id(weight) in fixed
  )
  weight_names = tuple(_weight_name(weight) for weight in weights if id(weight) not in fixed)
  if len(set(weight_names)) != len(weight_names):
    names = ', '.join(weight_names)
    raise ValueError(f'model {keras_model.name}: two weights share a name: {names}.')
  return LocalGlobalModel(
    functional,
    weight_names,
    (True,) * len(weight_names),
    outputs_probabilities=activation is tf.keras.activations.softmax,
    padding_label=padding_label,
    outputs_per_example=math.prod(keras_model.output_shape[1:]),
    has_classes=to_predictions is None and len(keras_model.output_shape) > 1,
    metric_names=tuple(metrics),
    to_predictions=to_predictions,
    constants=constants,
    statistics=frozenset(map(_weight_name, frozen.moving_statistics(original))),
  )


def _check_ends(keras_model: tf.keras.Model) -> None:
  """Refuses several inputs or outputs."""
  for what, advice in (('inputs', '; join several by models.join_inputs'), ('outputs', '')):
    found = getattr(keras_model, what, None)
    if found is not None and len(found) != 1:
      raise ValueError(
        f'model {keras_model.name}: {len(found)} {what} found, expected one{advice}.'
      )


def _check_layers(keras_model: tf.keras.Model) -> None:
  """Refuses what a functional model cannot compute, and weights that nothing trains."""
  for fault in cloning.faults(keras_model):
    raise ValueError(f'model {keras_model.name} {fault}')
  for layer in keras_model._flatten_layers(include_self=False):
    if layer.weights and layer.compute_dtype != layer.variable_dtype:
      raise ValueError(
        f'model {keras_model.name}: layer {layer.name} computes in {layer.compute_dtype} with '
        f'weights in {layer.variable_dtype}, expected one precision.'
      )
  kinds = (frozen.frozen_weights, frozen.moving_statistics, frozen.adapted_moments, dropout.keys)
  known = {id(weight) for find in kinds for weight in find(keras_model)}
  untrained = [weight for weight in keras_model.non_trainable_weights if id(weight) not in known]
  if untrained:
    names = ', '.join(map(_weight_name, untrained))
    raise ValueError(
      f'model {keras_model.name}: {names} found, which no gradient trains; leave its layer out, or '
      'freeze it (trainable=False).'
    )
  if not keras_model.trainable_weights:
    raise ValueError(f'model {keras_model.name}: no weight is trainable, expected one or more.')


def assign_weights(
  keras_model: Any,
  weights: Mapping[str, np.ndarray],
  input_shape: subclassed.InputShape | None = None,
) -> Any:
  """Sets weights of a model of any Keras, by their names in `LocalGlobalModel.weight_names`.

  Args:
    keras_model: such a model as `from_keras` takes.
    weights: by name; others stay as they are.
    input_shape: of an example, for a subclassed model that is not built; of several inputs by name.

  Returns:
    The model; one that is subclassed as a graph of its layers, which Keras can save without its
    class.

  Raises:
    ValueError: the model has no weight of a name, or `from_keras` does not take it.
  """
  model, copy = keras3.with_legacy(keras_model, input_shape)
  variables = dict(zip(map(_weight_name, copy.weights), model.weights, strict=True))
  if missing := weights.keys() - variables:
    raise ValueError(f'model {keras_model.name} has no weight {min(missing)}.')
  for name, value in weights.items():
    variables[name].assign(value)
  return model


def layer_names(keras_model: tf.keras.Model) -> tuple[str, ...]:
  """Returns the names of a Keras model's layers with weights (`LocalGlobalModel.layer_names`)."""
  return tuple(dict.fromkeys(map(_layer, map(_weight_name, keras_model.trainable_weights))))


def _weight_name(weight: tf.Variable) -> str:
  return weight.name.split(':')[0]


def _layer(weight_name: str) -> str:
  """Returns the layer of `layer/weight`; of `wrapper/cell/weight`, the outermost."""
  return weight_name.split('/')[0]
