"""Metrics: what each is called, how it is shown, and whether more of it is better.

Comes in: predictions and labels, or the name of a metric. Goes out: scores, Keras metrics that a
model evaluates batch by batch, and how values are compared. `METRICS` has an entry for each metric;
one from outside comes in by `--import`. `OBJECTIVES` has one for each kind of label: a class, a
number, several labels at once. This module imports nothing heavy; `exact` needs NumPy and
scikit-learn, `in_graph` TensorFlow. May import: no room.
"""

from tff_lg.metrics.metric import (
  METRICS,
  Metric,
  find_metric,
  for_few_examples,
  register,
  sign,
)
from tff_lg.metrics.objective import (
  DEFAULT_OBJECTIVE,
  OBJECTIVES,
  Objective,
  find_objective,
  get_objective,
)

__all__ = [
  'DEFAULT_OBJECTIVE',
  'METRICS',
  'OBJECTIVES',
  'Metric',
  'Objective',
  'find_metric',
  'find_objective',
  'get_objective',
  'for_few_examples',
  'register',
  'sign',
]
