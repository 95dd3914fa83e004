"""Which test examples a client's model has right, as one string in a table of clients."""

import numpy as np
import pandas as pd

from tff_lg.verdicts import share, verdict

# Column of the table of clients that holds the marks of local test examples.
MARKS = 'local_test/correct'


def to_marks(correct: np.ndarray) -> str:
  """Writes which examples are right, bool [num_examples], as `1` and `0` in their order."""
  return (np.asarray(correct, bool).astype(np.uint8) + ord('0')).tobytes().decode()


def from_marks(marks: object) -> np.ndarray:
  """Returns bool [num_examples] of a string as `to_marks` writes it; empty for what is missing."""
  text = marks if isinstance(marks, str) else ''  # None or NaN, as pandas has it.
  return np.frombuffer(text.encode(), np.uint8) == ord('1')


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


def summarize(table: pd.DataFrame, seed: int) -> dict[str, float]:
  """Summarizes verdicts over clients.

  Args:
    table: as `judge_accuracy` gives it.
    seed: of the bootstrap.

  Returns:
    `num_better`, `num_worse` and `num_cannot_tell` of the clients with examples, and
    `share_truly_worse` with its 95 % interval, see `estimate_share_worse`, unless too few clients
    disagree.
  """
  known = table[table['num_examples'] > 0]
  numbers = known['verdict'].value_counts()
  worse = share.estimate_share_worse(
    known['wins'].to_numpy(), known['losses'].to_numpy(), np.random.default_rng(seed)
  )
  summary: dict[str, float] = {
    f'num_{v.replace(" ", "_")}': int(numbers.get(v, 0)) for v in verdict.Verdict
  }
  if np.isfinite(worse.estimate):
    summary['share_truly_worse'] = worse.estimate
    summary['share_truly_worse/low'], summary['share_truly_worse/high'] = worse.low, worse.high
  return summary
