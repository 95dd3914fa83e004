"""A whole run: data, model, phases, rounds, baselines, evaluation, and what is written."""

import contextlib
import dataclasses
import functools
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from absl import logging

from tff_lg import (
  aggregators,
  file_names,
  folder_lock,
  learning,
  metric_names,
  models,
  own_models,
  progress,
  training,
)
from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg.config.option import resolved
from tff_lg.inputs import held_out, tasks
from tff_lg.run_folder import (
  changed_settings,
  data_fingerprint,
  goals,
  mending,
  run_files,
  run_settings,
)
from tff_lg.scoring import advice, comparison, others, results, scores
from tff_lg.simulation import adversary as adversary_lib
from tff_lg.simulation import aggregation, layer_variances, loop_values, split_choice, tuning
from tff_lg.training import client_data as client_data_lib
from tff_lg.training import cohorts, evaluation, run_state

# The method of the rounds before the method's own.
_WARM_START = 'fedavg'


def run_experiment(
  config: config_lib.TrainConfig, run_dir: str, began: float | None = None
) -> dict[str, Any]:
  """Runs a config in its folder, with its baselines; resumes where an earlier call stopped.

  Args:
    config: resolved.
    run_dir: made if need be.
    began: when the command began, by `time.monotonic`; now by default.

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
  return _run(config, federated_data, model, run_dir, began)


def _run(
  config: config_lib.TrainConfig,
  federated_data: data_lib.FederatedData,
  model: models.LocalGlobalModel,
  run_dir: str,
  began: float,
) -> dict[str, Any]:
  """Runs one config and, before it, its baselines, on the same data."""
  with contextlib.ExitStack() as held:
    try:
      summary = _run_locked(config, federated_data, model, run_dir, began, held)
    except training.DivergenceError as error:
      changed_settings.mark_diverged(run_dir, str(error))
      raise
  return summary


def _run_locked(
  config: config_lib.TrainConfig,
  federated_data: data_lib.FederatedData,
  model: models.LocalGlobalModel,
  run_dir: str,
  began: float,
  held: contextlib.ExitStack,
) -> dict[str, Any]:
  """Runs the config; `held` gets the folder's lock once the config is known to be good."""
  num_clients = len(federated_data.clients)
  sampling, selection = config.sampling_options, config.selection_options
  budget = aggregation.build_budget(
    config.aggregation_options, sampling, num_clients, config.total_rounds
  )
  adversary = adversary_lib.build_adversary(
    config.attack_options,
    config.aggregation_options,
    sampling,
    config.training_options,
    num_clients,
  )
  phases_of = functools.partial(
    build_phases,
    model=model,
    budget=budget,
    adversary=adversary,
    auxiliary=tasks.build_auxiliary(config.input_options, config.method_options, federated_data),
    num_clients=num_clients,
  )
  phases = phases_of(config)
  _check_choosing(selection, federated_data, model, has_rounds=not config.trains_to_best)
  if config.picks_split:
    layer_variances.check_clients(federated_data)
  if budget is not None:
    aggregation.tell_privacy(aggregation.summarize_budget(budget, config), config.total_rounds)
  held.enter_context(folder_lock.hold(run_dir))
  run_settings.claim(run_dir, config)
  data_fingerprint.check_data(run_dir, federated_data)
  if not run_settings.is_complete(run_dir):
    data_fingerprint.write_fingerprint(run_dir, federated_data)
  baselines = {}
  methods = resolved(config.baselines)
  for number, method in enumerate(methods, 1):
    baseline_dir = os.path.join(run_dir, file_names.BASELINES, method)
    baseline_config = dataclasses.replace(
      config_lib.as_baseline(config, method), **run_settings.finished_rates(baseline_dir)
    )
    with progress.part(f'baseline {number} of {len(methods)}'):
      _run(baseline_config, federated_data, model, baseline_dir, time.monotonic())
    baselines[method] = run_files.load_results(baseline_dir)
  if run_settings.is_complete(run_dir) and mending.mend(run_dir):
    return run_files.load_results(run_dir)[0]
  logging.info('%s in %s', config.method, run_dir)
  if config.trains_to_best:
    return own_models.run_own_models(
      config.local_learning_options,
      federated_data,
      model,
      run_dir,
      method=config.method,
      began=began,
    )
  choice = None
  tuned = None
  if config.tune != 'none':
    if changed_settings.changed(run_dir) == {'rounds'}:
      tuned = tuning.load_tuned_rate(run_dir)  # With which the rounds before were run.
    tuned = tuned or tuning.tune_learning_rate(
      config,
      run_dir,
      lambda trial, folder: _run(trial, federated_data, model, folder, time.monotonic()),
    )
    config = dataclasses.replace(config, **tuned.changes())
    phases = phases_of(config)
  if config.picks_split:
    choice = split_choice.choose_split(config, federated_data, run_dir, phases_of)
    config = dataclasses.replace(config, **choice.changes())
    phases = phases_of(config)
  last = phases[-1].process
  run_files.write_inputs(
    run_dir, federated_data, last.model, '' if choice is None else choice.describe()
  )
  participants = training.to_clients(
    adversary_lib.poison(adversary, federated_data, config.seed) if adversary else federated_data,
    adversary.is_malicious if adversary else None,
  )
  values = loop_values.loop_values(config, num_clients, run_dir)
  if config.early_stopping_rounds is not None:
    values['callbacks'].append(training.EarlyStopping(config.early_stopping_rounds))
  state = training.run(phases, participants, budget=budget, **values)
  of_ends = results.summarize_ends(selection, phases, state)
  config = dataclasses.replace(config, **results.known_end(of_ends))
  phases[0] = dataclasses.replace(phases[0], num_rounds=state.phase_start or phases[0].num_rounds)
  rounds_saved = config.total_rounds - state.round_num
  phases[-1] = dataclasses.replace(phases[-1], num_rounds=phases[-1].num_rounds - rounds_saved)
  if 0 < state.round_num == state.num_empty:
    raise training.RunError(
      f'No client took part in any of the {state.round_num} rounds: nothing was learnt. Expected '
      'clients with training examples, a lower --client_dropout_rate or more --clients_per_round.'
    )

  evaluated = values['evaluation'].clients
  pool = others.pool_tests(selection, federated_data, evaluated)
  clients, of_clients = results.score_clients(
    federated_data, last, state, participants.parts, evaluated, pool
  )
  summary = {
    **results.summarize_clients(config.method, selection, clients),
    **results.summarize_rounds(phases, state, num_clients, resolved(config.clients_per_round)),
    **of_clients,
    **changed_settings.summarize(run_dir),
  }
  summary.update(of_ends)
  summary.update(
    goals.summarize_goals(run_dir, config.goal_accuracy or (), config.model_metrics[0])
  )
  summary.update(scores.score_unknown_client(config.task_options, federated_data, last, state))
  if tuned is not None:
    summary.update(tuned.summary())
  if choice is not None:
    summary.update(choice.summary())
  if evaluated is not None:
    summary[metric_names.NUM_EVALUATED] = len(evaluated)
  if budget is not None:
    summary.update(aggregation.summarize_budget(budget, config))
  if adversary is not None:
    summary.update(adversary_lib.add_scores(adversary, clients, federated_data, last, state))
  honest = np.full(len(clients), True) if adversary is None else ~adversary.is_malicious
  if not learning.METHODS[config.method].sends_updates:
    num_rounds, client_epochs = config.rounds - rounds_saved, config.client_epochs or 1
    summary.update(own_models.add_participation(clients, sampling, num_rounds, client_epochs))
  for method, baseline in baselines.items():
    summary.update(
      comparison.add_baseline(clients, method, baseline, honest, selection, config.level)
    )
    clients = clients.copy()  # As one block: pandas warns of tables made of many columns.
  summary.update(advice.add_advice(clients, (config.method, *baselines), honest, selection))
  # Where all is local there is no model for those that took no part.
  if federated_data.held_out and state.server_state.global_weights:
    summary.update(_score_held_out(config.input_options, federated_data, last, state, run_dir))
  state.clients.close()
  seconds = run_files.Seconds(time.monotonic() - began, state.seconds)
  run_files.write_results(run_dir, summary, clients, seconds, state.round_num)
  return summary


