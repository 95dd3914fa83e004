"""The data and the model of the task that a config names."""

import math
import re
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from tff_lg import config as config_lib
from tff_lg import data, models, seeds, tasks
from tff_lg import metrics as metrics_lib
from tff_lg.config.option import resolved
from tff_lg.inputs import held_out
from tff_lg.metrics import in_graph
from tff_lg.training import evaluation

# Of the layers of a network that does not say which are global, what LG-FedAvg keeps local.
_LOCAL_SHARE = 1 / 3


def find_task(options: config_lib.TaskOptions) -> tasks.TaskEntry:
  """Returns the task that the options name."""
  return tasks.TASKS[options.task]


def find_network(options: config_lib.TaskOptions) -> tasks.NetworkEntry:
  """Returns the network that resolved options name, or their task's only one."""
  return tasks.find_network(options.task, options.model)


def load_data(inputs: config_lib.InputOptions) -> data.FederatedData:
  """Loads the task's data and spreads them over clients.

  Args:
    inputs: of a resolved config.

  Returns:
    The clients' data.

  Raises:
    data.DataError, ValueError: data missing or damaged, or a partition that cannot be.
  """
  seed = seeds.derive_seed(config_lib.data_seed(inputs), seeds.Purpose.PARTITION)
  federated_data = _load(inputs, seed)
  if inputs.partition is not None and data.PARTITIONS[inputs.partition].mixes_clients:
    federated_data = data.iid_twin(federated_data, seed)
  if inputs.folds is not None and not find_task(inputs).makes_folds:
    federated_data = data.take_fold(
      federated_data,
      data.Fold(resolved(inputs.fold), inputs.folds),
      validation_fraction=resolved(inputs.validation_fraction),
      seed=seed,
      standardizes=find_task(inputs).standardizes,
    )
  if not federated_data.held_out:  # Of text they are chosen before its vocabulary.
    federated_data = data.hold_out_clients(federated_data, held_out.choose_by(inputs))
  _check_names(inputs, federated_data)
  part = evaluation.PARTS[inputs.choices.choose_by]
  if not any(client.size(part) for client in federated_data.clients):
    raise ValueError(
      f"Models are chosen on the clients' {part} examples, but no client has any: spread the data "
      'over fewer clients.'
    )
  return federated_data


def _load(inputs: config_lib.InputOptions, seed: int) -> data.FederatedData:
  """Returns the clients' data as the task and its network want them."""
  task, name = find_task(inputs), inputs.partition
  options = config_lib.TASK_OPTIONS.build(inputs, inputs.task)
  setting = tasks.Setting(
    data_dir=inputs.data_dir,
    seed=seed,
    objective=inputs.predicts.name,
    validation_fraction=resolved(inputs.validation_fraction),
    num_clients=inputs.num_clients,
    partition=name,
    partition_options=None if name is None else config_lib.PARTITION_OPTIONS.build(inputs, name),
    choose_held_out=held_out.choose_by(inputs),
    fold=None if inputs.folds is None else data.Fold(resolved(inputs.fold), inputs.folds),
  )
  if task.load_data is not None:
    federated_data = task.load_data(options, setting)
  else:
    build = resolved(data.PARTITIONS[resolved(name)].build)
    federated_data = data.partition_clients(
      resolved(task.load_source)(options, setting),
      build(setting.partition_options, inputs.num_clients),
      validation_fraction=setting.validation_fraction,
      seed=seed,
    )
  prepare = find_network(inputs).prepare
  return federated_data if prepare is None else prepare(federated_data)


def _check_names(options: config_lib.TaskOptions, federated_data: data.FederatedData) -> None:
  """Refuses names that no file of the run folder could hold."""
  everybody = (*federated_data.clients, *federated_data.held_out)
  for what, names in (
    ('client', [client.client_id for client in everybody]),
    # Of sequences they are words, which are written nowhere.
    ('class', federated_data.class_names if federated_data.has_plain_labels else ()),
  ):
    for name in names:
      try:
        name.encode('utf-8')
      except UnicodeEncodeError:
        files = [getattr(options, name) for name in find_task(options).file_options]
        place = next(filter(None, (*files, options.data_dir)), f'--task={options.task}')
        raise ValueError(
          f'The data of {place} have the {what} {name!r}, whose name has half of a surrogate pair, '
          'expected text that UTF-8 can hold.'
        ) from None


def build_keras_model(
  inputs: config_lib.InputOptions, federated_data: data.FederatedData
) -> tf.keras.Model:
  """Builds the network that the options name, for the data."""
  return find_network(inputs).build(
    _network_options(inputs), _network_setting(inputs, federated_data)
  )


def build_original(inputs: config_lib.InputOptions, federated_data: data.FederatedData) -> Any:
  """Builds the network as a user's function returns it; None for a network that is ours."""
  build = find_network(inputs).build_original
  return None if build is None else build(_network_setting(inputs, federated_data))


def _network_setting(
  inputs: config_lib.InputOptions, federated_data: data.FederatedData
) -> tasks.NetworkSetting:
  return tasks.NetworkSetting(
    task_options=config_lib.TASK_OPTIONS.build(inputs, inputs.task),
    data=federated_data,
    seed=seeds.derive_seed(inputs.seed, seeds.Purpose.INITIALISATION),
    objective=inputs.predicts.name,
    output_activation=inputs.choices.output_activation,
  )


def _network_options(options: config_lib.TaskOptions) -> Any:
  """Returns the options of the network; None for one that is not an entry of the registry."""
  name = options.model or ''
  return config_lib.NETWORK_OPTIONS.build(options, name) if name in tasks.NETWORKS else None


