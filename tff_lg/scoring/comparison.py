"""The value of taking part for each client, against a baseline on the same clients."""

from typing import Any

import numpy as np
import pandas as pd

from tff_lg import client_gains, metric_names, seeds, verdicts
from tff_lg import config as config_lib
from tff_lg import metrics as metrics_lib
from tff_lg.scoring import results, scores

# Columns of a verdict in the table of clients, under `verdict_over/<method>/...`.
_OF_VERDICT = ('difference', 'low', 'high', 'adjusted_p_value', 'smallest_difference', 'verdict')


def add_baseline(
  clients: pd.DataFrame,
  method: str,
  baseline: tuple[dict[str, Any], pd.DataFrame],
  honest: np.ndarray,
  selection: config_lib.SelectionOptions,
  level: float,
) -> dict[str, Any]:
  """Adds a baseline's scores to the table of clients and compares them client by client.

  Args:
    clients: one row per client, scored; gets the columns `<method>/...` of the baseline's metrics.
      If both have the main metric of each test example, it gets `verdict_over/<method>/...`, too.
    method: of the baseline.
    baseline: its summary and its table of the same clients in the same order.
    honest: bool [num_clients], those that are compared.
    selection: of the run.
    level: the false discovery rate of the verdicts.

  Returns:
    The baseline's summary under its name, mean gains, shares of clients worse off, and the
    verdicts' summary under `verdict_over/<method>/...`.
  """
  summary, table = baseline
  found = {f'{method}/{name}': value for name, value in summary.items()}
  for column in results.metric_columns(table):
    clients[f'{method}/{column}'] = table[column].to_numpy()
  compared = scores.compared_columns(selection.model_metrics)
  for column in filter(clients.__contains__, compared):
    metric = metrics_lib.METRICS[metric_names.metric_of(column)]
    gains = client_gains.client_gains(
      clients[column][honest],
      clients[f'{method}/{column}'][honest],
      more_is_better=metric.more_is_better,
    )
    name = metric_names.gain_over(method, column)
    found[metric_names.mean(name)] = float(gains.mean())
    found[metric_names.share_worse(name)] = client_gains.share_worse(gains)
  of_examples = [n for n in (verdicts.MARKS, verdicts.VALUES) if n in clients and n in table]
  if of_examples:
    ours, other = clients[of_examples[0]], table[of_examples[0]].set_axis(clients.index)
    if of_examples == [verdicts.MARKS]:
      judged = verdicts.judge_marks(ours[honest], other[honest], level)
    else:
      is_better = selection.predicts.main.more_is_better
      judged = verdicts.judge_values(ours[honest], other[honest], level, more_is_better=is_better)
      found[metric_names.verdict_over(method, 'test')] = selection.predicts.verdict_test
    for name in _OF_VERDICT:
      clients[metric_names.verdict_over(method, name)] = judged[name].reindex(clients.index)
    seed = seeds.derive_seed(selection.seed, seeds.Purpose.VERDICTS)
    summarized = {'false_discovery_rate': level, **verdicts.summarize(judged, seed)}
    found |= {metric_names.verdict_over(method, k): value for k, value in summarized.items()}
  return found
