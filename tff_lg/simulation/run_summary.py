"""The table of clients and the summary of a run, made after its last round."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import pandas as pd

from tff_lg import learning, metric_names, own_models, training
from tff_lg.config.option import resolved
from tff_lg.inputs import held_out
from tff_lg.run_folder import changed_settings, goals, run_files
from tff_lg.scoring import advice, comparison, others, results, scores
from tff_lg.simulation import adversary as adversary_lib
from tff_lg.simulation import aggregation, planned_run
from tff_lg.training import run_state

# A method -> the summary and the table of clients of its run.
Baselines = Mapping[str, tuple[dict[str, Any], pd.DataFrame]]


@attrs.frozen(kw_only=True, eq=False)
class EndedRun:
  """A run after its last round.

  Attributes:
    plan: its phases, and the warm start of its config, have the rounds that were run.
    participants: the clients' data, as they were trained on.
    state: after the last round.
    evaluated: the clients that are evaluated, by index; None for all.
    ends: entries of the summary on why rounds ended before the last one.
  """

  plan: planned_run.PlannedRun
  participants: training.Clients
  state: run_state.RunState
  evaluated: np.ndarray | None
  ends: Mapping[str, Any]

  @property
  def process(self) -> learning.LocalGlobalProcess:
    """Returns the process of the last phase."""
    return self.plan.phases[-1].process


def summarize(ended: EndedRun, baselines: Baselines) -> tuple[dict[str, Any], pd.DataFrame]:
  """Scores clients' models and compares them with the baselines.

  Args:
    ended: the run. If there are held-out clients, their table is written to its folder.
    baselines: runs on the same data.

  Returns:
    The summary and the table of clients, as in the run folder.
  """
  plan, state, process = ended.plan, ended.state, ended.process
  config, federated_data, adversary = plan.config, plan.federated_data, plan.adversary
  selection = config.selection_options
  clients, of_clients = results.score_clients(
    federated_data,
    process,
    state,
    ended.participants.parts,
    ended.evaluated,
    others.pool_tests(selection, federated_data, ended.evaluated),
  )
  summary = {
    **results.summarize_clients(config.method, selection, clients),
    **results.summarize_optimism(selection, state.selection),
    **results.summarize_rounds(
      plan.phases, state, plan.num_clients, resolved(config.clients_per_round)
    ),
    **of_clients,
    **changed_settings.summarize(plan.run_dir),
    **ended.ends,
    **goals.summarize_goals(plan.run_dir, config.goal_accuracy or (), config.model_metrics[0]),
    **scores.score_unknown_client(config.task_options, federated_data, process, state),
    **plan.chosen,
  }
  if ended.evaluated is not None:
    summary[metric_names.NUM_EVALUATED] = len(ended.evaluated)
  if plan.budget is not None:
    summary.update(aggregation.summarize_budget(plan.budget, config))
  honest = np.full(len(clients), True)
  if adversary is not None:
    honest = ~adversary.is_malicious
    summary.update(adversary_lib.add_scores(adversary, clients, federated_data, process, state))
  if not learning.METHODS[config.method].sends_updates:
    num_rounds = state.round_num - config.warm_start_rounds
    client_epochs = config.client_epochs or 1
    summary.update(
      own_models.add_participation(clients, config.sampling_options, num_rounds, client_epochs)
    )
  for method, baseline in baselines.items():
    summary.update(
      comparison.add_baseline(clients, method, baseline, honest, selection, config.level)
    )
    clients = clients.copy()  # As one block: pandas warns of tables made of many columns.
  summary.update(advice.add_advice(clients, (config.method, *baselines), honest, selection))
  # Where all is local there is no model for those that took no part.
  if federated_data.held_out and state.server_state.global_weights:
    summary.update(_score_held_out(ended))
  return summary, clients


def _score_held_out(ended: EndedRun) -> dict[str, float]:
  """Scores the model on clients that took no part, and writes their table."""
  plan, state, process = ended.plan, ended.state, ended.process
  alone = held_out.as_participants(plan.federated_data)
  parts = training.to_clients(alone).parts
  selection = held_out.select_models(
    process,
    state.selection,
    (state.round_num, state.server_state.global_weights),
    state.start_weights,
    parts['train'],
  )
  clients, of_clients = results.score_clients(
    alone,
    process,
    dataclasses.replace(state, selection=selection),
    parts,
    # Of text it is scored on the mean of all weights, which says nothing of these clients.
    with_new_test=not alone.has_sequences,
  )
  held_out.add_validation_clients(plan.config.input_options, clients)
  run_files.write_held_out_clients(plan.run_dir, clients)
  return held_out.summarize(of_clients, clients, process.model.metric_names)
