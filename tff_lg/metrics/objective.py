"""Kinds of labels: what a model predicts of an example, and the metrics that fit it."""

import dataclasses
from collections.abc import Mapping

from tff_lg.metrics import metric


@dataclasses.dataclass(frozen=True)
class Objective:
  """The kind of prediction.

  Attributes:
    name: as `--objective` takes it.
    label: what an example's label is, for people.
    metrics: those that every run has, by name; the first is the main one, by which runs are
      compared.
    further_metrics: those that a run may have as well.
    loss: what a client minimises, for people.
    verdict_test: the paired test of two models on a client's test examples, for people.
  """

  name: str
  label: str
  metrics: tuple[str, ...]
  further_metrics: tuple[str, ...]
  loss: str
  verdict_test: str

  @property
  def main(self) -> metric.Metric:
    """The main metric."""
    return metric.METRICS[self.metrics[0]]

  @property
  def all_metrics(self) -> tuple[str, ...]:
    """Every metric that fits, by name, with the loss."""
    return (*self.metrics, *self.further_metrics, 'loss')


_PAIRED = 'sign flips of up to 12 examples, else the paired t-test, on the {} of each example'
_ENTRIES = (
  Objective(
    'classification',
    'one of several classes',
    ('accuracy',),
    ('macro_f1', 'auc'),
    'cross-entropy',
    "McNemar's, mid-p, on right and wrong examples",
  ),
  Objective(
    'regression',
    'a number',
    ('mae', 'rmse', 'r2'),
    (),
    'mean squared error',
    _PAIRED.format('absolute error'),
  ),
  Objective(
    'multilabel',
    'any of several labels',
    ('label_accuracy', 'macro_f1', 'auc'),
    (),
    'binary cross-entropy, mean over labels',
    _PAIRED.format('share of right labels'),
  ),
)
OBJECTIVES: Mapping[str, Objective] = {entry.name: entry for entry in _ENTRIES}
