"""The task `embeddings`: frozen features, clients by k-means, networks of gated units."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import data, entries
from tff_lg.learning.methods import METHODS
from tff_lg.tasks import shared, task

if TYPE_CHECKING:
  import tensorflow as tf

_NAME = 'embeddings'


@attrs.frozen(kw_only=True)
class Options:
  """Options of embeddings."""

  embeddings: str | None = shared.embeddings_file()
  clients: str | None = entries.option(
    None,
    'File of `pipelines.simulate_clients` with the client of each embedding, instead of '
    '--partition',
    is_path=True,
  )
  hidden_units: tuple[int, ...] = shared.hidden_units((64, 64))
  dropout_rate: float = shared.dropout_rate(0.5)


def _check(config: Any) -> Iterator[str]:
  if config.embeddings is None:
    yield f'--task={_NAME} needs --embeddings, a file that `python -m pipelines.embed` makes.'
  if config.data_dir is not None:
    yield f'--data_dir is given, but --task={_NAME} reads only --embeddings.'
  if config.partition not in (None, 'clusters', 'iid'):
    yield (
      f'--partition is {config.partition}, but --task={_NAME} spreads examples by clusters or iid.'
    )
  spread = (config.partition, config.num_clients, config.shuffled_share)
  if config.clients is not None and spread != (None, None, None):
    yield (
      '--clients names the client of each example, so --partition, --num_clients and '
      '--shuffled_share do not fit it.'
    )


def _look_at_files(options: Options, data_dir: str | None) -> None:
  from tff_lg.data import first_bytes  # It imports NumPy.

  del data_dir
  for path in filter(None, (options.embeddings, options.clients)):
    first_bytes.check_npz(path)


def _clients(options: Options, setting: task.Setting, embedded: Any) -> Any:
  """Returns the number of each example's client; None for IID clients."""
  from tff_lg import heterogeneity  # It imports NumPy.

  if options.clients is not None:
    assignment = heterogeneity.load_clients(options.clients)
    try:
      return assignment.clients_of(embedded.ids)
    except ValueError as error:
      raise ValueError(f'{options.clients} does not fit {options.embeddings}: {error}') from error
  if not data.PARTITIONS[str(setting.partition)].needs_embeddings:
    return None
  return heterogeneity.simulate_clients(
    embedded.x,
    embedded.y,
    embedded.split,
    setting.num_clients or 0,
    setting.partition_options.shuffled_share,
    setting.seed,
  ).client


def _load(options: Options, setting: task.Setting) -> data.FederatedData:
  """Loads embeddings and gives each to its client; one without training examples is left out.

  Raises:
    ValueError: a file is missing, damaged, or of other examples.
  """
  import numpy as np

  from tff_lg import embeddings

  embedded = embeddings.EmbeddingSet.load(str(options.embeddings))
  if not (embedded.split == 'test').any():
    raise ValueError(f'--embeddings={options.embeddings} has no test examples, expected some.')
  if len(embedded.class_names) < 2:
    raise ValueError(
      f'--embeddings={options.embeddings} has one class, {"".join(embedded.class_names)}, expected '
      'at least two.'
    )
  clients = _clients(options, setting, embedded)
  users = None
  if clients is not None:
    users = np.array([f'client_{client:03d}' for client in clients])
  parts = {}
  for split in embeddings.SPLITS:
    chosen = embedded.split == split
    of_part = None if users is None else users[chosen]
    parts[split] = data.Examples(embedded.x[chosen], embedded.y[chosen], of_part)
  source = data.Source(
    name=_NAME,
    num_classes=len(embedded.class_names),
    class_names=tuple(map(str, embedded.class_names)),
    train=parts['train'],
    test=parts['test'],
  )
  partitioner = (
    data.partitioners.iid(setting.num_clients or 0)
    if users is None
    else data.partitioners.natural()
  )
  return data.partition_clients(
    source, partitioner, validation_fraction=setting.validation_fraction, seed=setting.seed
  )


