"""Runs with different seeds on the same test examples: verdicts, and where noise comes from."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from tff_lg.verdicts import verdict


def judge_repeated(
  scores: Sequence[np.ndarray],
  other_scores: Sequence[np.ndarray],
  false_discovery_rate: float = 0.05,
  *,
  is_accuracy: bool = True,
  more_is_better: bool = True,
) -> pd.DataFrame:
  """Judges for each client which of two models is better, by the runs of several seeds.

  The runs share their test examples, so a seed adds no new examples: an example counts
  once, with its mean score over seeds. With one seed and accuracies the test is McNemar's, else
  that of `judge_metric`. The verdict is about the mean of these runs.

  Args:
    scores: by client, float [num_seeds, num_examples], of each example; 1 where it is right.
    other_scores: by client, the same of the other model.
    false_discovery_rate: in (0, 1).
    is_accuracy: whether scores are 0 and 1.
    more_is_better: whether a greater score is better.

  Returns:
    A row per client, see `judge_accuracy` and `judge_metric`; with `std_over_seeds` of the
    difference (n - 1; NaN for one seed).

  Raises:
    ValueError: the two are not of the same seeds and examples.
  """
  if is_accuracy and all(len(of_client) == 1 for of_client in scores):
    right, other_right = ([s[0] > 0.5 for s in both] for both in (scores, other_scores))
    table = verdict.judge_accuracy(right, other_right, false_discovery_rate)
  else:
    means, other_means = ([s.mean(axis=0) for s in both] for both in (scores, other_scores))
    table = verdict.judge_metric(
      means, other_means, false_discovery_rate, more_is_better=more_is_better
    )
  differences = (s - o for s, o in zip(scores, other_scores, strict=True))
  return table.assign(std_over_seeds=[_std(difference) for difference in differences])


class Components(NamedTuple):
  """Variances whose sum is that of the score of a client in a run; NaN where it is not known.

  Attributes:
    seeds: what all clients of a run have in common.
    seeds_by_client: what a run changes for a single client, beyond the noise of its test examples.
    clients: true differences between clients.
    test_examples: the choice of a client's test examples.
  """

  seeds: float
  seeds_by_client: float
  clients: float
  test_examples: float


def split_variance(scores: Sequence[np.ndarray]) -> Components:
  """Splits the variance of clients' scores into that of seeds, clients and test examples.

  The estimator is the method of moments (analysis of variance) for random effects. Seeds and
  clients are crossed, and test examples are nested in clients and crossed with seeds. Mean squares
  are equated with their expectations; a negative estimate is 0.

  Args:
    scores: by client, float [num_seeds, num_examples] on the same test examples with all seeds.
      Clients with fewer than two examples do not count.

  Returns:
    The variances. With one seed `seeds` and `seeds_by_client` are NaN, with fewer than two clients
    all are.

  Searle, Casella and McCulloch 1992, Variance Components, sections 4.3 and 5.3.
  """
  scores = [of_client for of_client in scores if of_client.shape[1] > 1]
  if len(scores) < 2:
    return Components(*[float('nan')] * 4)
  means = np.stack([of_client.mean(axis=1) for of_client in scores])  # [num_clients, num_seeds]
  num_clients, num_seeds = means.shape
  examples = np.mean([s.var(axis=1, ddof=1).mean() / s.shape[1] for s in scores])
  # Of a client's mean over seeds.
  of_means = np.mean([s.mean(axis=0).var(ddof=1) / s.shape[1] for s in scores])
  between = means.mean(axis=1).var(ddof=1) - of_means
  if num_seeds < 2:
    return Components(float('nan'), float('nan'), max(float(between), 0.0), float(examples))
  over_seeds = means.mean(axis=0)
  rest = means - means.mean(axis=1, keepdims=True) - over_seeds + means.mean()
  interaction = (rest**2).sum() / ((num_clients - 1) * (num_seeds - 1))
  seeds = over_seeds.var(ddof=1) - interaction / num_clients
  # What example and seed do to each other, in the mean over a client's examples.
  noise = np.mean([_interaction(s) / s.shape[1] for s in scores])
  by_client = max(float(interaction - noise), 0.0)
  clients = between - by_client / num_seeds
  return Components(max(float(seeds), 0.0), by_client, max(float(clients), 0.0), float(examples))


def _interaction(scores: np.ndarray) -> float:
  """Returns the mean square of what neither seed nor example explains, of [seeds, examples]."""
  rest = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
  return float((rest**2).sum() / np.prod(np.subtract(scores.shape, 1)))


def _std(differences: np.ndarray) -> float:
  """Returns the deviation over seeds of the mean difference, of float [seeds, examples]."""
  if len(differences) < 2 or not differences.shape[1]:
    return float('nan')
  return float(differences.mean(axis=1).std(ddof=1))
