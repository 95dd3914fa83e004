"""Who takes part in a round, and how much of it each client finishes."""

from typing import NamedTuple

import numpy as np

from tff_lg import config as config_lib
from tff_lg import seeds
from tff_lg.compatibility import tff
from tff_lg.config.option import resolved
from tff_lg.training import troubles


class Cohort(NamedTuple):
  """The clients of a round.

  Attributes:
    clients: their indices, in the order of the round.
    work_shares: float32, share of its steps that each finishes; 0 for one that drops out.
  """

  clients: list[int]
  work_shares: np.ndarray

  @property
  def num_uploads(self) -> int:
    """Clients that do not drop out."""
    return int(np.count_nonzero(self.work_shares))


class CohortSampler:
  """Draws the cohort of any round from the run's seed and the round's number alone."""

  def __init__(self, config: config_lib.TrainConfig, num_clients: int) -> None:
    """Prepares the draws of a resolved config's rounds."""
    self._config, self._num_clients = config, num_clients
    self._sample = tff.simulation.build_uniform_sampling_fn(
      np.arange(num_clients), random_seed=seeds.derive_seed(config.seed, seeds.Purpose.SAMPLING)
    )

  def __call__(self, round_num: int) -> Cohort:
    """The cohort of a round, counted from 0: distinct clients, each as likely as any.

    A Poisson sample may be empty. Whether a client drops out does not depend on the others.
    """
    clients = self._draw(round_num)
    work_shares = troubles.draw_work_shares(
      self._num_clients,
      self._config.client_dropout_rate,
      self._config.straggler_rate,
      seeds.derive_seed(self._config.seed, seeds.Purpose.TROUBLE, round_num),
    )
    return Cohort(clients, work_shares[clients])

  def _draw(self, round_num: int) -> list[int]:
    if self._config.cohort_sampling == 'poisson':
      seed = seeds.derive_seed(self._config.seed, seeds.Purpose.SAMPLING, round_num)
      draws = np.random.default_rng(seed).random(self._num_clients)
      probability = resolved(self._config.clients_per_round) / self._num_clients
      return np.flatnonzero(draws < probability).tolist()
    return [int(client) for client in self._sample(round_num, self._config.clients_per_round)]

  def most_participations(self, num_rounds: int) -> int:
    """How often the client that is sampled most takes part in the first rounds."""
    clients = [client for round_num in range(num_rounds) for client in self._draw(round_num)]
    return int(np.bincount(np.array(clients, np.int64), minlength=self._num_clients).max())


def draw_evaluated(config: config_lib.TrainConfig, num_clients: int) -> np.ndarray | None:
  """The clients that are evaluated throughout a resolved config's run; None for all.

  Returns:
    int64 [max_evaluated_clients], ascending; of a seed the same for every method.
  """
  if not 0 < (config.max_evaluated_clients or 0) < num_clients:
    return None
  seed = seeds.derive_seed(config.seed, seeds.Purpose.EVALUATION)
  rng = np.random.default_rng(seed)
  return np.sort(rng.choice(num_clients, config.max_evaluated_clients, replace=False))
