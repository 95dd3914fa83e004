"""The phases of a run: a warm start, if there is one, and the rounds of the method."""

import dataclasses
from collections.abc import Callable
from typing import Any

from tff_lg import aggregators, learning, models, training
from tff_lg import config as config_lib
from tff_lg.config.option import resolved
from tff_lg.inputs import tasks
from tff_lg.simulation import adversary as adversary_lib
from tff_lg.simulation import aggregation


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
    (warm_start, config_lib.WARM_START_METHOD, config.warm_start_rounds, 'warm_start_until'),
    (
      warm_start if config.method == config_lib.WARM_START_METHOD else of_method,
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
      start_from, ends = config.choices.start_from, goal and goal.is_reached
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
