"""Device variance and data variance of each layer of a model, at weights that all clients share."""

import dataclasses

import numpy as np

from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg import heterogeneity, models, seeds
from tff_lg.config.option import resolved
from tff_lg.learning import batches
from tff_lg.learning import process as process_lib
from tff_lg.training import client_data

# More would tell little more: both estimates are means over clients.
_MAX_CLIENTS = 100


@dataclasses.dataclass(frozen=True)
class LayerVariance:
  """What is estimated of one layer.

  Attributes:
    layer: its name.
    parameters: how many numbers its weights have.
    device_variance: R, in squared units of the weights; an estimate of it may be negative.
    data_variance: T, in the same units.
    alpha: R / (R + T), in [0, 1]; above 1/2 the layer is better local, says the theory.
  """

  layer: str
  parameters: int
  device_variance: float
  data_variance: float
  alpha: float


def check_clients(federated_data: data_lib.FederatedData) -> None:
  """Refuses data with fewer than two clients to estimate from; ValueError, one sentence."""
  num_able = len(_able_clients(federated_data))
  if num_able < 2:
    raise ValueError(
      f'--global_layers=auto: {num_able} of {len(federated_data.clients)} clients have two '
      'training examples, expected two or more.'
    )


def estimate_layers(
  config: config_lib.TrainConfig,
  process: process_lib.LocalGlobalProcess,
  federated_data: data_lib.FederatedData,
  weights: models.ModelWeights,
) -> tuple[tuple[LayerVariance, ...], int]:
  """Estimates the variances of each layer from training data.

  Each client, of more than 100 as many drawn at random, trains all weights twice, each time on one
  half of its training examples, for a round with the settings of the run. The updates of a cohort's
  size of clients are in memory at a time.

  Args:
    config: resolved, with its cohort; its seed decides clients, halves and shuffling.
    process: of clients that learn alone.
    federated_data: the clients'.
    weights: the start of all of them.

  Returns:
    The layers from the input on, and how many clients they were estimated from.

  Raises:
    ValueError: fewer than two clients have two training examples and finite updates.

  Liang et al. 2020, theoretical analysis; `heterogeneity.estimate_from_halves`.
  """
  model = process.model
  layers = {name: model.with_global_layers((name,)) for name in model.layer_names}
  sums = {name: heterogeneity.HalvesSums() for name in layers}
  server_state, client_state = process.initialize(weights), process.initialize_client(weights)
  clients = _draw_clients(config, federated_data)
  size = resolved(config.clients_per_round)
  for start in range(0, len(clients), size):
    halves = [
      half
      for client in clients[start : start + size]
      for half in _halves(config, federated_data, client)
    ]
    output = process.next(server_state, [client_state] * len(halves), halves)
    finite = np.array([metrics.update_is_finite for metrics in output.client_metrics])
    is_usable = finite.reshape(-1, 2).all(axis=1)
    updates = [
      [new - old for new, old in zip(state.local_weights, weights, strict=True)]
      for state in output.client_states
    ]
    for name, only in layers.items():
      of_layer = [
        np.concatenate([part.ravel() for part in only.split(update)[0]]) for update in updates
      ]
      sums[name].add(np.stack(of_layer).reshape(len(is_usable), 2, -1)[is_usable])
  num_clients = min(each.num_clients for each in sums.values())
  if num_clients < 2:
    raise ValueError(
      f'--global_layers=auto: {num_clients} clients have two training examples and finite updates, '
      'expected two or more.'
    )
  return tuple(_estimate(name, each) for name, each in sums.items()), num_clients


def _estimate(layer: str, sums: heterogeneity.HalvesSums) -> LayerVariance:
  variances = sums.variances()
  return LayerVariance(
    layer, np.size(sums.first), *variances, alpha=heterogeneity.best_alpha(variances)
  )


def _draw_clients(
  config: config_lib.TrainConfig, federated_data: data_lib.FederatedData
) -> list[int]:
  """Indices of clients that have halves, in order."""
  able = _able_clients(federated_data)
  if len(able) <= _MAX_CLIENTS:
    return able
  rng = np.random.default_rng(seeds.derive_seed(config.seed, seeds.Purpose.SPLIT))
  return sorted(rng.choice(able, _MAX_CLIENTS, replace=False).tolist())


def _able_clients(federated_data: data_lib.FederatedData) -> list[int]:
  """Indices of the clients whose training examples can be halved."""
  return [i for i, client in enumerate(federated_data.clients) if client.size('train') > 1]


def _halves(
  config: config_lib.TrainConfig, federated_data: data_lib.FederatedData, client: int
) -> list[batches.ClientTensors]:
  """Two disjoint halves of a client's training examples; of an odd number, one is left out."""
  train = federated_data.clients[client].train
  seed = seeds.derive_seed(config.seed, seeds.Purpose.SPLIT, client)
  order = np.random.default_rng(seed).permutation(len(train))
  size = len(train) // 2
  return [
    client_data.to_tensors(train.take(order[half * size : (half + 1) * size]))._replace(
      seed=seeds.tensor_seed(config.seed, seeds.Purpose.SPLIT, client, half)
    )
    for half in range(2)
  ]
