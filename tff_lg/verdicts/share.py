"""The share of clients that are truly worse off, with the noise of small test sets taken out.

The naive count calls a client worse off if one more example is wrong. Here the wins among a
client's disagreements are binomial with a win probability of its own. The distribution of these
probabilities over clients is fitted to all counts: an empirical Bayes deconvolution.
"""

from typing import NamedTuple

import numpy as np
from scipy import optimize, special, stats

# With less the bootstrap's interval does not hold what it promises.
_FEWEST_CLIENTS, _FEWEST_DISAGREEMENTS = 10, 50
# Chances at which the distribution has mass; none is one half, so that all are better or worse.
_NUM_CHANCES = 100
# The logarithm of the mass is a polynomial of this degree, with the penalty of the paper.
_DEGREE, _PENALTY = 5, 1.0


class WorseShare(NamedTuple):
  """A share of clients, in [0, 1], with a 95 % bootstrap interval over clients."""

  estimate: float
  low: float
  high: float


def estimate_share_worse(
  wins: np.ndarray, losses: np.ndarray, rng: np.random.Generator, num_resamples: int = 200
) -> WorseShare:
  """Estimates the share of clients for which the first model is worse than the second.

  A client is worse off if its probability to win a disagreement is below one half. Clients whose
  models never disagree carry no information: they are taken to be like the others.

  Args:
    wins: int [num_clients], examples that only the first model has right.
    losses: int [num_clients], examples that only the second model has right.
    rng: draws the resamples of clients.
    num_resamples: of the bootstrap, at least 1.

  Returns:
    The share and the ends of its interval. NaN, 0 and 1 if fewer than ten clients have a
    disagreement, or all clients together have fewer than fifty.

  Efron 2016, "Empirical Bayes deconvolution estimates", Biometrika 103, sections 2 and 3, with
  polynomials for splines.
  """
  counts = np.stack([np.asarray(wins), np.asarray(losses)], axis=1)
  counts = counts[counts.sum(axis=1) > 0]
  if len(counts) < _FEWEST_CLIENTS or counts.sum() < _FEWEST_DISAGREEMENTS:
    return WorseShare(float('nan'), 0.0, 1.0)
  pairs, which, repeats = np.unique(counts, axis=0, return_inverse=True, return_counts=True)
  chances = (np.arange(_NUM_CHANCES) + 0.5) / _NUM_CHANCES
  likelihoods = stats.binom.pmf(pairs[:, :1], pairs.sum(axis=1, keepdims=True), chances)
  basis = np.polynomial.legendre.legvander(2 * chances - 1, _DEGREE)[:, 1:]
  fitted = _fit(likelihoods, basis, repeats, np.zeros(_DEGREE))
  shares = []
  for _ in range(num_resamples):
    drawn = rng.integers(len(counts), size=len(counts))
    resampled = np.bincount(which.reshape(-1)[drawn], minlength=len(pairs))
    shares.append(_share(basis, _fit(likelihoods, basis, resampled, fitted)))
  low, high = np.quantile(shares, (0.025, 0.975))
  # Searches of different versions of SciPy end at points that differ by less than this.
  return WorseShare(*(round(float(value), 4) for value in (_share(basis, fitted), low, high)))


def _fit(
  likelihoods: np.ndarray, basis: np.ndarray, repeats: np.ndarray, start: np.ndarray
) -> np.ndarray:
  """Returns the penalised maximum likelihood of the polynomial's coefficients.

  Args:
    likelihoods: float64 [num_counts, num_chances], of each pair of counts given each chance.
    basis: float64 [num_chances, degree], the polynomials at the chances.
    repeats: int [num_counts], how many clients have each pair of counts.
    start: float64 [degree], where the search begins.

  Returns:
    float64 [degree], the coefficients.
  """

  def loss(coefficients: np.ndarray) -> tuple[float, np.ndarray]:
    masses = special.softmax(basis @ coefficients)
    totals = likelihoods @ masses
    posterior = likelihoods * masses / totals[:, None]
    length = np.sqrt(coefficients @ coefficients + 1e-12)
    gradient = basis.T @ (repeats @ posterior - repeats.sum() * masses)
    value = _PENALTY * length - repeats @ np.log(totals)
    return value, _PENALTY * coefficients / length - gradient

  return optimize.minimize(loss, start, jac=True, method='L-BFGS-B').x


def _share(basis: np.ndarray, coefficients: np.ndarray) -> float:
  """Returns the mass of chances below one half."""
  return float(special.softmax(basis @ coefficients)[: len(basis) // 2].sum())
