"""Costs of a round to a client, from the summary and the rounds of a run."""

import math

from tff_lg import metric_names
from tff_lg.analysis.run_folder import RunFolder


def flops_per_round(run: RunFolder) -> float:
  """Computes the mean FLOPs of a client in a round that it takes part in.

  It multiplies the FLOPs per example by the examples per client and round. The summary has the
  FLOPs from the graph of a training step. An example counts once per epoch.

  Args:
    run: with rounds.

  Returns:
    The mean over clients and rounds; NaN where the run does not say it.
  """
  examples = run.curve(metric_names.TRAIN_NUM_EXAMPLES).sum()
  clients = run.curve(metric_names.TRAIN_NUM_CLIENTS).sum()
  return (
    run.value(metric_names.client_cost('flops_per_example')) * examples / clients
    if clients
    else math.nan
  )


def memory_bytes(run: RunFolder) -> float:
  """Returns the estimated peak memory of a client's training step; NaN where it is not known."""
  return run.value(metric_names.client_cost('memory_bytes'))
