"""Tasks: a data set with the model that is trained on it and the split of its layers."""

import dataclasses
from collections.abc import Callable, Mapping

import tensorflow as tf

from tff_lg import config as config_lib
from tff_lg import data, models
from tff_lg.learning import augmentation
from tff_lg.simulation import seeds


@dataclasses.dataclass(frozen=True)
class Task:
  """What is trained on a data set.

  Attributes:
    build_keras_model: (input shape, number of classes, seed, output activation).
    global_layers: of LG-FedAvg, unless the user names others.
    augment: of a training batch, (x, seed) -> x.
  """

  build_keras_model: Callable[[tuple[int, ...], int, int, str | None], tf.keras.Model]
  global_layers: tuple[str, ...]
  augment: Callable[[tf.Tensor, tf.Tensor], tf.Tensor] | None = None


def _mlp(*hidden_units: int) -> Callable[..., tf.keras.Model]:
  def build(
    input_shape: tuple[int, ...], num_classes: int, seed: int, output_activation: str | None
  ) -> tf.keras.Model:
    return models.build_mlp(
      input_shape, num_classes, hidden_units, seed=seed, output_activation=output_activation
    )

  return build


def _lenet(
  input_shape: tuple[int, ...], num_classes: int, seed: int, output_activation: str | None
) -> tf.keras.Model:
  del output_activation  # Only the reference code's MLP ends in a softmax.
  return models.build_lenet(input_shape, num_classes, seed=seed)


TASKS: Mapping[str, Task] = {
  'digits': Task(_mlp(64, 64, 32), ('hidden_2', 'hidden_3', 'output')),
  'mnist': Task(_mlp(512, 256, 256, 128), ('hidden_3', 'hidden_4', 'output')),
  'cifar10': Task(_lenet, ('conv_1', 'conv_2'), augmentation.crop_and_flip),
  'arrays': Task(_mlp(64, 64, 32), ('hidden_2', 'hidden_3', 'output')),
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
  source = data.load_source(config.task, config.data_dir, seed)
  partitioners: Mapping[str, Callable[[], data.partitioners.Partitioner]] = {
    'iid': lambda: data.partitioners.iid(config.num_clients),
    'shards': lambda: data.partitioners.shards(config.num_clients, config.shards_per_client),
    'classes_per_client': lambda: data.partitioners.classes_per_client(
      config.num_clients, config.classes_per_client
    ),
    'dirichlet': lambda: data.partitioners.dirichlet(config.num_clients, config.dirichlet_alpha),
    'natural': data.partitioners.natural,
  }
  federated_data = data.partition_clients(
    source,
    partitioners[config.partition](),
    validation_fraction=config.validation_fraction,
    seed=seed,
  )
  part = {'validation': 'validation', 'local_test': 'test'}[config.choices.choose_by]
  if not any(len(getattr(client, part)) for client in federated_data.clients):
    raise ValueError(
      f"--protocol={config.protocol} chooses models on the clients' {part} examples, but no "
      'client has any: spread the data over fewer clients.'
    )
  return federated_data


def build_model(
  config: config_lib.TrainConfig, federated_data: data.FederatedData
) -> models.LocalGlobalModel:
  """Builds the task's model for the data, with every weight global."""
  task, protocol = TASKS[config.task], config.choices
  keras_model = task.build_keras_model(
    federated_data.test.x.shape[1:],
    federated_data.num_classes,
    seeds.derive_seed(config.seed, seeds.Purpose.INITIALISATION),
    protocol.output_activation,
  )
  return models.from_keras(
    keras_model,
    # With the reference's softmax output this is, as there, a softmax of a softmax.
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
  )
