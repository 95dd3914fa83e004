"""Clients held out of training: who they are, and the model that each of them meets."""

import dataclasses
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg import learning, models
from tff_lg.simulation import seeds
from tff_lg.simulation import selection as selection_lib

_PREFIX = 'held_out'


def choose_by(config: config_lib.TrainConfig) -> data_lib.ChooseHeldOut:
  """Who is held out, as a config says: some clients drawn at random, or those of a file.

  Args:
    config: resolved.

  Returns:
    Ids of all clients to the ids of those held out. It raises ValueError for a file that cannot
    be read or that names no client or an unknown one, and where nobody would be left to train.
  """

  def choose(client_ids: Sequence[str]) -> Collection[str]:
    if config.held_out_file is not None:
      chosen = _read_ids(config.held_out_file, client_ids)
    else:
      seed = seeds.derive_seed(config.seed, seeds.Purpose.PARTITION, 1)
      number = min(config.held_out_clients, len(client_ids))
      chosen = np.random.default_rng(seed).choice(client_ids, number, replace=False).tolist()
    if len(chosen) >= len(client_ids):
      flag = 'held_out_clients' if config.held_out_file is None else 'held_out_file'
      raise ValueError(
        f'--{flag} is {getattr(config, flag)}, but there are {len(client_ids)} clients: expected '
        'at least one to train.'
      )
    return chosen

  return choose


def _read_ids(path: str, client_ids: Sequence[str]) -> Collection[str]:
  try:
    with open(path, encoding='utf-8') as file:
      chosen = {line.rstrip('\n') for line in file if line.strip()}
  except (OSError, UnicodeDecodeError) as error:
    raise ValueError(f'--held_out_file={path} cannot be read: {error}') from error
  unknown = sorted(chosen.difference(client_ids))
  if unknown or not chosen:
    raise ValueError(
      f'--held_out_file={path} names {unknown[0] if unknown else "nobody"}, expected ids of '
      f'clients, one on each line, such as {client_ids[0]}.'
    )
  return chosen


def select_models(
  process: learning.LocalGlobalProcess,
  selection: selection_lib.ModelSelection,
  last_weights: tuple,
  start_weights: models.ModelWeights,
  num_clients: int,
) -> selection_lib.ModelSelection:
  """The model that clients get which took no part.

  Args:
    process: the one that trained the models.
    selection: the chosen models of the clients that took part.
    last_weights: the server's global weights after the last round.
    start_weights: all weights at the start of the process's rounds.
    num_clients: how many clients get it.

  Returns:
    For each the global weights of the round chosen for all clients, or those of the last round
    where each client has a best round of its own; and the local weights that a client starts
    from. Nothing of its own data has been used.
  """
  groups = selection.groups()
  round_num, weights = int(selection.best_round.max()), last_weights
  if len(groups) == 1:
    ((_, weights, _),) = groups
  result = selection_lib.ModelSelection(process, num_clients)
  new_client = process.initialize_client(start_weights)
  result.offer(round_num, np.zeros(num_clients), weights, [new_client] * num_clients)
  return result


def as_participants(federated_data: data_lib.FederatedData) -> data_lib.FederatedData:
  """The held-out clients alone, as if they were all there are."""
  return dataclasses.replace(federated_data, clients=federated_data.held_out, held_out=())


def summarize(scores: Mapping[str, float], clients: pd.DataFrame) -> dict[str, float]:
  """What the model is for held-out clients.

  Args:
    scores: of the held-out clients, as `scores.add_scores` and the like give them; those of the
      common test set are the trained model's own and are left out.
    clients: their table.

  Returns:
    All of it under `held_out/`, with `held_out/num_clients` and mean and standard deviation over
    these clients of their local test accuracy.
  """
  accuracy = clients['local_test/accuracy']
  values = {
    'num_clients': len(clients),
    'local_test/accuracy/mean_over_clients': float(accuracy.mean()),
    'local_test/accuracy/std_over_clients': float(accuracy.std(ddof=0)),
    **{name: value for name, value in scores.items() if not name.startswith('new_test/')},
  }
  return {f'{_PREFIX}/{name}': value for name, value in values.items()}
