"""Rounds of attackers and honest clients, small enough to be worked out by hand."""

from collections.abc import Sequence

import numpy as np

from tests.learning import testing
from tff_lg import attacks, learning
from tff_lg.compatibility import tff


def what_clients_send(
  attack: attacks.Attack, updates: np.ndarray, attackers: Sequence[int], seeds: np.ndarray
) -> np.ndarray:
  """Returns the attack's own values for all clients, float32 [clients, 5], from their updates.

  Args:
    attack: with an `update_attack`.
    updates: float32 [clients, 5], of the model's two weights of shapes [2] and [3, 1].
    attackers: indices of the clients that attack.
    seeds: int32 [clients, 2].
  """
  update_type = tff.to_type(((np.float32, [2]), (np.float32, [3, 1])))

  @tff.federated_computation(
    tff.FederatedType(update_type, tff.CLIENTS),
    tff.FederatedType(np.bool_, tff.CLIENTS),
    tff.FederatedType((np.int32, [2]), tff.CLIENTS),
  )
  def computation(updates, is_attacking, seeds):
    @tff.tensorflow.computation
    def own(update, seed):
      del seed
      return update

    sent = attack.update_attack(updates, is_attacking, seeds)
    return tff.federated_map(own, (sent, seeds))  # One value a client, where all are equal.

  structured = [(row[:2], row[2:, np.newaxis]) for row in updates.astype(np.float32)]
  is_attacking = [client in attackers for client in range(len(updates))]
  sent = computation(structured, is_attacking, list(seeds))
  return np.array([np.concatenate([first, second[:, 0]]) for first, second in sent])


def mean_update(
  attack: attacks.Attack, labels: Sequence[float], attackers: Sequence[int]
) -> np.ndarray:
  """Returns the mean update of a round of the process, float [2].

  A client of one example with label y has the honest update (2 - y) * (0.4, 0.2). The model
  is y = head * base * x with base 1 and head 2. Its gradient at x = 1 is 2 (2 - y) (2, 1). The
  step is 0.1.
  """
  model = testing.linear_model()
  process = learning.build_local_global_process(
    model,
    testing.settings(
      client_weighting=learning.CLIENT_WEIGHTINGS['uniform'], update_attack=attack.update_attack
    ),
  )
  data = [
    testing.tensors((1, label))._replace(is_malicious=np.bool_(client in attackers))
    for client, label in enumerate(labels)
  ]
  output = process.next(
    process.initialize(model.initial_weights),
    [process.initialize_client(model.initial_weights)] * len(labels),
    data,
  )
  return np.array([1, 2]) - np.ravel(output.server_state.global_weights)
