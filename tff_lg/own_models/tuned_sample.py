"""The clients that choose a hyper-parameter of own models for all."""

import numpy as np

_NUM_CLIENTS = 20


def draw_sample(clients: np.ndarray, num_validation: np.ndarray, seed: int) -> np.ndarray:
  """Draws at most 20 of the clients that have validation examples.

  Args:
    clients: int [n], indices of those that have own models.
    num_validation: int [num_clients], each client's examples to choose by.
    seed: of the draw.

  Returns:
    int [k], indices in the order in which they were drawn.
  """
  known = clients[num_validation[clients] > 0]
  rng = np.random.default_rng(seed)
  return rng.choice(known, min(len(known), _NUM_CLIENTS), replace=False)
