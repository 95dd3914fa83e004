"""Better, worse or cannot tell, client by client, with a false discovery rate over clients."""

import enum
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from tff_lg import confidence
from tff_lg.verdicts import paired

# Sign flips of up to this many examples are enumerated; of more the t-test is as good.
_MOST_ENUMERATED = 12


class Verdict(enum.StrEnum):
  """The answer of a client's test data about one model against another."""

  BETTER = 'better'
  WORSE = 'worse'
  CANNOT_TELL = 'cannot tell'


def judge_accuracy(
  correct: Sequence[np.ndarray],
  other_correct: Sequence[np.ndarray],
  false_discovery_rate: float = 0.05,
) -> pd.DataFrame:
  """Judges for each client which of two models has the higher accuracy.

  The test is McNemar's with mid-p values, corrected over clients by Benjamini and Hochberg. Among
  the clients called better or worse, the expected share of wrong calls is at most the given rate.

  Args:
    correct: by client, bool [num_examples], whether the model is right.
    other_correct: by client, the same of the other model on the same examples.
    false_discovery_rate: in (0, 1).

  Returns:
    A row per client with `num_examples`, `wins`, `losses`, `p_value`, `adjusted_p_value` and
    `verdict`. `difference` is that of the accuracies, `low` to `high` its own 95 % interval.
    `smallest_difference` is what this many examples could show without correction. NaN and
    `cannot tell` for a client without examples, which does not count in the correction.

  Raises:
    ValueError: the two are not of the same examples.
  """
  counts = np.array(
    [_count(*pair) for pair in zip(correct, other_correct, strict=True)], np.int64
  ).reshape(-1, 4)
  wins, losses, both, total = counts.T
  known = total > 0
  table = pd.DataFrame({'num_examples': total, 'wins': wins, 'losses': losses})
  ends = paired.newcombe_intervals(wins, losses, both, np.maximum(total, 1))
  difference = (wins - losses) / np.maximum(total, 1)
  for name, column in zip(('difference', 'low', 'high'), (difference, *ends), strict=True):
    table[name] = np.where(known, column, np.nan)
  table['p_value'] = np.where(known, paired.mid_p_values(wins, losses), np.nan)
  table['smallest_difference'] = paired.smallest_differences(total, false_discovery_rate)
  return _with_verdicts(table, false_discovery_rate)


def judge_metric(
  values: Sequence[np.ndarray],
  other_values: Sequence[np.ndarray],
  false_discovery_rate: float = 0.05,
  *,
  more_is_better: bool = False,
) -> pd.DataFrame:
  """Judges for each client which of two models has the better metric, for example the loss.

  The test is on differences by example: all sign flips with up to 12 examples, the paired t-test
  with more. The column `test` names it.

  Args:
    values: by client, float [num_examples], the metric of the model by example.
    other_values: by client, the same of the other model on the same examples.
    false_discovery_rate: in (0, 1).
    more_is_better: whether a greater value is better.

  Returns:
    A row per client with `num_examples`, `p_value`, `test`, `adjusted_p_value` and `verdict`.
    `difference` is that of the means, positive where the model is better. `low` to `high` is its
    own 95 % interval by the t distribution, and `smallest_difference` half that interval. Examples
    with a value that is not finite do not count. NaN and `cannot tell` for a client with fewer than
    two examples.

  Raises:
    ValueError: the two are not of the same examples.
  """
  sign = 1.0 if more_is_better else -1.0
  rows = []
  for value, other in zip(values, other_values, strict=True):
    _check_same(value, other)
    gains = sign * (np.asarray(value, np.float64) - np.asarray(other, np.float64))
    rows.append(_test(gains[np.isfinite(gains)]))
  columns = ('num_examples', 'difference', 'low', 'high', 'p_value', 'test')
  table = pd.DataFrame(rows, columns=columns)
  table['smallest_difference'] = (table['high'] - table['low']) / 2
  return _with_verdicts(table, false_discovery_rate)


def _check_same(one: np.ndarray, other: np.ndarray) -> None:
  if np.shape(one) != np.shape(other):
    raise ValueError(
      f'Two models are compared on {np.shape(one)} and {np.shape(other)} scores: expected those '
      'of the same test examples.'
    )


def _count(correct: np.ndarray, other: np.ndarray) -> tuple[int, int, int, int]:
  """Counts wins, losses, examples that both have right, and all examples."""
  _check_same(correct, other)
  correct, other = np.asarray(correct, bool), np.asarray(other, bool)
  wins, losses, both = correct & ~other, ~correct & other, correct & other
  return int(wins.sum()), int(losses.sum()), int(both.sum()), len(correct)


def _test(gains: np.ndarray) -> tuple[int, float, float, float, float, str]:
  """Returns the number, mean, interval, p-value and name of the test of paired differences."""
  num_examples = len(gains)
  if num_examples < 2:
    mean = float(gains.mean()) if num_examples else np.nan
    return num_examples, mean, np.nan, np.nan, np.nan, 'none'
  mean = float(gains.mean())
  # Equal differences but for rounding: the t-test has no variance to go by.
  equal = gains.std() <= 1e-12 * abs(mean)
  half = 0.0 if equal else float(confidence.half_width(gains))
  if num_examples <= _MOST_ENUMERATED:
    flips = 1 - 2 * ((np.arange(2**num_examples)[:, None] >> np.arange(num_examples)) & 1)
    sums = np.abs(flips @ gains)
    p_value, test = float(np.mean(sums >= abs(gains.sum()) * (1 - 1e-12))), 'sign flips'
  elif equal:
    p_value, test = float(mean == 0), 't'
  else:
    p_value, test = float(stats.ttest_1samp(gains, 0.0).pvalue), 't'
  return num_examples, mean, mean - half, mean + half, p_value, test


def _with_verdicts(table: pd.DataFrame, false_discovery_rate: float) -> pd.DataFrame:
  """Adds p-values corrected over the clients that have one, and the verdicts."""
  p_values = table['p_value'].to_numpy(np.float64)
  known = np.isfinite(p_values)
  adjusted = np.full(len(table), np.nan)
  if known.any():
    adjusted[known] = _adjust(p_values[known])
  difference = table['difference'].to_numpy()
  found = known & (adjusted <= false_discovery_rate)
  verdicts = np.full(len(table), Verdict.CANNOT_TELL.value, object)
  verdicts[found & (difference > 0)] = Verdict.BETTER.value
  verdicts[found & (difference < 0)] = Verdict.WORSE.value
  table = table.assign(adjusted_p_value=adjusted, verdict=verdicts)
  floats = table.select_dtypes('float64').columns
  # What differs in the last digits between versions of SciPy.
  return table.assign(**{name: [float(f'{v:.12g}') for v in table[name]] for name in floats})


def _adjust(p_values: np.ndarray) -> np.ndarray:
  """Adjusts p-values by Benjamini and Hochberg; SciPy has this since 1.11, the older stack not."""
  order = np.argsort(p_values)
  scaled = p_values[order] * len(p_values) / np.arange(1, len(p_values) + 1)
  adjusted = np.empty_like(p_values)
  adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
  return adjusted
