"""Verdicts: whether one model serves a client better than another, as far as test data can tell.

Comes in: scores of two models on the same test examples, client by client. Goes out: better, worse
or cannot tell for each client, and the share of clients that are truly worse off. May import: no
room; it needs numbers only.
"""

from tff_lg.verdicts.marks import (
  MARKS,
  VALUES,
  from_marks,
  from_values,
  judge_marks,
  judge_values,
  summarize,
  to_marks,
  to_values,
)
from tff_lg.verdicts.paired import mid_p_values, newcombe_intervals, smallest_differences
from tff_lg.verdicts.repeated import Components, judge_repeated, split_variance
from tff_lg.verdicts.share import WorseShare, estimate_share_worse
from tff_lg.verdicts.verdict import Verdict, judge_accuracy, judge_metric

__all__ = [
  'MARKS',
  'VALUES',
  'Components',
  'Verdict',
  'WorseShare',
  'estimate_share_worse',
  'from_marks',
  'from_values',
  'judge_accuracy',
  'judge_marks',
  'judge_metric',
  'judge_repeated',
  'judge_values',
  'mid_p_values',
  'newcombe_intervals',
  'smallest_differences',
  'split_variance',
  'summarize',
  'to_marks',
  'to_values',
]
