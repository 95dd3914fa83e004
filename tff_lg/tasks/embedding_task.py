"""The task `embeddings`: frozen features, clients by k-means, networks of gated units."""

import dataclasses

import numpy as np
import tensorflow as tf

from tff_lg import config as config_lib
from tff_lg import data, embeddings, heterogeneity, models
from tff_lg.config.option import resolved

_CONDITIONING = {'gated': 'none', 'cgau_shared': 'shared', 'cgau_local': 'local'}


def load_data(config: config_lib.TrainConfig, seed: int) -> data.FederatedData:
  """Loads embeddings and gives each to its client.

  Args:
    config: resolved. `clients` names a file with the client of each; else they are
      simulated if the partition is `clusters`.
    seed: of the partition.

  Returns:
    The clients' data. A client that gets no training example is left out. For the
    model `cgau_shared` each example ends in its client's index, see
    `models.append_client_index`; the common test set then has unknown clients.

  Raises:
    ValueError: a file is missing, damaged, or of other examples.
  """
  embedded = embeddings.EmbeddingSet.load(resolved(config.embeddings))
  if not (embedded.split == 'test').any():
    raise ValueError(f'--embeddings={config.embeddings} has no test examples, expected some.')
  if len(embedded.class_names) < 2:
    raise ValueError(
      f'--embeddings={config.embeddings} has one class, {"".join(embedded.class_names)}, expected '
      'at least two.'
    )
  clients = None
  if config.clients is not None:
    assignment = heterogeneity.load_clients(config.clients)
    try:
      clients = assignment.clients_of(embedded.ids)
    except ValueError as error:
      raise ValueError(f'{config.clients} does not fit {config.embeddings}: {error}') from error
  elif config.partition == 'clusters':
    clients = heterogeneity.simulate_clients(
      embedded.x,
      embedded.y,
      embedded.split,
      resolved(config.num_clients),
      resolved(config.shuffled_share),
      seed,
    ).client
  users = None
  if clients is not None:
    users = np.array([f'client_{client:03d}' for client in clients])
  parts = {}
  for split in embeddings.SPLITS:
    chosen = embedded.split == split
    of_part = None if users is None else users[chosen]
    parts[split] = data.Examples(embedded.x[chosen], embedded.y[chosen], of_part)
  source = data.Source(
    name='embeddings',
    num_classes=len(embedded.class_names),
    class_names=tuple(map(str, embedded.class_names)),
    train=parts['train'],
    test=parts['test'],
  )
  partitioner = (
    data.partitioners.iid(resolved(config.num_clients))
    if users is None
    else data.partitioners.natural()
  )
  federated_data = data.partition_clients(
    source, partitioner, validation_fraction=resolved(config.validation_fraction), seed=seed
  )
  return _with_client_index(federated_data) if config.model == 'cgau_shared' else federated_data


def build_keras_model(
  config: config_lib.TrainConfig,
  federated_data: data.FederatedData,
  seed: int,
  unknown_client: str = 'mean',
) -> tf.keras.Model:
  """Builds the network that `config.model` names.

  Args:
    config: resolved.
    federated_data: as `load_data` gives it.
    seed: of the initial weights.
    unknown_client: of `cgau_shared`, see `models.build_cgau`.
  """
  (num_features,) = federated_data.test.x.shape[1:]
  if config.model == 'dense':
    return models.build_mlp(
      (num_features,),
      federated_data.num_classes,
      resolved(config.hidden_units),
      seed=seed,
      dropout_rate=resolved(config.dropout_rate),
    )
  is_shared = config.model == 'cgau_shared'
  return models.build_cgau(
    (num_features - is_shared,),
    federated_data.num_classes,
    resolved(config.hidden_units),
    conditioning=_CONDITIONING[resolved(config.model)],
    num_clients=len(federated_data.clients),
    unknown_client=unknown_client,
    dropout_rate=resolved(config.dropout_rate),
    seed=seed,
  )


def global_layers(config: config_lib.TrainConfig) -> tuple[str, ...]:
  """All layers but the clients' own shifts."""
  num_layers = len(resolved(config.hidden_units))
  if config.model == 'dense':
    return (*(f'hidden_{number}' for number in range(1, num_layers + 1)), 'output')
  return models.cgau_global_layers(num_layers)


def _with_client_index(federated_data: data.FederatedData) -> data.FederatedData:
  num_clients = len(federated_data.clients)

  def of_client(examples: data.Examples, client: int) -> data.Examples:
    x = models.append_client_index(examples.x, client, num_clients)
    return dataclasses.replace(examples, x=x)

  clients = tuple(
    data.ClientExamples(
      client.client_id,
      *(of_client(each, i) for each in (client.train, client.validation, client.test)),
    )
    for i, client in enumerate(federated_data.clients)
  )
  test = of_client(federated_data.test, models.UNKNOWN_CLIENT)
  return dataclasses.replace(federated_data, clients=clients, test=test)