def _build_dense(options: Any, setting: task.NetworkSetting) -> tf.keras.Model:
  from tff_lg import models  # It imports TensorFlow.

  del options
  return models.build_mlp(
    setting.data.test.x.shape[1:],
    setting.data.num_classes,
    setting.task_options.hidden_units,
    seed=setting.seed,
    dropout_rate=setting.task_options.dropout_rate,
  )


def _gated(conditioning: str) -> Any:
  """Returns the builder of a network of gated units, see `models.build_cgau`."""

  def build(options: Any, setting: task.NetworkSetting) -> tf.keras.Model:
    from tff_lg import models

    del options
    (num_features,) = setting.data.test.x.shape[1:]
    return models.build_cgau(
      (num_features - (conditioning == 'shared'),),
      setting.data.num_classes,
      setting.task_options.hidden_units,
      conditioning=conditioning,
      num_clients=len(setting.data.clients),
      dropout_rate=setting.task_options.dropout_rate,
      seed=setting.seed,
    )

  return build


def _dense_layers(options: Any, task_options: Options) -> tuple[str, ...]:
  del options
  numbers = range(1, len(task_options.hidden_units) + 1)
  return (*(f'hidden_{number}' for number in numbers), 'output')


def _gated_layers(options: Any, task_options: Options) -> tuple[str, ...]:
  """Returns all layers but the clients' own shifts."""
  from tff_lg import models

  del options
  return models.cgau_global_layers(len(task_options.hidden_units))


def _with_client_index(federated_data: data.FederatedData) -> data.FederatedData:
  """Ends each example in its client's index; clients of the common test set are unknown."""
  from tff_lg import models

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


def _check_shared(config: Any) -> Iterator[str]:
  if config.held_out_clients or config.held_out_ids:
    yield (
      '--model=cgau_shared has shifts for each client, none of which fits a held-out client: its '
      'unknown_client_test scores say what a new client gets.'
    )


def _check_local(config: Any) -> Iterator[str]:
  if not METHODS[config.method].keeps_layers:
    yield (
      f'--model=cgau_local keeps shifts with the clients, but --method={config.method} sends them: '
      'use --method=lg_fedavg, or --model=cgau_shared.'
    )


for _network in (
  task.NetworkEntry(
    name='dense',
    label='dense ReLU layers',
    tasks=(_NAME,),
    build=_build_dense,
    global_layers=_dense_layers,
  ),
  task.NetworkEntry(
    name='gated',
    label='gated units',
    tasks=(_NAME,),
    build=_gated('none'),
    global_layers=_gated_layers,
  ),
  task.NetworkEntry(
    name='cgau_shared',
    label='gated units conditioned on the client by shifts in the global model',
    tasks=(_NAME,),
    build=_gated('shared'),
    global_layers=_gated_layers,
    prepare=_with_client_index,
    conditioning='shared',
    contradictions=_check_shared,
  ),
  task.NetworkEntry(
    name='cgau_local',
    label="gated units conditioned on the client by the client's own shifts",
    tasks=(_NAME,),
    build=_gated('local'),
    global_layers=_gated_layers,
    conditioning='local',
    contradictions=_check_local,
  ),
):
  task.register_network(_network)

task.register(
  task.TaskEntry(
    name=_NAME,
    label='embeddings of `pipelines.embed`',
    options=Options,
    network='dense',
    load_data=_load,
    partition='clusters',
    num_clients=10,
    client_fraction=1.0,
    may_lose_clients=True,
    names_clients=lambda config: config.clients is not None,
    selection_metric='loss',
    selection_scope='pooled',
    has_embeddings=True,
    has_images=False,
    fits_functions=False,
    fits_reference=False,
    file_options=('embeddings', 'clients'),
    contradictions=_check,
    look_at_files=_look_at_files,
  )
)
