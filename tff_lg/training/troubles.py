"""Ordinary trouble: clients that drop out of a round, and stragglers."""

import numpy as np


def draw_work_shares(
  cohort_size: int, dropout_rate: float, straggler_rate: float, seed: int
) -> np.ndarray:
  """Draws the share of the round's training steps that each client of a cohort finishes.

  Each client drops out with the dropout rate. One that does not is a straggler with the straggler
  rate and finishes a share drawn uniformly from (0, 1). All of them may drop out. Draws do not
  depend on the rates. A client that drops out at one rate does so at any higher rate with the same
  seed.

  Args:
    cohort_size: how many clients.
    dropout_rate: probability of dropping out, in [0, 1].
    straggler_rate: probability of being a straggler, in [0, 1].
    seed: of the round, not negative.

  Returns:
    float32 [cohort_size] for `ClientTensors.work_share`: 0 for clients that drop out, in (0, 1)
    for stragglers, 1 for the others.

  Raises:
    ValueError: a rate is not in [0, 1].

  Li et al. 2020, Federated Optimization in Heterogeneous Networks, section 5.2 (stragglers).
  """
  for name, rate in (('dropout_rate', dropout_rate), ('straggler_rate', straggler_rate)):
    if not 0 <= rate <= 1:
      raise ValueError(f'{name} is {rate}, expected a number in [0, 1].')
  drop_out, straggle, share = np.random.default_rng(seed).random((3, cohort_size), np.float32)
  share = np.maximum(share, np.finfo(np.float32).tiny)  # Zero would be a dropout.
  shares = np.where(straggle < straggler_rate, share, np.float32(1))
  return np.where(drop_out < dropout_rate, np.float32(0), shares)
