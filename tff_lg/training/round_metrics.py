"""The metrics of a round, by name: what training showed, and how clients' models scored."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tff_lg import metric_names
from tff_lg import metrics as metrics_lib
from tff_lg.learning import server as server_lib
from tff_lg.training import communication, evaluation


def of_training(
  metrics: server_lib.RoundMetrics, traffic: communication.RoundTraffic
) -> dict[str, float]:
  """Returns the metrics of a round of training, and all communication so far."""
  return {
    metric_names.TRAIN_LOSS: float(metrics.loss),
    metric_names.TRAIN_NUM_EXAMPLES: int(metrics.num_examples),
    metric_names.TRAIN_NUM_CLIENTS: int(metrics.num_clients),
    metric_names.NUM_CLIENTS_LEFT_OUT: int(metrics.num_clients_left_out),
    metric_names.PARAMETERS_TOTAL: traffic.parameters,
    metric_names.BYTES_TOTAL: traffic.bytes,
    **_scalars('aggregator', metrics.aggregator),
  }


def of_evaluation(
  values: Mapping[str, evaluation.ClientValues],
  num_examples: Mapping[str, np.ndarray],
  groups: Mapping[str, Sequence[int]],
) -> dict[str, float]:
  """Summarizes the scores of clients' models over groups of clients.

  Args:
    values: of all clients, by part.
    num_examples: of all clients, by part; 0 of clients that were not evaluated.
    groups: clients by index, by what their metrics' names begin with.

  Returns:
    `<group><part>/<metric>/` `mean_over_clients`, `std_over_clients` and `pooled`, over clients
    with examples, NaN where one of them has NaN; nothing for a group without examples. Clients
    whose examples do not define a metric, such as AUC, do not count in it. `pooled` is left out
    where it does not follow from clients' values.
  """
  metrics = {}
  for name, of_part in values.items():
    for group, clients in groups.items():
      size = num_examples[name][clients]
      if not size.any():
        continue
      for metric, value in of_part.items():
        column, of_group = f'{group}{name}/{metric}', value[clients]
        of_evaluated = of_group[evaluation.defined(of_part, num_examples[name], metric)[clients]]
        if not len(of_evaluated):
          continue
        metrics[metric_names.mean(column)] = float(np.mean(of_evaluated))
        metrics[metric_names.std(column)] = float(np.std(of_evaluated))
        entry = metrics_lib.METRICS.get(metric)
        if entry is None or entry.pooling is not None:
          metrics[metric_names.pooled(column)] = evaluation.pooled(of_group, size, metric)
  return metrics


def for_progress_bar(metrics: Mapping[str, float]) -> dict[str, str]:
  """Returns the metrics to watch during training."""
  shown = {}
  if metric_names.TRAIN_LOSS in metrics:
    shown['loss'] = f'{metrics[metric_names.TRAIN_LOSS]:.4f}'
  if metric_names.EPSILON in metrics:
    shown['epsilon'] = f'{metrics[metric_names.EPSILON]:.3g}'
  return shown


def _scalars(prefix: str, measurements: Any) -> dict[str, float]:
  """Returns the aggregator's measurements that are single numbers, by their names."""
  if isinstance(measurements, Mapping):
    named = measurements.items()
    return {k: v for name, value in named for k, v in _scalars(f'{prefix}/{name}', value).items()}
  return {prefix: float(measurements)} if np.ndim(measurements) == 0 else {}
