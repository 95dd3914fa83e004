"""Device variance and data variance of each layer of a model, at weights that all clients share."""

import contextlib
import dataclasses
from collections.abc import Sequence

import numpy as np

from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg import heterogeneity, learning, models, seeds, training
from tff_lg.config import own_models
from tff_lg.config.option import resolved
from tff_lg.learning import batches
from tff_lg.training import client_data

# More would tell little more: both estimates are means over clients.
_MAX_CLIENTS = 100


@dataclasses.dataclass(frozen=True)
class LayerVariance:
  """The estimates of one layer.

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
  sampling: config_lib.SamplingOptions,
  process: learning.LocalGlobalProcess,
  federated_data: data_lib.FederatedData,
  weights: models.ModelWeights,
) -> tuple[tuple[LayerVariance, ...], int]:
  """Estimates the variances of each layer from training data.

  Each client trains all weights twice, each time on one half of its training examples, for a round
  with the settings of the run. If more than 100 clients have two examples, 100 are drawn at random.
  The updates of at most a cohort's number of clients are in memory at a time.

  Args:
    sampling: with its cohort; its seed decides clients, halves and shuffling.
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
  clients = _draw_clients(sampling.seed, federated_data)
  size = resolved(sampling.clients_per_round)
  for start in range(0, len(clients), size):
    updates, is_finite = _train_halves(
      sampling.seed, process, federated_data, clients[start : start + size], weights
    )
    is_usable = is_finite.reshape(-1, 2).all(axis=1)
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


class _Updates(training.Callback):
  """Keeps the weights of a round's clients, and whose update is finite."""

  def __init__(self) -> None:
    self.weights: list[Sequence[np.ndarray]] = []
    self.is_finite = np.zeros(0, bool)

  def on_round_output(self, clients: Sequence[int], output: learning.RoundOutput) -> None:
    """Keeps them."""
    self.weights = [state.local_weights for state in output.client_states]
    self.is_finite = np.array([each.update_is_finite for each in output.client_metrics])


def _train_halves(
  run_seed: int,
  process: learning.LocalGlobalProcess,
  federated_data: data_lib.FederatedData,
  clients: Sequence[int],
  weights: models.ModelWeights,
) -> tuple[list[models.ModelWeights], np.ndarray]:
  """Trains each half of clients' examples for a round, as a client of its own.

  Returns:
    For each half its update, and whether it is finite, bool [2 * num_clients].
  """
  halves = [half for each in clients for half in _halves(run_seed, federated_data, each)]
  ids = [f'{federated_data.clients[each].client_id}, half {n}' for each in clients for n in (1, 2)]
  phase, updates = training.Phase(own_models.LOCAL_ONLY, process, 1), _Updates()
  # Where no update at all is finite, that is known of each of them.
  with contextlib.suppress(training.DivergenceError):
    training.run(
      [phase],
      training.Clients(ids, {'train': halves}),
      evaluation=training.NEVER,
      callbacks=[updates],
      seed=lambda _, half: seeds.tensor_seed(
        run_seed, seeds.Purpose.SPLIT, clients[half // 2], half % 2
      ),
      start=training.initial_state(phase, len(halves), weights),
    )
  moved = [
    tuple(new - old for new, old in zip(of_half, weights, strict=True))
    for of_half in updates.weights
  ]
  return moved, updates.is_finite


def _estimate(layer: str, sums: heterogeneity.HalvesSums) -> LayerVariance:
  variances = sums.variances()
  return LayerVariance(
    layer, np.size(sums.first), *variances, alpha=heterogeneity.best_alpha(variances)
  )


def _draw_clients(run_seed: int, federated_data: data_lib.FederatedData) -> list[int]:
  """Returns indices of clients that have halves, in order."""
  able = _able_clients(federated_data)
  if len(able) <= _MAX_CLIENTS:
    return able
  rng = np.random.default_rng(seeds.derive_seed(run_seed, seeds.Purpose.SPLIT))
  return sorted(rng.choice(able, _MAX_CLIENTS, replace=False).tolist())


def _able_clients(federated_data: data_lib.FederatedData) -> list[int]:
  """Returns indices of the clients whose training examples can be halved."""
  return [i for i, client in enumerate(federated_data.clients) if client.size('train') > 1]


def _halves(
  run_seed: int, federated_data: data_lib.FederatedData, client: int
) -> list[batches.ClientTensors]:
  """Returns two disjoint halves of a client's training examples; an odd one is left out."""
  train = federated_data.clients[client].train
  seed = seeds.derive_seed(run_seed, seeds.Purpose.SPLIT, client)
  order = np.random.default_rng(seed).permutation(len(train))
  size = len(train) // 2
  return [
    client_data.to_tensors(train.take(order[half * size : (half + 1) * size]), are_trained_on=True)
    for half in range(2)
  ]