def _check_choosing(
  selection: config_lib.SelectionOptions,
  federated_data: data_lib.FederatedData,
  model: models.LocalGlobalModel,
  *,
  has_rounds: bool,
) -> None:
  """Refuses data without any example to choose models by, or to stop early by."""

  def num_examples(part: str) -> np.ndarray:
    return evaluation.count_examples(model, client_data_lib.part_tensors(federated_data, part))

  if selection.early_stopping_rounds is not None and not num_examples('validation').any():
    raise ValueError(
      '--early_stopping_rounds looks at validation data, but no client has a validation example: '
      'give clients more examples, or a larger --validation_fraction.'
    )
  num_clients = len(federated_data.clients)
  evaluated = cohorts.draw_evaluated(num_clients, selection.max_evaluated_clients, selection.seed)
  part = evaluation.PARTS[selection.choices.choose_by]
  if evaluated is None or not has_rounds or num_examples(part)[evaluated].any():
    return
  raise ValueError(
    f'--max_evaluated_clients is {len(evaluated)}, but none of the clients drawn has {part} '
    'examples to choose models by: evaluate more.'
  )


def build_phases(
  config: config_lib.TrainConfig,
  model: models.LocalGlobalModel,
  budget: aggregators.PrivacyBudget | None = None,
  adversary: adversary_lib.Adversary | None = None,
  auxiliary: models.AuxiliaryNetwork | None = None,
  num_clients: int | None = None,
) -> list[training.Phase]:
  """Builds the processes of the warm start, if there is one, and of the method.

  Args:
    config: resolved, with its cohort. Where its split is still to be picked, there is no phase
      but the warm start.
    model: with every weight global.
    budget: of a private run.
    adversary: of a run under attack.
    auxiliary: network on the local representation, if there is one.
    num_clients: that cohorts are sampled from; only rounds need it.

  Returns:
    The phases, in order.
  """
  of_method = warm_start = config.training_options
  if config.choices.warm_start_learning_rate is not None:
    rate = config.choices.warm_start_learning_rate
    warm_start = dataclasses.replace(warm_start, client_learning_rate=rate)
  wanted = (
    (warm_start, _WARM_START, config.warm_start_rounds, 'warm_start_until'),
    (
      warm_start if config.method == _WARM_START else of_method,
      config.method,
      0 if config.picks_split else config.rounds,
      'rounds_until',
    ),
  )
  task, cohort_share = config.task_options, None
  if num_clients is not None:
    cohort_share = resolved(config.clients_per_round) / num_clients
  phases = []
  for index, (of_phase, method, num_rounds, until) in enumerate(wanted):
    if num_rounds:
      settings = dataclasses.replace(
        _settings(of_phase, num_rounds, tasks.find_task(task).augment),
        aggregator=aggregation.build_aggregator(
          config.aggregation_options, config.sampling_options, config.method, index, budget
        ),
        update_attack=adversary.attack.update_attack if adversary else None,
      )
      options = _method_options(method, config.method_options, task, model, auxiliary, cohort_share)
      process = learning.METHODS[method].build_process(model, settings, **options)
      goal = config_lib.find_goal(config, until)
      start_from, ends = config.choices.warm_start_from, goal and goal.is_reached
      phases.append(training.Phase(method, process, num_rounds, start_from, ends))
  return phases


