"""A whole run: data, model, baselines, rounds, and what is written of them."""

import dataclasses
import os
import time
from typing import Any

import attrs
from absl import logging

from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg import file_names, folder_lock, models, own_models, progress, training
from tff_lg.config.option import resolved
from tff_lg.inputs import tasks
from tff_lg.run_folder import (
  adopted_rounds,
  changed_settings,
  data_fingerprint,
  mending,
  run_files,
  run_settings,
  tuned_rate,
  warm_start,
)
from tff_lg.scoring import results
from tff_lg.simulation import adversary as adversary_lib
from tff_lg.simulation import loop_values, planned_run, run_summary, split_choice, tuning


def run_experiment(
  config: config_lib.TrainConfig,
  run_dir: str,
  began: float | None = None,
  shared: planned_run.SharedRounds | None = None,
) -> dict[str, Any]:
  """Runs a config in its folder, with its baselines; resumes where an earlier call stopped.

  Args:
    config: resolved.
    run_dir: made if need be.
    began: when the command began, by `time.monotonic`; now by default.
    shared: rounds that another run has as well; none by default.

  Returns:
    The summary, as in `summary.json`.

  Raises:
    ValueError: the folder holds a run of another config, or the data or the config
      cannot be used; one sentence.
    training.RunError: training cannot continue.
  """
  run_settings.check(run_dir, config)
  began = time.monotonic() if began is None else began
  with progress.stage('loading data'):
    federated_data = tasks.load_data(config.input_options)
  task = tasks.find_task(config.task_options)
  config = config_lib.with_cohort(config, len(federated_data.clients), task.client_fraction)
  model = tasks.build_model(config.input_options, federated_data)
  return _run(config, federated_data, model, run_dir, began, shared)


def _run(
  config: config_lib.TrainConfig,
  federated_data: data_lib.FederatedData,
  model: models.LocalGlobalModel,
  run_dir: str,
  began: float,
  shared: planned_run.SharedRounds | None = None,
) -> dict[str, Any]:
  """Runs one config and, before it, its baselines, on the same data."""
  plan = planned_run.plan_run(config, federated_data, model, run_dir)
  source = warm_start.find_source(config.warm_start_from, run_dir)
  config_lib.check_warm_start(config, source)
  if source is not None:
    data_fingerprint.check_data(source.folder, federated_data, warm_start.OPTION)
  plan = attrs.evolve(plan, shared=shared or _shared_with_baseline(plan))
  with folder_lock.hold(run_dir):
    try:
      return _run_planned(plan, began)
    except training.DivergenceError as error:
      changed_settings.mark_diverged(run_dir, str(error))
      raise


def _run_planned(plan: planned_run.PlannedRun, began: float) -> dict[str, Any]:
  """Runs what is not yet complete, in a folder that nobody else writes to."""
  config, run_dir = plan.config, plan.run_dir
  run_settings.claim(run_dir, config)
  data_fingerprint.check_data(run_dir, plan.federated_data)
  if not run_settings.is_complete(run_dir):
    data_fingerprint.write_fingerprint(run_dir, plan.federated_data)
  baselines = _run_baselines(plan)
  if run_settings.is_complete(run_dir) and mending.mend(run_dir):
    return run_files.load_results(run_dir)[0]
  _adopt_warm_start(plan)
  logging.info('%s in %s', config.method, run_dir)
  if config.trains_to_best:
    return own_models.run_own_models(
      config.local_learning_options,
      plan.federated_data,
      plan.model,
      run_dir,
      method=config.method,
      began=began,
    )
  ended = _train(_make_choices(plan))
  summary, clients = run_summary.summarize(ended, baselines)
  ended.state.clients.close()
  seconds = run_files.Seconds(time.monotonic() - began, ended.state.seconds)
  run_files.write_results(run_dir, summary, clients, seconds, ended.state.round_num)
  return summary


def _run_baselines(plan: planned_run.PlannedRun) -> run_summary.Baselines:
  """Runs the baselines in folders of their own; gives their results."""
  baselines = {}
  methods = resolved(plan.config.baselines)
  for number, method in enumerate(methods, 1):
    folder, shared = _baseline_dir(plan, method), planned_run.SharedRounds()
    if folder == plan.shared.taken_from:
      shared = planned_run.SharedRounds(kept_round=plan.config.warm_start_rounds)
    config = dataclasses.replace(
      config_lib.as_baseline(plan.config, method), **run_settings.finished_rates(folder)
    )
    with progress.part(f'baseline {number} of {len(methods)}'):
      _run(config, plan.federated_data, plan.model, folder, time.monotonic(), shared)
    baselines[method] = run_files.load_results(folder)
  return baselines


