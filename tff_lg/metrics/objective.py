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
    loss: what a client minimises, for people.
    verdict_test: the paired test of two models on a client's test examples, for people.
    predicts_classes: whether a label is one class; of sequences, one at each position.
    predicts_numbers: whether a label is a number.
    predicts_labels: whether an example has any of several labels, each of which is 0 or 1.
  """

  name: str
  label: str
  metrics: tuple[str, ...]
  loss: str
  verdict_test: str
  predicts_classes: bool = False
  predicts_numbers: bool = False
  predicts_labels: bool = False

  @property
  def main(self) -> metric.Metric:
    """The main metric."""
    return metric.METRICS[self.metrics[0]]

  @property
  def further_metrics(self) -> tuple[str, ...]:
    """Those that a run may have as well, by name."""
    fitting = (name for name, entry in metric.METRICS.items() if self.name in entry.objectives)
    return tuple(name for name in fitting if name not in self.metrics)

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
    'cross-entropy',
    "McNemar's, mid-p, on right and wrong examples",
    predicts_classes=True,
  ),
  Objective(
    'regression',
    'a number',
    ('mae', 'rmse', 'r2'),
    'mean squared error',
    _PAIRED.format('absolute error'),
    predicts_numbers=True,
  ),
  Objective(
    'multilabel',
    'any of several labels',
    ('label_accuracy', 'macro_f1', 'auc'),
    'binary cross-entropy, mean over labels',
    _PAIRED.format('share of right labels'),
    predicts_labels=True,
  ),
)
OBJECTIVES: Mapping[str, Objective] = {entry.name: entry for entry in _ENTRIES}
# What is predicted where nothing says it, as in the settings of most runs.
DEFAULT_OBJECTIVE = 'classification'


def find_objective(name: str | None) -> Objective:
  """Returns the objective of a name; the default one for None, or for a name without an entry."""
  return OBJECTIVES.get(name or DEFAULT_OBJECTIVE, OBJECTIVES[DEFAULT_OBJECTIVE])


def get_objective(name: str) -> Objective:
  """Returns the objective of a name.

  Raises:
    ValueError: there is none of this name.
  """
  if name not in OBJECTIVES:
    raise ValueError(f'objective is {name!r}, expected one of {", ".join(OBJECTIVES)}.')
  return OBJECTIVES[name]
