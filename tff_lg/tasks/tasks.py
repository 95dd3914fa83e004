"""Tasks: a data set with the networks to be trained on it, and the split of their layers."""

import dataclasses
import math
import re
from collections.abc import Callable, Mapping, Sequence

import tensorflow as tf

from tff_lg import config as config_lib
from tff_lg import data, models, seeds
from tff_lg import metrics as metrics_lib
from tff_lg.config.option import resolved
from tff_lg.learning import augmentation
from tff_lg.metrics import in_graph
from tff_lg.tasks import (
  client_files_task,
  embedding_task,
  held_out,
  mood_task,
  table_task,
  text_task,
  vqa_task,
)
from tff_lg.training import evaluation


def _load_source(config: config_lib.TrainConfig, seed: int) -> data.Source:
  """Loads the source of the task's name."""
  objective = config.objective if config.task == 'arrays' else None
  return data.load_source(config.task, config.data_dir, seed, objective)


def _spread(config: config_lib.TrainConfig, seed: int) -> data.FederatedData:
  """Spreads a source over clients."""
  source = TASKS[config.task].load_source(config, seed)
  name = resolved(config.partition)
  build = resolved(data.PARTITIONS[name].build)
  partitioner = build(config_lib.PARTITION_OPTIONS.build(config, name), config.num_clients)
  return data.partition_clients(
    source,
    partitioner,
    validation_fraction=resolved(config.validation_fraction),
    seed=seed,
  )


@dataclasses.dataclass(frozen=True)
class Network:
  """One of the networks of a task.

  Attributes:
    build_keras_model: (config, data, seed) -> the network.
    global_layers: of LG-FedAvg, unless the user names others, by the config.
    wrap: makes of it the model to train, with every weight global and metrics of its own;
      `as_local_global` if None.
  """

  build_keras_model: Callable[[config_lib.TrainConfig, data.FederatedData, int], tf.keras.Model]
  global_layers: Callable[[config_lib.TrainConfig], tuple[str, ...]]
  wrap: Callable[[tf.keras.Model], models.LocalGlobalModel] | None = None


@dataclasses.dataclass(frozen=True)
class Task:
  """What is trained on a data set.

  Attributes:
    networks: by `config.model`; None where there is no choice.
    load_data: (config, seed) -> the clients' data; by default those of the source, spread.
    load_source: (config, seed) -> the data before they are spread over clients.
    augment: of a training batch, (x, seed) -> x.
    cohort_share: of the clients that are sampled in a round by default.
  """

  networks: Mapping[str | None, Network]
  load_data: Callable[[config_lib.TrainConfig, int], data.FederatedData] = _spread
  load_source: Callable[[config_lib.TrainConfig, int], data.Source] = _load_source
  augment: Callable[[tf.Tensor, tf.Tensor], tf.Tensor] | None = None
  cohort_share: float = 0.1


def _mlp(hidden_units: tuple[int, ...], *global_layers: str) -> Mapping[str | None, Network]:
  def build(
    config: config_lib.TrainConfig, federated_data: data.FederatedData, seed: int
  ) -> tf.keras.Model:
    return models.build_mlp(
      federated_data.test.x.shape[1:],
      federated_data.num_classes,
      hidden_units,
      seed=seed,
      output_activation=config.choices.output_activation,
    )

  return {None: Network(build, lambda config: global_layers)}


def _of_images(build: Callable[..., tf.keras.Model], *global_layers: str) -> Network:
  def build_for(
    config: config_lib.TrainConfig, federated_data: data.FederatedData, seed: int
  ) -> tf.keras.Model:
    del config  # Only the reference code's MLP ends in a softmax.
    return build(federated_data.test.x.shape[1:], federated_data.num_classes, seed=seed)

  return Network(build_for, lambda config: global_layers)


# Of the layers of a network of the user's own, what LG-FedAvg keeps local by default.
_LOCAL_SHARE = 1 / 3
_ON_EMBEDDINGS = Network(embedding_task.build_keras_model, embedding_task.global_layers)