def build_model(
  inputs: config_lib.InputOptions, federated_data: data.FederatedData
) -> models.LocalGlobalModel:
  """Builds the task's model for the data, with every weight global."""
  keras_model = build_keras_model(inputs, federated_data)
  wrap = find_network(inputs).wrap
  if wrap is not None:
    return wrap(keras_model)
  model = as_local_global(keras_model, inputs.predicts, inputs.model_metrics)
  return models.with_example_weights(model) if federated_data.has_weights else model


def own_global_layers(options: config_lib.TaskOptions) -> tuple[str, ...] | None:
  """Returns the layers that LG-FedAvg sends of the options' network; None if it names none."""
  say = find_network(options).global_layers
  of_task = config_lib.TASK_OPTIONS.build(options, options.task)
  return None if say is None else say(_network_options(options), of_task)


def global_layers(
  options: config_lib.TaskOptions, method: config_lib.MethodOptions, layer_names: Sequence[str]
) -> tuple[str, ...]:
  """Returns the layers that LG-FedAvg sends: those given, a share, or the network's default.

  A name may be a regular expression for whole names. For a network that names none, the first third
  of the layers stay local by default, rounded to the nearest number.

  Args:
    options: of a resolved config.
    method: with the layers or the share, if they are given.
    layer_names: of all layers with weights, from the input on.

  Raises:
    ValueError: the share leaves no layer.
  """
  if method.global_layers is not None:
    return tuple(
      dict.fromkeys(
        found
        for pattern in method.global_layers
        # A name that fits no layer is refused where the model is split.
        for found in [name for name in layer_names if _fits(pattern, name)] or [pattern]
      )
    )
  share = method.local_layer_share
  if share is None:
    if (own := own_global_layers(options)) is not None:
      return own
    share = _LOCAL_SHARE
    if len(layer_names) < 2:
      raise ValueError(
        f'The network {find_network(options).name} has one layer with trained weights, '
        f'{layer_names[0]}, which leaves nothing to split: expected more layers, or a --method '
        'that splits none.'
      )
  num_layers = len(layer_names)
  num_local = int(share * num_layers + 0.5)
  if num_local == num_layers:
    raise ValueError(
      f'--local_layer_share is {share:g}, which makes all {num_layers} layers '
      f'local: expected 1, which is local learning, or less than {1 - 0.5 / num_layers:g}.'
    )
  return tuple(layer_names[num_local:])


def _fits(pattern: str, name: str) -> bool:
  try:
    return re.fullmatch(pattern, name) is not None
  except re.error as error:
    raise ValueError(
      f'--global_layers has {pattern}, expected names of layers or regular expressions: {error}.'
    ) from error


def build_auxiliary(
  inputs: config_lib.InputOptions,
  method: config_lib.MethodOptions,
  federated_data: data.FederatedData,
) -> models.AuxiliaryNetwork | None:
  """Builds the auxiliary network that the method's options name, if any, for the task's model.

  Raises:
    ValueError: it does not fit the model or its split; one sentence.
  """
  if method.auxiliary is None:
    return None
  keras_model = build_keras_model(inputs, federated_data)
  label_loss = _label_loss(keras_model)
  return models.build_auxiliary(
    method.auxiliary,
    keras_model,
    global_layers(inputs, method, models.layer_names(keras_model)),
    label_loss=models.WeighedClassLoss(label_loss) if federated_data.has_weights else label_loss,
    units=resolved(method.auxiliary_units),
    seed=seeds.derive_seed(inputs.seed, seeds.Purpose.INITIALISATION, 1),
  )


def as_local_global(
  keras_model: tf.keras.Model,
  objective: metrics_lib.Objective = metrics_lib.OBJECTIVES[metrics_lib.DEFAULT_OBJECTIVE],
  metrics: Sequence[str] = ('accuracy',),
) -> models.LocalGlobalModel:
  """Wraps a network for what is predicted, with every weight global.

  Args:
    keras_model: takes features. It gives logits of classes for each example or each position, a
      number ([n] or [n, 1]), or a logit for each of several labels.
    objective: what is predicted.
    metrics: names of its metrics, the main one first; positions have accuracy only.

  Returns:
    The model, with the objective's loss.
  """
  if len(keras_model.output_shape) == 3:
    return models.from_keras_sequences(
      keras_model, padding=data.vocabulary.PADDING, unknown=data.vocabulary.UNKNOWN
    )
  is_softmax = getattr(keras_model.layers[-1], 'activation', None) is tf.keras.activations.softmax
  num_outputs = math.prod(keras_model.output_shape[1:])
  built = in_graph.build_metrics(objective.name, metrics, num_outputs, are_probabilities=is_softmax)
  if objective.predicts_numbers:
    return models.from_keras(
      keras_model,
      loss=in_graph.SquaredError(),
      metrics=built,
      label_spec=tf.TensorSpec([None], tf.float32),
      to_predictions=lambda output: tf.reshape(output, [-1]),
    )
  if objective.predicts_labels:
    return models.from_keras(
      keras_model,
      loss=tf.keras.losses.BinaryCrossentropy(from_logits=True),
      metrics=built,
      label_spec=tf.TensorSpec([None, num_outputs], tf.float32),
      to_predictions=tf.sigmoid,
    )
  return models.from_keras(
    keras_model,
    # With the reference's softmax output this is, as there, a softmax of a softmax.
    loss=_label_loss(keras_model),
    metrics=built,
  )


def _label_loss(keras_model: tf.keras.Model) -> tf.keras.losses.Loss:
  """Returns the metrics of a classifier by its logits, for examples or for positions."""
  if len(keras_model.output_shape) == 3:
    return models.SequenceCrossentropy(data.vocabulary.PADDING)
  return tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