def _baseline_dir(plan: planned_run.PlannedRun, method: str) -> str:
  return os.path.join(plan.run_dir, file_names.BASELINES, method)


def _adopt_warm_start(plan: planned_run.PlannedRun) -> None:
  """Takes over the rounds of FedAvg that another run, or a baseline, has trained."""
  config, run_dir = plan.config, plan.run_dir
  if config.warm_start_from is not None:
    adopted_rounds.adopt(config.warm_start_from, run_dir)
  if (source := plan.shared.taken_from) is not None:
    rates = run_settings.finished_rates(source)
    # Either run may have been resumed with lower ones.
    are_same = all(getattr(config, name) == rate for name, rate in rates.items())
    if are_same and changed_settings.has_one_setting(source):
      adopted_rounds.adopt(source, run_dir, config.warm_start_rounds)


def _shared_with_baseline(plan: planned_run.PlannedRun) -> planned_run.SharedRounds:
  """Returns the rounds that a run has in common with one of its baselines."""
  baseline = config_lib.find_warm_start_baseline(plan.config)
  taken_from = None if baseline is None else _baseline_dir(plan, baseline)
  return planned_run.SharedRounds(taken_from=taken_from)


def _make_choices(plan: planned_run.PlannedRun) -> planned_run.PlannedRun:
  """Chooses the learning rate and the split, where they are to be chosen; writes the inputs."""
  told = ''
  if plan.config.tune != 'none':
    tuned = None
    if changed_settings.changed(plan.run_dir) == {'rounds'}:
      tuned = tuned_rate.load_tuned_rate(plan.run_dir)  # With which the rounds before were run.
    plan = plan.with_choice(
      tuned
      or tuning.tune_learning_rate(
        plan.config,
        plan.run_dir,
        lambda trial, folder: _run(
          trial, plan.federated_data, plan.model, folder, time.monotonic()
        ),
      )
    )
  if plan.config.picks_split:
    choice = split_choice.choose_split(plan)
    plan, told = plan.with_choice(choice), choice.describe()
  run_files.write_inputs(plan.run_dir, plan.federated_data, plan.phases[-1].process.model, told)
  return plan


def _train(plan: planned_run.PlannedRun) -> run_summary.EndedRun:
  """Runs all rounds, or those that are left.

  Raises:
    training.RunError: training cannot continue, or no client took part in any round.
  """
  config, adversary = plan.config, plan.adversary
  participants = training.to_clients(
    adversary_lib.poison(adversary, plan.federated_data, config.seed)
    if adversary
    else plan.federated_data,
    adversary.is_malicious if adversary else None,
  )
  values = loop_values.loop_values(config, plan.num_clients, plan.run_dir)
  if config.early_stopping_rounds is not None:
    values['callbacks'].append(training.EarlyStopping(config.early_stopping_rounds))
  values |= {'budget': plan.budget, 'kept_round': plan.shared.kept_round}
  state = training.run(plan.phases, participants, **values)
  if 0 < state.round_num == state.num_empty:
    raise training.RunError(
      f'No client took part in any of the {state.round_num} rounds: nothing was learnt. Expected '
      'clients with training examples, a lower --client_dropout_rate or more --clients_per_round.'
    )
  ends = results.summarize_ends(config.selection_options, plan.phases, state)
  config = dataclasses.replace(config, **results.known_end(ends))
  num_saved = config.total_rounds - state.round_num
  phases = list(plan.phases)
  phases[0] = dataclasses.replace(phases[0], num_rounds=state.phase_start or phases[0].num_rounds)
  phases[-1] = dataclasses.replace(phases[-1], num_rounds=phases[-1].num_rounds - num_saved)
  return run_summary.EndedRun(
    plan=attrs.evolve(plan, config=config, phases=tuple(phases)),
    participants=participants,
    state=state,
    evaluated=values['evaluation'].clients,
    ends=ends,
  )
