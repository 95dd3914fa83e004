"""The cohort of a round, and how much of it each client finishes."""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tff_lg import samplings, seeds
from tff_lg.compatibility import tff
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


# The cohort of any round, counted from 0.
DrawCohort = Callable[[int], Cohort]


def everybody(num_clients: int) -> DrawCohort:
  """Returns cohorts in which all clients take part in each round, and finish it."""
  return lambda round_num: Cohort([*range(num_clients)], np.ones(num_clients, np.float32))


class CohortSampler:
  """Draws the cohort of any round from a seed and the round's number alone."""

  def __init__(
    self,
    num_clients: int,
    clients_per_round: int,
    seed: int = 0,
    *,
    sampling: str = samplings.FIXED_SIZE,
    cohort_groups: int | None = None,
    dropout_rate: float = 0.0,
    straggler_rate: float = 0.0,
  ) -> None:
    """Prepares the draws.

    Args:
      num_clients: that cohorts are drawn from.
      clients_per_round: size of a cohort; of a Poisson sample the mean size.
      seed: of the run, not negative.
      sampling: one of `samplings.SAMPLINGS`.
      cohort_groups: into which `cyclic_poisson` deals the clients, at random.
      dropout_rate: probability that a client of a cohort drops out, in [0, 1].
      straggler_rate: probability that one that does not finishes a part of its steps, in [0, 1].

    Raises:
      ValueError: there are too few clients, or the sampling is not known.
    """
    draws = {
      samplings.FIXED_SIZE: self._draw_fixed_size,
      samplings.POISSON: self._draw_poisson,
      samplings.CYCLIC_POISSON: self._draw_cyclic_poisson,
    }
    if sampling not in draws:
      raise ValueError(f'sampling is {sampling}, expected one of {", ".join(draws)}.')
    if not 1 <= clients_per_round <= num_clients:
      raise ValueError(
        f'clients_per_round is {clients_per_round}, expected 1 to {num_clients}, all clients.'
      )
    if sampling == samplings.CYCLIC_POISSON:
      samplings.check_groups(cohort_groups, clients_per_round, num_clients)
    self._num_clients, self._clients_per_round = num_clients, clients_per_round
    self._seed, self._draw, self._num_groups = seed, draws[sampling], cohort_groups or 1
    self._dropout_rate, self._straggler_rate = dropout_rate, straggler_rate
    self._sample = tff.simulation.build_uniform_sampling_fn(
      np.arange(num_clients), random_seed=seeds.derive_seed(seed, seeds.Purpose.SAMPLING)
    )

  def __call__(self, round_num: int) -> Cohort:
    """Returns the cohort of a round, counted from 0: distinct clients, each as likely as any.

    A Poisson sample may be empty, and a cyclic one is of one group. Whether a client drops out does
    not depend on the others.
    """
    clients = self._draw(round_num)
    work_shares = troubles.draw_work_shares(
      self._num_clients,
      self._dropout_rate,
      self._straggler_rate,
      seeds.derive_seed(self._seed, seeds.Purpose.TROUBLE, round_num),
    )
    return Cohort(clients, work_shares[clients])

  def _draw_fixed_size(self, round_num: int) -> list[int]:
    return [int(client) for client in self._sample(round_num, self._clients_per_round)]

  def _draw_poisson(self, round_num: int) -> list[int]:
    return np.flatnonzero(self._join(round_num, self._clients_per_round)).tolist()

  def _draw_cyclic_poisson(self, round_num: int) -> list[int]:
    joins = self._join(round_num, self._num_groups * self._clients_per_round)
    return np.flatnonzero(joins & (self._groups == round_num % self._num_groups)).tolist()

  @functools.cached_property
  def _groups(self) -> np.ndarray:
    """The group of each client, the same in all rounds."""
    seed = seeds.derive_seed(self._seed, seeds.Purpose.GROUPS)
    return np.random.default_rng(seed).permutation(self._num_clients) % self._num_groups

  def _join(self, round_num: int, mean: int) -> np.ndarray:
    """Returns whether each client would join, independently, so that on average `mean` do."""
    seed = seeds.derive_seed(self._seed, seeds.Purpose.SAMPLING, round_num)
    draws = np.random.default_rng(seed).random(self._num_clients)
    return draws < mean / self._num_clients

  def most_participations(self, num_rounds: int) -> int:
    """Returns how often the client that is sampled most takes part in the first rounds."""
    clients = [client for round_num in range(num_rounds) for client in self._draw(round_num)]
    return int(np.bincount(np.array(clients, np.int64), minlength=self._num_clients).max())


def draw_evaluated(num_clients: int, most: int | None, seed: int) -> np.ndarray | None:
  """Draws the clients that are evaluated throughout a run.

  Args:
    num_clients: how many there are.
    most: how many are evaluated at most; None or 0 for all.
    seed: of the run, not negative.

  Returns:
    int64 [most], ascending; of a seed the same for every method. None for all clients.
  """
  if not most or most >= num_clients:
    return None
  rng = np.random.default_rng(seeds.derive_seed(seed, seeds.Purpose.EVALUATION))
  return np.sort(rng.choice(num_clients, most, replace=False))
