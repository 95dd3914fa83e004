"""The IID twin of clients that are not alike."""

import dataclasses
import itertools

import numpy as np

from tff_lg.data import client_examples, examples, federated


def iid_twin(data: federated.FederatedData, seed: int) -> federated.FederatedData:
  """Shuffles examples between the clients, which keep their sizes.

  Training, validation and test examples are each shuffled among themselves. So a split in time
  stays one, and the common test set is the same.

  Args:
    data: the clients.
    seed: of the shuffling.

  Returns:
    Clients `client_000`, ..., as many and of the same sizes; none is a user any more.

  McMahan et al. 2017, section 3: the IID Shakespeare, of the same sizes as the roles.
  """
  rng = np.random.default_rng(seed)
  parts = {}
  for part in ('train', 'validation', 'test'):
    of_clients = [getattr(client, part) for client in data.clients]
    pool = dataclasses.replace(examples.concatenate(of_clients), users=None)
    order = rng.permutation(len(pool))
    bounds = np.cumsum([0, *map(len, of_clients)])
    parts[part] = [pool.take(order[start:end]) for start, end in itertools.pairwise(bounds)]
  ids = federated.numbered_ids(len(data.clients))
  clients = tuple(
    client_examples.ClientExamples(client_id, *of_client)
    for client_id, *of_client in zip(ids, *parts.values(), strict=True)
  )
  return dataclasses.replace(data, clients=clients)
