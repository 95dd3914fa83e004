"""The main metric of a client's test examples, one by one, as a string in a table of clients."""

import numpy as np
import pandas as pd

from tff_lg import metric_names
from tff_lg.verdicts import share, verdict

# Column of the table of clients that holds the marks of local test examples.
MARKS = metric_names.local_test('correct')
# Column that holds the main metric of each local test example where labels are no classes.
VALUES = metric_names.local_test('by_example')


def to_marks(correct: np.ndarray) -> str:
  """Writes which examples are right, bool [num_examples], as `1` and `0` in their order."""
  return (np.asarray(correct, bool).astype(np.uint8) + ord('0')).tobytes().decode()


def from_marks(marks: object) -> np.ndarray:
  """Returns bool [num_examples] of a string as `to_marks` writes it; empty for what is missing."""
  text = marks if isinstance(marks, str) else ''  # None or NaN, as pandas has it.
  return np.frombuffer(text.encode(), np.uint8) == ord('1')


def to_values(values: np.ndarray) -> str:
  """Writes numbers, float [num_examples], with nine digits and spaces between."""
  return ' '.join(f'{value:.9g}' for value in values)


def from_values(text: object) -> np.ndarray:
  """Returns float64 [num_examples] of a string as `to_values` writes it; empty if missing."""
  return np.array(text.split() if isinstance(text, str) else (), np.float64)


def judge_marks(
  marks: pd.Series, other: pd.Series, false_discovery_rate: float = 0.05
) -> pd.DataFrame:
  """Judges clients by the marks of two models.

  Args:
    marks: by client, as `to_marks` writes them; missing for a client without a model.
    other: by the same clients, those of the other model.
    false_discovery_rate: in (0, 1), over the clients that have both.

  Returns:
    A row per client with the index of `marks`, see `judge_accuracy`.

  Raises:
    ValueError: the marks of a client are not of as many examples.
  """
  known = marks.notna() & other.notna()
  first, second = ([from_marks(m) for m in column.where(known)] for column in (marks, other))
  return verdict.judge_accuracy(first, second, false_discovery_rate).set_index(marks.index)


def judge_values(
  values: pd.Series,
  other: pd.Series,
  false_discovery_rate: float = 0.05,
  *,
  more_is_better: bool = False,
) -> pd.DataFrame:
  """Judges clients by the main metric of each test example with two models.

  Args:
    values: by client, as `to_values` writes them; missing for a client without a model.
    other: by the same clients, those of the other model.
    false_discovery_rate: in (0, 1), over the clients that have both.
    more_is_better: whether a greater value is better.

  Returns:
    A row per client with the index of `values`, see `judge_metric`.

  Raises:
    ValueError: the values of a client are not of as many examples.
  """
  known = values.notna() & other.notna()
  first, second = ([from_values(v) for v in column.where(known)] for column in (values, other))
  judged = verdict.judge_metric(first, second, false_discovery_rate, more_is_better=more_is_better)
  return judged.set_index(values.index)


def summarize(table: pd.DataFrame, seed: int) -> dict[str, float]:
  """Summarizes verdicts over clients.

  Args:
    table: as `judge_accuracy` or `judge_metric` gives it.
    seed: of the bootstrap.

  Returns:
    `num_better`, `num_worse` and `num_cannot_tell` of the clients with examples, and
    `share_truly_worse` with its 95 % interval, see `estimate_share_worse`, unless too few clients
    disagree. A metric other than accuracy has no such share.
  """
  known = table[table['num_examples'] > 0]
  numbers = known['verdict'].value_counts()
  summary: dict[str, float] = {
    f'num_{v.replace(" ", "_")}': int(numbers.get(v, 0)) for v in verdict.Verdict
  }
  if 'wins' not in known:
    return summary
  worse = share.estimate_share_worse(
    known['wins'].to_numpy(), known['losses'].to_numpy(), np.random.default_rng(seed)
  )
  if np.isfinite(worse.estimate):
    low, high = metric_names.interval('share_truly_worse')
    summary |= {'share_truly_worse': worse.estimate, low: worse.low, high: worse.high}
  return summary
