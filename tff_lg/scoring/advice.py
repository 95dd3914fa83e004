"""Which of several models each client should use, by its validation data."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from tff_lg import client_gains, metric_names
from tff_lg import config as config_lib
from tff_lg import metrics as metrics_lib
from tff_lg.config.option import resolved

# The mean over all clients counts as much as so many of a client's own validation examples: a few
# of these tell little.
_PRIOR_EXAMPLES = 30


def choose_models(
  values: Sequence[np.ndarray], sizes: np.ndarray, metric: metrics_lib.Metric
) -> np.ndarray:
  """Chooses a model for each client, by its own data as far as they can tell.

  The mean over all clients counts as 30 examples more. So a client with few examples, or none,
  mostly has the model that is best for all.

  Args:
    values: of each model a metric by client, float [num_clients]; what is not finite is the worst.
    sizes: examples by client, int [num_clients].
    metric: what the values are.

  Returns:
    The index of each client's model, int64 [num_clients]; the first of equals.
  """
  scores = []
  for of_clients in values:
    finite = np.where(np.isfinite(of_clients), of_clients, 0 if metric.more_is_better else np.inf)
    own = np.where(sizes > 0, finite, 0)
    # Where nobody has validation data, all models are equal and the first counts.
    pooled = sizes @ own / max(sizes.sum(), 1)
    scores.append(metric.sign * (sizes * own + _PRIOR_EXAMPLES * pooled))
  return np.argmax(np.stack(scores) / (sizes + _PRIOR_EXAMPLES), axis=0)


def add_advice(
  clients: pd.DataFrame,
  methods: Sequence[str],
  honest: np.ndarray,
  selection: config_lib.SelectionOptions,
) -> dict[str, Any]:
  """Adds the method that each client should use to the table of clients.

  Validation data choose, test data say what the choice is worth. A baseline whose models the
  validation data have chosen more often has a small advantage.

  Args:
    clients: one row per client, with the scores of the run and, under `<method>/...`, of baselines;
      gets `advice` and `advice/local_test/<metric>`.
    methods: of the run and, after it, of the baselines.
    honest: bool [num_clients], those that are advised.
    selection: of the run.

  Returns:
    By method `advice/<method>/num_clients`, and of the models advised the mean over clients and
    the mean gains over each method for all. Nothing where no validation data choose.
  """
  part, (_, *baselines) = selection.choices.choose_by, methods
  metric = metrics_lib.for_few_examples(resolved(selection.selection_metric))
  main = metric_names.local_test(selection.model_metrics[0])
  prefixes = ['', *(f'{method}/' for method in baselines)]
  needed = [f'{prefix}{name}' for prefix in prefixes for name in (f'{part}/{metric}', main)]
  if part != metric_names.VALIDATION or not baselines or not set(needed) <= set(clients):
    return {}
  values = [clients[f'{prefix}{part}/{metric}'].to_numpy() for prefix in prefixes]
  sizes = clients['num_validation'].to_numpy()
  chosen = choose_models(values, sizes, metrics_lib.METRICS[metric])
  # By objects, or pandas would make NaN of None.
  advised_methods = np.where(honest, np.array(methods, object)[chosen], None)
  clients[metric_names.ADVICE] = pd.Series(advised_methods, clients.index, object)
  tests = np.stack([clients[f'{prefix}{main}'].to_numpy() for prefix in prefixes])
  advised = np.where(honest, tests[chosen, np.arange(len(clients))], np.nan)
  column = f'{metric_names.ADVICE}/{main}'
  clients[column] = advised
  summary: dict[str, Any] = {
    metric_names.num_advised(method): int((clients[metric_names.ADVICE] == method).sum())
    for method in methods
  }
  summary[metric_names.mean(column)] = float(pd.Series(advised).mean())
  for method, of_method in zip(methods, tests, strict=True):
    gains = client_gains.client_gains(
      pd.Series(advised),
      pd.Series(of_method),
      more_is_better=metrics_lib.METRICS[selection.model_metrics[0]].more_is_better,
    )
    gain = f'{metric_names.ADVICE}/{metric_names.gain_over(method, main)}'
    summary[metric_names.mean(gain)] = float(gains.mean())
  return summary