TASKS: Mapping[str, Task] = {
  'digits': Task(_mlp((64, 64, 32), 'hidden_2', 'hidden_3', 'output')),
  'diabetes': Task(_mlp((32, 32), 'hidden_2', 'output'), cohort_share=1.0),
  'mnist': Task(_mlp((512, 256, 256, 128), 'hidden_3', 'hidden_4', 'output')),
  'cifar10': Task(
    {
      'lenet': _of_images(models.build_lenet, 'conv_1', 'conv_2'),
      'reference_lenet': _of_images(models.build_reference_lenet, 'conv_1', 'conv_2'),
      'resnet18': _of_images(models.build_resnet18, *models.RESNET18_BODY),
    },
    augment=augmentation.crop_and_flip,
  ),
  'arrays': Task(_mlp((64, 64, 32), 'hidden_2', 'hidden_3', 'output')),
  'table': Task(
    _mlp((64, 64, 32), 'hidden_2', 'hidden_3', 'output'), load_source=table_task.load_source
  ),
  'client_files': Task(
    {
      'mlp': _mlp((64, 64, 32), 'hidden_2', 'hidden_3', 'output')[None],
      'lenet': _of_images(models.build_lenet, 'conv_1', 'conv_2'),
    },
    client_files_task.load_data,
  ),
  'embeddings': Task(
    dict.fromkeys(config_lib.MODELS['embeddings'], _ON_EMBEDDINGS),
    embedding_task.load_data,
    cohort_share=1.0,
  ),
  'mood': Task(
    {None: Network(mood_task.build_keras_model, mood_task.global_layers)},
    mood_task.load_data,
    cohort_share=1.0,
  ),
  'vqa': Task(
    {None: Network(vqa_task.build_keras_model, vqa_task.global_layers, models.from_keras_vqa)},
    vqa_task.load_data,
  ),
  **dict.fromkeys(
    config_lib.TEXT_TASKS,
    Task(
      {None: Network(text_task.build_keras_model, text_task.global_layers)}, text_task.load_data
    ),
  ),
}


def load_data(config: config_lib.TrainConfig) -> data.FederatedData:
  """Loads the task's data and spreads them over clients.

  Args:
    config: resolved.

  Returns:
    The clients' data.

  Raises:
    data.DataError, ValueError: data missing or damaged, or a partition that cannot be.
  """
  seed = seeds.derive_seed(config.seed, seeds.Purpose.PARTITION)
  federated_data = TASKS[config.task].load_data(config, seed)
  if config.partition is not None and data.PARTITIONS[config.partition].mixes_clients:
    federated_data = data.iid_twin(federated_data, seed)
  if not federated_data.held_out:  # Of text they are chosen before its vocabulary.
    federated_data = data.hold_out_clients(federated_data, held_out.choose_by(config))
  _check_names(config, federated_data)
  part = evaluation.PARTS[config.choices.choose_by]
  if not any(client.size(part) for client in federated_data.clients):
    raise ValueError(
      f"--protocol={config.protocol} chooses models on the clients' {part} examples, but no "
      'client has any: spread the data over fewer clients.'
    )
  return federated_data


def _check_names(config: config_lib.TrainConfig, federated_data: data.FederatedData) -> None:
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
        place = config.embeddings or config.data_dir or f'--task={config.task}'
        raise ValueError(
          f'The data of {place} have the {what} {name!r}, whose name has half of a surrogate pair, '
          'expected text that UTF-8 can hold.'
        ) from None


def network(config: config_lib.TrainConfig) -> Network:
  """The network that a resolved config names, or its task's only one."""
  if config_lib.is_own_network(config.model):
    return Network(_build_imported, lambda config: ())
  return TASKS[config.task].networks[config.model]


def _build_imported(
  config: config_lib.TrainConfig, federated_data: data.FederatedData, seed: int
) -> tf.keras.Model:
  """Builds the network of the user's own function."""
  return models.build_imported(
    resolved(config.model),
    federated_data.test.x.shape[1:],
    federated_data.num_classes,
    seed,
    objective=config.predicts.name,
  )


