"""The results of a run: a table of clients with the scores of their models, and a summary."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from absl import logging

from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg import learning, metric_names, models
from tff_lg import metrics as metrics_lib
from tff_lg.config.option import resolved
from tff_lg.scoring import others, scores
from tff_lg.training import communication, evaluation, plan, run_state, selection

# Data that a metric of the table of clients can be of.
_SCORED = (*evaluation.PARTS, metric_names.PARTICIPANT_TEST, metric_names.OTHERS_TEST)
# Methods whose rounds every summary has, 0 without any.
_ALWAYS_COUNTED = ('fedavg', 'lg_fedavg')


def known_end(summary: Mapping[str, Any]) -> dict[str, Any]:
  """Returns the option, by name, of a run whose warm start has the rounds that it had."""
  rounds = summary.get(metric_names.WARM_START_ROUNDS)
  return {} if rounds is None else {'warm_start_rounds': int(rounds)}


def summarize_ends(
  selection: config_lib.SelectionOptions, phases: Sequence[plan.Phase], state: run_state.RunState
) -> dict[str, Any]:
  """Summarizes why rounds ended before the last one.

  Args:
    selection: of the run.
    phases: as they were planned.
    state: after the last round.

  Returns:
    Rounds of a warm start with a goal, and whether it was reached; the same of the method's rounds;
    rounds that were saved. Nothing for a run without goals and early stopping.
  """
  summary: dict[str, Any] = {}
  if selection.warm_start_until is not None:
    summary[metric_names.WARM_START_ROUNDS] = state.phase_start
    summary[metric_names.is_reached('warm_start_until')] = int(0 in state.goals_reached)
  if selection.rounds_until is not None:
    summary[metric_names.is_reached('rounds_until')] = int(len(phases) - 1 in state.goals_reached)
  if selection.rounds_until is not None or selection.early_stopping_rounds is not None:
    summary[metric_names.ROUNDS_SAVED] = state.last_round(phases) - state.round_num
  for name in ('warm_start_until', 'rounds_until'):
    if summary.get(metric_names.is_reached(name)) == 0:
      logging.warning('--%s=%s was not reached.', name, getattr(selection, name))
  return summary


def metric_columns(table: pd.DataFrame) -> list[str]:
  """Returns the columns of a table of clients that are metrics of their models."""
  names = [name.split('/') for name in table]
  return [
    '/'.join(parts)
    for parts in names
    if len(parts) == 2 and parts[0] in _SCORED and parts[1] in metrics_lib.METRICS
  ]


def score_clients(
  federated_data: data_lib.FederatedData,
  process: learning.LocalGlobalProcess,
  state: run_state.RunState | selection.ChosenModels,
  client_data: Mapping[str, Sequence[learning.ClientTensors]],
  evaluated: np.ndarray | None = None,
  pool: others.PooledTests | None = None,
  *,
  with_new_test: bool = True,
) -> tuple[pd.DataFrame, dict[str, float]]:
  """Scores clients' chosen models on their own data and on the common test set.

  Args:
    federated_data: the clients' data.
    process: the one that trained the models.
    state: after training, with the models that were chosen.
    client_data: each client's tensors, by part.
    evaluated: the clients that are scored, by index; None for all.
    pool: test data of several clients, on which the others' models are scored, too; None for none.
    with_new_test: whether the common test set counts.

  Returns:
    One row per client, and the scores over clients by name.
  """
  clients = size_table(federated_data, process.model, client_data, evaluated)
  clients['best_round'] = state.selection.best_round
  for name, part in evaluation.PARTS.items():
    values = evaluation.evaluate_selected(
      process, state.server_state, state.selection, client_data[part], evaluated
    )
    for metric in (*process.model.metric_names, 'loss'):
      clients[f'{name}/{metric}'] = values[metric]
  summary = scores.add_scores(clients, federated_data, process, state)
  if with_new_test:
    summary.update(scores.add_new_test(clients, federated_data, process, state))
  if pool is not None:
    summary.update(others.add_scores(clients, pool, process, state))
  return clients, summary


def size_table(
  federated_data: data_lib.FederatedData,
  model: models.LocalGlobalModel,
  client_data: Mapping[str, Sequence[learning.ClientTensors]],
  evaluated: np.ndarray | None,
) -> pd.DataFrame:
  """Builds the table of clients as it is before any model is scored.

  Args:
    federated_data: the clients' data.
    model: that counts examples.
    client_data: each client's tensors, by part.
    evaluated: the clients that are scored, by index; None for all.

  Returns:
    One row per client: its id and sizes, for text in tokens. Columns that need all clients' data
    are left out if these are read when needed.
  """
  clients = federated_data.clients
  num_classes = federated_data.num_classes_of_clients()
  table = pd.DataFrame(
    {
      'client_id': [client.client_id for client in clients],
      **{
        f'num_{part}': evaluation.count_examples(model, client_data[part])
        for part in ('train', 'validation', 'test')
      },
      **({} if num_classes is None else {'num_classes': num_classes}),
    }
  )
  if evaluated is not None:
    table[metric_names.IS_EVALUATED] = np.isin(np.arange(len(clients)), evaluated)
  return table


def summarize_clients(
  method: str,
  selection: config_lib.SelectionOptions,
  clients: pd.DataFrame,
  metrics: Sequence[str] | None = None,
) -> dict[str, Any]:
  """Summarizes the table of clients.

  Args:
    method: of the run.
    selection: of the run.
    clients: as `score_clients` gives it.
    metrics: columns that are summarized, where the table has them; those of the models' own
      metrics by default.

  Returns:
    Method, note on the protocol, and mean and standard deviation of each metric over clients.
  """
  summary: dict[str, Any] = {'method': method, metric_names.PROTOCOL_NOTE: selection.choices.note}
  if metrics is None:
    own = (*selection.model_metrics, 'loss')
    metrics = [f'{part}/{metric}' for part in evaluation.PARTS for metric in own]
  for name in filter(clients.__contains__, metrics):
    summary |= scores.over_clients(name, clients[name].to_numpy())
  return summary


def summarize_optimism(
  options: config_lib.SelectionOptions, chosen: selection.ModelSelection
) -> dict[str, float]:
  """Summarizes what a choice on test data would show; it is beside a run's figures, never in them.

  Args:
    options: of the run.
    chosen: after the last round.

  Returns:
    The best value of the selection metric on local test data over the evaluated rounds of the last
    phase: its mean over clients, or the pooled value by which the run chooses. Nothing where test
    data have chosen the models.
  """
  known = np.array([]) if chosen.test_score is None else chosen.test_score
  known = known[np.isfinite(known)]
  if not len(known):
    return {}
  metric = resolved(options.selection_metric)
  over_clients = metric_names.pooled if options.selection_scope == 'pooled' else metric_names.mean
  name = metric_names.optimistic(over_clients(metric_names.local_test(metric)))
  return {name: metrics_lib.sign(metric) * float(known.mean())}


def summarize_rounds(
  phases: Sequence[plan.Phase], state: run_state.RunState, num_clients: int, clients_per_round: int
) -> dict[str, Any]:
  """Summarizes rounds and communication of a run.

  Args:
    phases: that it ran.
    state: after the last round.
    num_clients: how many clients there are.
    clients_per_round: the cohort.

  Returns:
    Rounds by method, and the parameters and bytes sent. Also the parameters and bytes if every
    round's broadcast went to all clients. The number of void rounds, if there are any, and since
    when the model may be ruined. The cost of steps to a client, where the graph tells.
  """
  rounds_of = {phase.method: phase.num_rounds for phase in phases}
  summary: dict[str, Any] = {
    learning.METHODS[method].rounds_entry: number
    for method, number in (dict.fromkeys(_ALWAYS_COUNTED, 0) | rounds_of).items()
  }
  if state.num_void:
    summary[metric_names.NUM_VOID_ROUNDS] = state.num_void
  if state.warning:
    summary[metric_names.TRAINING_WARNING] = state.warning
  summary[metric_names.PARAMETERS_TOTAL] = state.traffic.parameters
  summary[metric_names.BYTES_TOTAL] = state.traffic.bytes
  to_all = sum(
    (
      communication.count_round(phase.process, num_clients, clients_per_round) * phase.num_rounds
      for phase in phases
    ),
    communication.RoundTraffic(),
  )
  summary[metric_names.PARAMETERS_TO_ALL] = to_all.parameters
  summary[metric_names.BYTES_TO_ALL] = to_all.bytes
  if phases and phases[-1].process.step_cost is not None:
    costs = phases[-1].process.step_cost()._asdict()
    summary |= {
      metric_names.client_cost(name): value for name, value in costs.items() if math.isfinite(value)
    }
  return summary
