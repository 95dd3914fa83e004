"""Clients held out of training: who they are, and the model that each of them meets."""

import dataclasses
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg import learning, metric_names, models, seeds
from tff_lg.training import client_data
from tff_lg.training import selection as selection_lib


def choose_by(inputs: config_lib.InputOptions) -> data_lib.ChooseHeldOut:
  """Returns the choice of held-out clients: some at random, or those that the options name.

  Args:
    inputs: of a resolved config.

  Returns:
    Ids of all clients to the ids of those held out. It raises ValueError for an id that no client
    has, and where nobody would be left to train.
  """

  def choose(client_ids: Sequence[str]) -> Collection[str]:
    if inputs.held_out_ids is not None:
      chosen = set(inputs.held_out_ids)
      unknown = sorted(chosen.difference(client_ids))
      if unknown:
        raise ValueError(
          f'--held_out_ids has {unknown[0]}, expected ids of clients, such as {client_ids[0]}.'
        )
    else:
      seed = seeds.derive_seed(config_lib.data_seed(inputs), seeds.Purpose.PARTITION, 1)
      number = min(inputs.held_out_clients or 0, len(client_ids))
      chosen = np.random.default_rng(seed).choice(client_ids, number, replace=False).tolist()
    if len(chosen) >= len(client_ids):
      raise ValueError(
        f'{len(chosen)} of {len(client_ids)} clients are held out (--held_out_clients, '
        '--held_out_ids), expected at least one to train.'
      )
    return chosen

  return choose


def add_validation_clients(inputs: config_lib.InputOptions, clients: pd.DataFrame) -> None:
  """Adds the column that says which held-out clients choose for all, if any are to.

  Args:
    inputs: of a resolved config.
    clients: a row per held-out client; gets `is_validation_client`, bool.
  """
  if inputs.validation_clients is not None:
    seed = seeds.derive_seed(config_lib.data_seed(inputs), seeds.Purpose.PARTITION, 2)
    order = np.random.default_rng(seed).permutation(len(clients))
    clients[metric_names.IS_VALIDATION_CLIENT] = order < inputs.validation_clients


def select_models(
  process: learning.LocalGlobalProcess,
  selection: selection_lib.ModelSelection,
  last: tuple[int, tuple],
  start_weights: models.ModelWeights,
  train: Sequence[learning.ClientTensors],
) -> selection_lib.ModelSelection:
  """Returns the model for clients that took no part.

  Args:
    process: the one that trained the models.
    selection: the chosen models of the clients that took part.
    last: number of the last round, and the server's global weights after it.
    start_weights: all weights at the start of the process's rounds.
    train: training data of each client that gets it.

  Returns:
    For each client, global weights and the local weights that the method gives newcomers. The
    global weights are those of the round chosen for all clients. Where each client has a best round
    of its own, they are those of the last round. Only what the method settles, such as the
    client's cluster, comes from its own data.
  """
  groups = selection.groups()
  round_num, weights = last
  if len(groups) == 1:
    round_num, ((_, weights, _),) = int(selection.best_round[0]), groups
  result = selection_lib.ModelSelection(process, len(train))
  states = newcomers(process, weights, start_weights, train)
  result.offer(round_num, np.zeros(len(train)), weights, states)
  return result


def newcomers(
  process: learning.LocalGlobalProcess,
  global_weights: tuple,
  start_weights: models.ModelWeights,
  train: Sequence[learning.ClientTensors],
) -> list[learning.ClientState]:
  """Returns the states with which clients that took no part begin.

  Args:
    process: the one that trained the models.
    global_weights: the server's.
    start_weights: all weights at the start of the process's rounds.
    train: training data of each client; read only if the method settles something by them.
  """
  new_client = process.initialize_client(process.newcomer(global_weights, start_weights))
  if process.settle is None:
    return [new_client] * len(train)
  states: list[learning.ClientState] = []
  for chunk in client_data.chunks(len(train)):
    some = list(train[chunk])
    states += process.settle(global_weights, [new_client] * len(some), some)
  return states


def as_participants(federated_data: data_lib.FederatedData) -> data_lib.FederatedData:
  """Returns the held-out clients alone, as if they were all there are."""
  return dataclasses.replace(federated_data, clients=federated_data.held_out, held_out=())


def summarize(
  scores: Mapping[str, float], clients: pd.DataFrame, metrics: Sequence[str] = ('accuracy',)
) -> dict[str, float]:
  """Returns the scores of the model over held-out clients.

  Args:
    scores: of the held-out clients, as from `scores.add_scores`. Scores on the common test set
      belong to the trained model and are left out.
    clients: their table.
    metrics: names of the model's metrics.

  Returns:
    All of it under `held_out/`, with `held_out/num_clients` and mean and standard deviation over
    these clients of their local test metrics.
  """
  new_test = f'{metric_names.NEW_TEST}/'
  columns = {name: clients[name] for name in map(metric_names.local_test, metrics)}
  values = {
    'num_clients': len(clients),
    **{metric_names.mean(name): float(column.mean()) for name, column in columns.items()},
    **{metric_names.std(name): float(column.std(ddof=0)) for name, column in columns.items()},
    **{name: value for name, value in scores.items() if not name.startswith(new_test)},
  }
  return {f'{metric_names.HELD_OUT}{name}': value for name, value in values.items()}