def build_model(
  config: config_lib.TrainConfig, federated_data: data.FederatedData
) -> models.LocalGlobalModel:
  """Builds the task's model for the data, with every weight global."""
  seed = seeds.derive_seed(config.seed, seeds.Purpose.INITIALISATION)
  chosen = network(config)
  keras_model = chosen.build_keras_model(config, federated_data, seed)
  if chosen.wrap is not None:
    return chosen.wrap(keras_model)
  return as_local_global(keras_model, config.predicts, config.model_metrics)


def global_layers(config: config_lib.TrainConfig, layer_names: Sequence[str]) -> tuple[str, ...]:
  """The layers that LG-FedAvg sends: those that the config names, a share, or the network's own.

  A name may be a regular expression for whole names. Of a network of the user's own the first
  third of the layers stay local by default, rounded to the nearest number.

  Args:
    config: resolved.
    layer_names: of all layers with weights, from the input on.

  Raises:
    ValueError: the share leaves no layer.
  """
  if config.global_layers is not None:
    return tuple(
      dict.fromkeys(
        found
        for pattern in config.global_layers
        # A name that fits no layer is refused where the model is split.
        for found in [name for name in layer_names if _fits(pattern, name)] or [pattern]
      )
    )
  share = config.local_layer_share
  if share is None and config_lib.is_own_network(config.model):
    share = _LOCAL_SHARE
    if len(layer_names) < 2:
      raise ValueError(
        f'--model={config.model} has one layer with trained weights, {layer_names[0]}, which '
        'leaves nothing to split: expected more layers, or a --method that splits none.'
      )
  if share is not None:
    num_layers = len(layer_names)
    num_local = int(share * num_layers + 0.5)
    if num_local == num_layers:
      raise ValueError(
        f'--local_layer_share is {share:g}, which makes all {num_layers} layers '
        f'local: expected 1, which is local learning, or less than {1 - 0.5 / num_layers:g}.'
      )
    return tuple(layer_names[num_local:])
  return network(config).global_layers(config)


def _fits(pattern: str, name: str) -> bool:
  try:
    return re.fullmatch(pattern, name) is not None
  except re.error as error:
    raise ValueError(
      f'--global_layers has {pattern}, expected names of layers or regular expressions: {error}.'
    ) from error


def build_auxiliary(
  config: config_lib.TrainConfig, federated_data: data.FederatedData
) -> models.AuxiliaryNetwork | None:
  """Builds the auxiliary network that the config names, if any, for the task's model.

  Raises:
    ValueError: it does not fit the model or its split; one sentence.
  """
  if config.auxiliary is None:
    return None
  chosen = network(config)
  seed = seeds.derive_seed(config.seed, seeds.Purpose.INITIALISATION)
  keras_model = chosen.build_keras_model(config, federated_data, seed)
  return models.build_auxiliary(
    config.auxiliary,
    keras_model,
    global_layers(config, models.layer_names(keras_model)),
    label_loss=_label_loss(keras_model),
    units=resolved(config.auxiliary_units),
    seed=seeds.derive_seed(config.seed, seeds.Purpose.INITIALISATION, 1),
  )


def as_local_global(
  keras_model: tf.keras.Model,
  objective: metrics_lib.Objective = metrics_lib.OBJECTIVES['classification'],
  metrics: Sequence[str] = ('accuracy',),
) -> models.LocalGlobalModel:
  """Wraps a network for what is predicted, with every weight global.

  Args:
    keras_model: from features to logits of classes, of examples or of positions; to a number,
      [n] or [n, 1]; or to a logit for each of several labels.
    objective: what is predicted.
    metrics: names of its metrics, the main one first; of positions there is accuracy only.

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
  if objective.name == 'regression':
    return models.from_keras(
      keras_model,
      loss=in_graph.SquaredError(),
      metrics=built,
      label_spec=tf.TensorSpec([None], tf.float32),
      to_predictions=lambda output: tf.reshape(output, [-1]),
    )
  if objective.name == 'multilabel':
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
  """Of a classifier by its logits, of examples or of positions."""
  if len(keras_model.output_shape) == 3:
    return models.SequenceCrossentropy(data.vocabulary.PADDING)
  return tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
