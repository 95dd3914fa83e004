"""Two models on the same test examples: exact tests and intervals of paired proportions.

Only examples on which the models disagree say which is better. `wins` counts those that only the
first model has right, `losses` those that only the second has right.
"""

import numpy as np
from scipy import stats


def mid_p_values(wins: np.ndarray, losses: np.ndarray) -> np.ndarray:
  """Computes the mid-p values of McNemar's exact test, two-sided.

  The exact test is conservative with few disagreements; counting half of the observed outcome's
  probability brings its level close to the nominal one.

  Args:
    wins: int [num_clients], examples that only the first model has right.
    losses: int [num_clients], examples that only the second model has right.

  Returns:
    float64 [num_clients] in (0, 1]; 1 where the models never disagree.

  Fagerland et al. 2013, "The McNemar test for binary matched-pairs data", BMC Medical Research
  Methodology 13:91.
  """
  wins, losses = np.asarray(wins), np.asarray(losses)
  disagreements, fewer = wins + losses, np.minimum(wins, losses)
  exact = 2 * stats.binom.cdf(fewer, disagreements, 0.5)
  values = exact - stats.binom.pmf(fewer, disagreements, 0.5)
  return np.where(wins == losses, 1.0, np.minimum(values, 1.0))


def newcombe_intervals(
  wins: np.ndarray,
  losses: np.ndarray,
  both_right: np.ndarray,
  num_examples: np.ndarray,
  confidence: float = 0.95,
) -> tuple[np.ndarray, np.ndarray]:
  """Computes intervals of the difference of two accuracies on the same examples.

  Args:
    wins: int [num_clients], examples that only the first model has right.
    losses: int [num_clients], examples that only the second model has right.
    both_right: int [num_clients], examples that both have right.
    num_examples: int [num_clients], all examples, at least 1.
    confidence: of each interval, in (0, 1).

  Returns:
    The lower and the upper ends, float64 [num_clients] each, in [-1, 1].

  Method 10 of Newcombe 1998: hybrid scores with a correction of the correlation for continuity.
  "Improved confidence intervals for the difference between binomial proportions based on paired
  data", Statistics in Medicine 17.
  """
  wins, losses, both, total = (
    np.asarray(counts, np.float64) for counts in (wins, losses, both_right, num_examples)
  )
  neither = total - wins - losses - both
  first, second = (both + wins) / total, (both + losses) / total
  difference = first - second
  first_low, first_high = _wilson(first, total, confidence)
  second_low, second_high = _wilson(second, total, confidence)
  margins = (both + wins) * (losses + neither) * (both + losses) * (wins + neither)
  product = both * neither - wins * losses
  corrected = np.where(product > 0, np.maximum(product - total / 2, 0.0), product)
  correlation = np.divide(
    corrected, np.sqrt(margins), out=np.zeros_like(corrected), where=margins > 0
  )

  def length(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(one**2 - 2 * correlation * one * other + other**2, 0.0))

  low = difference - length(first - first_low, second_high - second)
  high = difference + length(first_high - first, second - second_low)
  return np.maximum(low, -1.0), np.minimum(high, 1.0)


def smallest_differences(num_examples: np.ndarray, level: float = 0.05) -> np.ndarray:
  """Computes the smallest difference of accuracy that test data could have shown at all.

  With k disagreements that all favour one model, the mid-p value is 0.5 to the power of k. So a
  client with fewer than k examples, k the first with a value of at most `level`, can show nothing.

  Args:
    num_examples: int [num_clients], test examples.
    level: the largest mid-p value that counts.

  Returns:
    float64 [num_clients], in (0, 1]; NaN where no difference would be enough.
  """
  num_examples = np.asarray(num_examples)
  fewest = int(np.ceil(np.log2(1 / level) - 1e-9))
  return np.where(num_examples >= fewest, fewest / np.maximum(num_examples, 1), np.nan)


def _wilson(
  share: np.ndarray, total: np.ndarray, confidence: float
) -> tuple[np.ndarray, np.ndarray]:
  """Returns Wilson's score interval of a proportion."""
  z = stats.norm.ppf((1 + confidence) / 2)
  centre = (share + z**2 / (2 * total)) / (1 + z**2 / total)
  half = z * np.sqrt(share * (1 - share) / total + z**2 / (4 * total**2)) / (1 + z**2 / total)
  return centre - half, centre + half
