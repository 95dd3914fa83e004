"""The traits of a metric, whatever it is computed from."""

import dataclasses
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True)
class Metric:
  """A metric of a model on examples.

  Attributes:
    name: in flags and in columns, such as `mae`.
    label: what people call it, such as `MAE`.
    meaning: a sentence without its full stop, for docs.
    more_is_better: whether a greater value is better.
    is_share: whether it is a share in [0, 1], shown in per cent.
    pooling: how clients' values, weighted by their examples, give that of all examples together:
      `mean` or `root_mean_square`; None where they do not.
    is_always_defined: whether any examples at all have a value of it; AUC needs two classes.
    counts_right: whether it is the share of examples that are right, each of which is right or
      wrong.
  """

  name: str
  label: str
  meaning: str
  more_is_better: bool = True
  is_share: bool = False
  pooling: str | None = None
  is_always_defined: bool = True
  counts_right: bool = False

  @property
  def sign(self) -> int:
    """1 where more is better, else -1: times this, greater is better."""
    return 1 if self.more_is_better else -1


_ENTRIES = (
  Metric(
    'accuracy',
    'accuracy',
    'share of examples with the right class',
    is_share=True,
    pooling='mean',
    counts_right=True,
  ),
  Metric(
    'loss', 'loss', "mean over examples of the model's own loss", False, False, pooling='mean'
  ),
  Metric(
    'macro_f1',
    'macro F1',
    'mean over classes, or labels, of the harmonic mean of precision and recall; what neither '
    'occurs nor is predicted does not count',
    True,
    True,
  ),
  Metric(
    'auc',
    'AUC',
    'area under the receiver operating characteristic; of more than two classes, or of labels, the '
    'mean over those that some examples have and others have not',
    is_always_defined=False,
  ),
  Metric(
    'label_accuracy',
    'label accuracy',
    'share of labels that are right, of all labels of all examples',
    True,
    True,
    'mean',
  ),
  Metric('mae', 'MAE', 'mean absolute error', False, pooling='mean'),
  Metric('rmse', 'RMSE', 'root mean squared error', False, pooling='root_mean_square'),
  Metric(
    'r2',
    'R²',
    'coefficient of determination: 1 less the squared error over that of the mean label',
    is_always_defined=False,
  ),
)
METRICS: Mapping[str, Metric] = {entry.name: entry for entry in _ENTRIES}


def find_metric(name: str) -> Metric | None:
  """Returns the metric that a column or entry is of, such as `local_test/mae/pooled`; else None."""
  return next((METRICS[part] for part in reversed(name.split('/')) if part in METRICS), None)


def for_few_examples(name: str) -> str:
  """Returns a metric that any examples define: this one, or else the loss."""
  return name if name not in METRICS or METRICS[name].is_always_defined else 'loss'


def sign(name: str) -> int:
  """Returns 1 if more of a metric is better, else -1; for one without an entry more is better."""
  return METRICS[name].sign if name in METRICS else 1
