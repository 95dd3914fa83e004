"""The share of clients that are truly worse off, with the noise of small test sets taken out.

The naive count calls a client worse where one example more is wrong. Here a client's disagreements
are draws from its own chance to win one, and the chances of all clients a beta distribution, which
is fitted to the counts: an empirical Bayes deconvolution.
"""

from typing import NamedTuple

import numpy as np
from scipy import optimize, special, stats

# A fit with so many pseudo-counts has all clients alike; more changes nothing that data can tell.
_MOST_COUNTS = 1e4
_FEWEST_COUNTS = 1e-2


class WorseShare(NamedTuple):
  """A share of clients, in [0, 1], with a 95 % bootstrap interval over clients."""

  estimate: float
  low: float
  high: float


def estimate_share_worse(
  wins: np.ndarray, losses: np.ndarray, rng: np.random.Generator, num_resamples: int = 200
) -> WorseShare:
  """Estimates the share of clients for which the first model is worse than the second.

  A client is worse off if its chance to win a disagreement is below one half. Clients whose models
  never disagree say nothing: they are taken to be like the others.

  Args:
    wins: int [num_clients], examples that only the first model has right.
    losses: int [num_clients], examples that only the second model has right.
    rng: draws the resamples of clients.
    num_resamples: of the bootstrap, at least 1.

  Returns:
    The share and the ends of its interval; NaN, 0 and 1 if no client has a disagreement.

  Skellam 1948 for the beta-binomial distribution; Efron 2016, "Empirical Bayes deconvolution
  estimates", Biometrika 103, for the idea.
  """
  counts = np.stack([np.asarray(wins), np.asarray(losses)], axis=1)
  counts = counts[counts.sum(axis=1) > 0]
  if not len(counts):
    return WorseShare(float('nan'), 0.0, 1.0)
  pairs, which, repeats = np.unique(counts, axis=0, return_inverse=True, return_counts=True)
  fitted = _fit(pairs, repeats.astype(np.float64))
  shares = []
  for _ in range(num_resamples):
    drawn = rng.integers(len(counts), size=len(counts))
    resampled = np.bincount(which.reshape(-1)[drawn], minlength=len(pairs))
    shares.append(_share(_fit(pairs, resampled.astype(np.float64), start=fitted)))
  low, high = np.quantile(shares, (0.025, 0.975))
  return WorseShare(_share(fitted), float(low), float(high))


def _fit(pairs: np.ndarray, repeats: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
  """Maximum likelihood of the beta's mean, as a logit, and the logarithm of its counts."""
  wins, losses = pairs.astype(np.float64).T

  def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
    mean, counts = special.expit(parameters[0]), np.exp(parameters[1])
    a, b = mean * counts, (1 - mean) * counts
    values = special.betaln(wins + a, losses + b) - special.betaln(a, b)
    common = special.digamma(counts) - special.digamma(wins + losses + counts)
    by_a = special.digamma(wins + a) - special.digamma(a) + common
    by_b = special.digamma(losses + b) - special.digamma(b) + common
    by_mean = (by_a - by_b) * counts * mean * (1 - mean)
    by_counts = (by_a * mean + by_b * (1 - mean)) * counts
    return -repeats @ values, -np.array([repeats @ by_mean, repeats @ by_counts])

  if start is None:
    mean = (repeats @ wins + 0.5) / (repeats @ (wins + losses) + 1)
    start = np.array([special.logit(mean), np.log(4.0)])
  bounds = ((-12.0, 12.0), (np.log(_FEWEST_COUNTS), np.log(_MOST_COUNTS)))
  return optimize.minimize(loss, start, jac=True, method='L-BFGS-B', bounds=bounds).x


def _share(parameters: np.ndarray) -> float:
  """The mass of the fitted beta below one half."""
  mean, counts = special.expit(parameters[0]), np.exp(parameters[1])
  return float(stats.beta.cdf(0.5, mean * counts, (1 - mean) * counts))
