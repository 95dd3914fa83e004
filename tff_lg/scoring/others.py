"""Scores of each client's model on the test data of the other clients: how far it generalises.

The others' test examples are pooled, so that each example counts once. A mean over examples, such
as accuracy, is their sum over all examples without the client's own, divided by the number of the
others'. Other metrics, such as AUC, are those of the pooled examples taken together.
"""

import dataclasses
from collections.abc import Sequence

import numpy as np
import pandas as pd

from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg import learning, metric_names, progress
from tff_lg.scoring import scores
from tff_lg.training import client_data, evaluation, run_state, selection

# Of the copies of pooled examples that are in memory at a time, one per client.
_BYTES_AT_A_TIME = 2**28


@dataclasses.dataclass(frozen=True, eq=False)
class PooledTests:
  """The test examples of several clients, in memory.

  Attributes:
    examples: of all of them.
    owner: int [n], the index of the client that has each example.
  """

  examples: data_lib.Examples
  owner: np.ndarray

  def of_others(self, client: int) -> data_lib.Examples:
    """Returns the examples that are not this client's."""
    return self.examples.take(np.flatnonzero(self.owner != client))

  @property
  def clients_at_a_time(self) -> int:
    """Clients whose copies of the others' examples fit in memory, at least one."""
    return max(_BYTES_AT_A_TIME // max(self.examples.x.nbytes + self.examples.y.nbytes, 1), 1)


def pool_tests(
  options: config_lib.SelectionOptions,
  federated_data: data_lib.FederatedData,
  clients: np.ndarray | None,
) -> PooledTests | None:
  """Pools clients' test examples if `--score_on_others` asks for it; else returns None.

  Args:
    options: of the run.
    federated_data: the clients' data.
    clients: int [n], indices of the clients; None for all.
  """
  if not options.score_on_others:
    return None
  chosen = np.arange(len(federated_data.clients)) if clients is None else clients
  tests = [federated_data.clients[client].test for client in chosen]
  return PooledTests(data_lib.concatenate(tests), np.repeat(chosen, [len(test) for test in tests]))


def add_scores(
  clients: pd.DataFrame,
  pool: PooledTests,
  process: learning.LocalGlobalProcess,
  state: run_state.RunState | selection.ChosenModels,
) -> dict[str, float]:
  """Scores the chosen models on the others' test examples.

  A model whose global weights know each client is told whose examples they are.

  Args:
    clients: one row per client; gets a column `others_test/...` for each metric of the models. It
      is NaN for a client that is not evaluated, or whose others have no examples.
    pool: the test examples.
    process: the one that trained the models.
    state: after the last round.

  Returns:
    Mean and standard deviation over clients of the columns.
  """
  names = [metric_names.others_test(metric) for metric in process.model.metric_names]
  clients[names] = np.nan
  for of_group, weights, states in state.selection.groups(scores.evaluated_clients(clients)):
    server_state = state.server_state._replace(global_weights=weights)
    values = evaluate(process, server_state, states, of_group, pool)
    clients.loc[of_group, names] = np.stack([values[name] for name in names], axis=1)
  return {
    key: value
    for name in names
    for key, value in scores.over_clients(name, clients[name].to_numpy()).items()
  }


def evaluate(
  process: learning.LocalGlobalProcess,
  server_state: learning.ServerState,
  states: Sequence[learning.ClientState],
  clients: np.ndarray,
  pool: PooledTests,
) -> dict[str, np.ndarray]:
  """Evaluates models of clients, each on the others' examples.

  Args:
    process: that evaluates.
    server_state: the server's.
    states: of each client.
    clients: int [n], their indices.
    pool: the test examples.

  Returns:
    `others_test/...` of each metric of the models, float64 [n]; NaN where there are no examples.
  """
  found: dict[str, list[np.ndarray]] = {metric: [] for metric in process.model.metric_names}
  with progress.Bar(len(clients), 'client', "others' data", is_nested=True) as bar:
    for start in range(0, len(clients), pool.clients_at_a_time):
      some = slice(start, start + pool.clients_at_a_time)
      data = [client_data.to_tensors(pool.of_others(client)) for client in clients[some]]
      values = evaluation.evaluate_clients(process, server_state, states[some], data)
      for metric, of_metric in found.items():
        of_metric.append(values[metric])
      bar.update(len(data))
  return {metric_names.others_test(metric): np.concatenate(of) for metric, of in found.items()}
