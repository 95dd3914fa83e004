"""The prediction for an example, and the metrics that score models."""

import dataclasses
from typing import Any

from tff_lg import metrics as metrics_lib
from tff_lg.attacks import ATTACKS
from tff_lg.config import split, task
from tff_lg.config.option import ConfigError, option
from tff_lg.data import PARTITIONS
from tff_lg.entries import listed
from tff_lg.tasks import TASKS

# The tasks whose files may have several kinds of labels.
_ANY_LABELS = tuple(name for name, entry in TASKS.items() if len(entry.objectives) > 1)
# The partitions that do not look at labels.
_WITHOUT_CLASSES = tuple(n for n, entry in PARTITIONS.items() if not entry.needs_classes)


@dataclasses.dataclass(frozen=True)
class MetricOptions(task.TaskName):
  """Options of labels and metrics; None stands for a default."""

  objective: str | None = option(
    None,
    'What is predicted for an example: its class (default), a number (regression) or any of '
    f'several labels (multilabel); --task={listed(_ANY_LABELS)}. Losses are cross-entropy, mean '
    'squared error and binary cross-entropy.',
    tuple(metrics_lib.OBJECTIVES),
  )
  metrics: tuple[str, ...] | None = option(
    None,
    "Further metrics of clients' models, such as macro_f1,auc. Every run has those of its "
    'objective: accuracy; mae, rmse and r2; or label_accuracy, macro_f1 and auc.',
    tuple(name for name in metrics_lib.METRICS if name != 'loss'),
  )
  selection_metric: str | None = option(
    None,
    'Metric that chooses the best round; by default the main metric of the objective, such as '
    f'accuracy, but {task.say_by_task(lambda entry: entry.selection_metric or "")}.',
    tuple(metrics_lib.METRICS),
  )

  @property
  def predicts(self) -> metrics_lib.Objective:
    """The prediction for an example, with its metrics."""
    return find_objective(self)

  @property
  def model_metrics(self) -> tuple[str, ...]:
    """Names of the metrics of its models, the main one first."""
    return list_metrics(self)


def find_objective(config: Any) -> metrics_lib.Objective:
  """Returns what a config predicts, with its metrics."""
  return metrics_lib.OBJECTIVES[config.objective or TASKS[config.task].objectives[0]]


def list_metrics(config: Any) -> tuple[str, ...]:
  """Returns the names of the metrics of a config's models, the main one first."""
  selected = [name for name in (config.selection_metric,) if name and name != 'loss']
  names = (*find_objective(config).metrics, *(config.metrics or ()), *selected)
  return tuple(dict.fromkeys(names))


def defaults(config: Any) -> dict[str, Any]:
  """Returns what options that are None stand for, by name, where they apply."""
  default = TASKS[config.task].objectives[0]
  return {
    'selection_metric': find_objective(config).metrics[0],
    **({} if default == metrics_lib.DEFAULT_OBJECTIVE else {'objective': default}),
  }


def check(config: Any, partition: str, scope: str) -> None:
  """Refuses metrics, and choices, that do not fit what is predicted.

  Args:
    config: a `TrainConfig`, as the user gave it.
    partition: the partition's name.
    scope: of the selection of models.

  Raises:
    ConfigError: the first of them.
  """
  objective = find_objective(config)
  entry, only = TASKS[config.task], TASKS[config.task].objectives[0]
  is_class = objective.predicts_classes
  fitting = ('accuracy', 'loss') if entry.has_own_metrics else objective.all_metrics
  selected = metrics_lib.METRICS.get(config.selection_metric)
  of_splits = (objective.metrics[0], 'loss')  # By which splits of a model are compared.
  predicts = f'but --task={config.task} predicts {objective.label}'
  conflicts = [
    (
      config.objective is not None and entry.objectives == (metrics_lib.DEFAULT_OBJECTIVE,),
      f'--objective is {config.objective}, but --task={config.task} has labels of its own: it '
      f'belongs to --task={listed(_ANY_LABELS)}.',
    ),
    (
      objective.name not in entry.objectives,
      f'--objective is {config.objective}, but --task={config.task} predicts '
      f'{metrics_lib.OBJECTIVES[only].label}: {only}.',
    ),
    (
      not is_class and partition not in _WITHOUT_CLASSES,
      f'--partition is {partition}, which spreads classes, {predicts}: use '
      f'{" or ".join(_WITHOUT_CLASSES)}.',
    ),
    (
      not is_class and config.protocol != 'validation',
      f'--protocol is {config.protocol}, which needs classes, {predicts}.',
    ),
    (
      not is_class and config.attack is not None and ATTACKS[config.attack].needs_classes,
      f'--attack is {config.attack}, which changes classes, {predicts}.',
    ),
    (
      not is_class and config.auxiliary is not None,
      f'--auxiliary is {config.auxiliary}, which needs classes, {predicts}.',
    ),
    (
      config.global_layers == split.AUTO and config.selection_metric not in (None, *of_splits),
      f'--selection_metric is {config.selection_metric}, but --global_layers=auto compares splits '
      f'by {" or ".join(of_splits)}.',
    ),
    (
      selected is not None and selected.pooling is None and scope == 'pooled',
      f'--selection_metric is {config.selection_metric}, which has no value over all '
      'clients together: use --selection_scope=client.',
    ),
  ]
  for name, given in (
    ('metrics', config.metrics or ()),
    ('selection_metric', tuple(filter(None, (config.selection_metric,)))),
  ):
    conflicts += [
      (
        metric not in fitting,
        f'--{name} is {metric}, {predicts}: expected {" or ".join(fitting)}.',
      )
      for metric in given
    ]
  for found, sentence in conflicts:
    if found:
      raise ConfigError(sentence)
