"""How much simulated clients differ, as a table."""

import numpy as np
import pandas as pd

from tff_lg.heterogeneity import clients as clients_lib
from tff_lg.heterogeneity import frechet


def distance_table(
  x: np.ndarray, split: np.ndarray, clients: clients_lib.SimulatedClients
) -> pd.DataFrame:
  """Measures each client's training examples against those of all others.

  The paper does not say which part it measured. Here it is what clients train on.

  Args:
    x: numbers [n, d], the embeddings.
    split: str [n], the part of each; only 'train' is measured.
    clients: the clients of these examples.

  Returns:
    A row for each client with the columns `p` (the share shuffled), `client`, `distance`
    (NaN for fewer than two examples) and `num_examples`.

  Raises:
    ValueError: arrays that do not fit each other.

  Rieger et al. 2020, Table 1, has the means of `distance` by `p`.
  """
  is_train = split == 'train'
  client = clients.client[is_train]
  return pd.DataFrame(
    {
      'p': clients.shuffled_share,
      'client': np.arange(clients.num_clients),
      'distance': frechet.client_distances(x[is_train], client, clients.num_clients),
      'num_examples': np.bincount(client, minlength=clients.num_clients),
    }
  )