def _method_options(
  method: str,
  given: config_lib.MethodOptions,
  task: config_lib.TaskOptions,
  model: models.LocalGlobalModel,
  auxiliary: models.AuxiliaryNetwork | None,
  cohort_share: float | None,
) -> dict[str, Any]:
  """Returns a method's options by name, with layers, networks and cohorts as the task has them."""
  names = learning.METHODS[method].option_names()
  options = config_lib.METHOD_OPTIONS.given(given, method)
  if 'global_layers' in names:
    options['global_layers'] = tasks.global_layers(task, given, model.layer_names)
  if 'auxiliary' in names:
    options['auxiliary'] = auxiliary
  if 'cohort_share' in names and cohort_share is not None:
    options.setdefault('cohort_share', cohort_share)
  return options


def _settings(
  options: config_lib.TrainingOptions, num_rounds: int, augment: Callable | None
) -> learning.ProcessSettings:
  """Returns the settings of a phase of so many rounds, without adversaries and aggregators."""
  rates = {role: config_lib.learning_rate(options, role) for role in config_lib.ROLES}
  client, server = (
    config_lib.schedule(options, role).build(rate, num_rounds) for role, rate in rates.items()
  )
  return learning.ProcessSettings(
    client_optimizer=config_lib.optimizer(options, 'client').build(rates['client']),
    server_optimizer=config_lib.optimizer(options, 'server').build(rates['server']),
    batches=learning.TensorBatches(
      options.batch_size,
      options.client_epochs or 1,
      max_steps=options.client_steps,
      augment=augment,
    ),
    client_weighting=learning.CLIENT_WEIGHTINGS[resolved(options.client_weighting)],
    # A state that is kept has the rate that it began with: after a change it is another one.
    client_learning_rate_fn=client
    or ((lambda _: rates['client']) if options.keep_client_optimizer else None),
    server_learning_rate_fn=server or (lambda _: rates['server']),
    reset_client_optimizer=not options.keep_client_optimizer,
  )


def _score_held_out(
  inputs: config_lib.InputOptions,
  federated_data: data_lib.FederatedData,
  process: learning.LocalGlobalProcess,
  state: run_state.RunState,
  run_dir: str,
) -> dict[str, float]:
  """Scores the model on clients that took no part, and writes their table."""
  alone = held_out.as_participants(federated_data)
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
  held_out.add_validation_clients(inputs, clients)
  run_files.write_held_out_clients(run_dir, clients)
  return held_out.summarize(of_clients, clients, process.model.metric_names)
