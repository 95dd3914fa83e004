"""Metrics: each is one entry that says how it is computed, shown and compared."""

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries

if TYPE_CHECKING:  # They take seconds to import.
  import tensorflow as tf

  from tff_lg.metrics.in_graph import Outputs


def _of_the_model(*arguments: Any) -> Any:
  """Refuses to compute a metric that only a model can."""
  raise ValueError('The loss is a part of its model, expected another metric.')


@attrs.frozen(kw_only=True)
class Metric(entries.Entry):
  """A metric of a model on examples; its name is also in columns. See `register`.

  Attributes:
    meaning: a sentence without its full stop, for docs.
    objectives: names of the objectives that it fits.
    score: (predictions, labels), arrays as of `exact` -> its value.
    build: (what a model's outputs are) -> the Keras metric, which the model evaluates in batches.
    more_is_better: whether a greater value is better.
    is_share: whether it is a share in [0, 1], shown in per cent.
    pooling: how clients' values, weighted by their examples, give that of all examples together:
      `mean` or `root_mean_square`; None where they do not.
    is_always_defined: whether any examples at all have a value of it; AUC needs two classes.
    counts_right: whether it is the share of examples that are right, each of which is right or
      wrong.
  """

  meaning: str
  objectives: tuple[str, ...] = ()
  score: Callable[[Any, Any], float] = _of_the_model
  build: 'Callable[[Outputs], tf.keras.metrics.Metric]' = _of_the_model
  more_is_better: bool = True
  is_share: bool = False
  pooling: str | None = None
  is_always_defined: bool = True
  counts_right: bool = False

  @property
  def sign(self) -> int:
    """1 where more is better, else -1: times this, greater is better."""
    return 1 if self.more_is_better else -1


# What `--metrics` takes, with everything that is known about it.
METRICS: entries.Registry[Metric] = entries.Registry('metric')
register = METRICS.register


def _lazily(module: str, function: str) -> Callable[..., Any]:
  """Returns a function of a module here that is imported when it is called."""

  def call(*arguments: Any) -> Any:
    found = importlib.import_module(f'tff_lg.metrics.{module}')
    return getattr(found, function)(*arguments)

  return call


for _entry in (
  Metric(
    name='accuracy',
    label='accuracy',
    meaning='share of examples with the right class',
    objectives=('classification',),
    score=_lazily('exact', 'accuracy'),
    build=_lazily('in_graph', 'build_accuracy'),
    is_share=True,
    pooling='mean',
    counts_right=True,
  ),
  Metric(
    name='loss',
    label='loss',
    meaning="mean over examples of the model's own loss",
    more_is_better=False,
    pooling='mean',
  ),
  Metric(
    name='macro_f1',
    label='macro F1',
    meaning='mean over classes, or labels, of the harmonic mean of precision and recall; what '
    'neither occurs nor is predicted does not count',
    objectives=('classification', 'multilabel'),
    score=_lazily('exact', 'macro_f1'),
    build=_lazily('in_graph', 'MacroF1'),
    is_share=True,
  ),
  Metric(
    name='auc',
    label='AUC',
    meaning='area under the receiver operating characteristic; of more than two classes, or of '
    'labels, the mean over those that some examples have and others have not',
    objectives=('classification', 'multilabel'),
    score=_lazily('exact', 'auc'),
    build=_lazily('in_graph', 'AreaUnderCurve'),
    is_always_defined=False,
  ),
  Metric(
    name='label_accuracy',
    label='label accuracy',
    meaning='share of labels that are right, of all labels of all examples',
    objectives=('multilabel',),
    score=_lazily('exact', 'label_accuracy'),
    build=_lazily('in_graph', 'build_label_accuracy'),
    is_share=True,
    pooling='mean',
  ),
  Metric(
    name='mae',
    label='MAE',
    meaning='mean absolute error',
    objectives=('regression',),
    score=_lazily('exact', 'mae'),
    build=_lazily('in_graph', 'build_mae'),
    more_is_better=False,
    pooling='mean',
  ),
  Metric(
    name='rmse',
    label='RMSE',
    meaning='root mean squared error',
    objectives=('regression',),
    score=_lazily('exact', 'rmse'),
    build=_lazily('in_graph', 'build_rmse'),
    more_is_better=False,
    pooling='root_mean_square',
  ),
  Metric(
    name='r2',
    label='R²',
    meaning='coefficient of determination: 1 less the squared error over that of the mean label',
    objectives=('regression',),
    score=_lazily('exact', 'r2'),
    build=_lazily('in_graph', 'build_r2'),
    is_always_defined=False,
  ),
):
  register(_entry)


def find_metric(name: str) -> Metric | None:
  """Returns the metric that a column or entry is of, such as `local_test/mae/pooled`; else None."""
  return next((METRICS[part] for part in reversed(name.split('/')) if part in METRICS), None)


def for_few_examples(name: str) -> str:
  """Returns a metric that any examples define: this one, or else the loss."""
  return name if name not in METRICS or METRICS[name].is_always_defined else 'loss'


def sign(name: str) -> int:
  """Returns 1 if more of a metric is better, else -1; for one without an entry more is better."""
  return METRICS[name].sign if name in METRICS else 1
