"""Running experiments from a config, with a few changes to it."""

import dataclasses
import functools
import itertools
import os
from collections.abc import Callable
from typing import Any
from unittest import mock

from tff_lg import config as config_lib
from tff_lg import data, models, optimizers, simulation, training
from tff_lg.analysis import style
from tff_lg.config import common, metric_options, storage, tracking, tuning, verdicts
from tff_lg.inputs import tasks
from tff_lg.learning import methods
from tff_lg.simulation import run_phases


def _names(*groups: type[Any]) -> set[str]:
  return {field.name for group in groups for field in dataclasses.fields(group)}


ROUNDS = {'rounds', 'warm_start_rounds'}
# Options on which no process depends: it has the model's own weights, and the number of clients.
NO_PROCESS = {'baselines', *ROUNDS} | _names(
  config_lib.OwnModelOptions,
  config_lib.PartitionOptions,
  config_lib.RuntimeOptions,
  config_lib.SelectionOptions,
  storage.StorageOptions,
  tracking.TrackingOptions,
  tuning.TuningOptions,
  verdicts.VerdictOptions,
) - _names(common.CommonOptions, metric_options.MetricOptions)


# A small run, which tests change.
LG_ON_DIGITS = config_lib.TrainConfig(
  task='digits',
  method='lg_fedavg',
  baselines=(),
  num_clients=5,
  clients_per_round=2,
)


def set_up_module() -> None:
  """Sets the execution context; runs of this process then share what is built of equal values."""
  simulation.set_execution_context()
  share_processes()
  leave_out_pictures()
  # Tests kill programs, not the machine: they need not wait for the disk, 4 % of a small run.
  os.fsync = lambda unused_descriptor: None


def leave_out_pictures() -> None:
  """Makes PNG and PDF files of figures empty: to draw them takes a fifth of a small run.

  The page's drawings are made. `train_test` has a command whose files are whole.
  """
  style.png_bytes = style.pdf_bytes = lambda unused_figure: b''


def share_processes() -> None:
  """Makes runs of this process share what is built of equal values.

  To build a process takes longer than the rounds of a small run. Whether one that is built again
  gives the same bits is what `resumed_run_test` and tests of killed programs show.
  """
  build_phases, built = run_phases.build_phases, {}
  build_process = methods.Method.build_process

  @functools.wraps(build_phases)
  def build_once(
    config: config_lib.TrainConfig,
    model: models.LocalGlobalModel,
    budget: Any = None,
    adversary: Any = None,
    auxiliary: Any = None,
    num_clients: int | None = None,
  ) -> list[training.Phase]:
    arguments = config, model, budget, adversary, auxiliary, num_clients
    if auxiliary is not None:  # Which has no values to compare.
      return build_phases(*arguments)
    has_attack = adversary is not None and adversary.attack.update_attack is not None
    key = repr((model_values(model), budget, num_clients, _values(config, has_attack)))
    phases = itertools.count()

    def build_process_once(entry: Any, *settings: Any, **options: Any) -> Any:
      of_phase = key, config.warm_start_rounds > 0, next(phases), entry.name
      if of_phase not in built:
        built[of_phase] = build_process(entry, *settings, **options)
      return built[of_phase]

    with mock.patch.object(methods.Method, 'build_process', build_process_once):
      return build_phases(*arguments)

  run_phases.build_phases = build_once
  tasks.build_model = _share_models(tasks.build_model)


def _share_models(
  build_model: Callable[[config_lib.InputOptions, data.FederatedData], models.LocalGlobalModel],
) -> Callable[[config_lib.InputOptions, data.FederatedData], models.LocalGlobalModel]:
  """Makes equal options and data of one kind give one model; it never changes."""
  built = {}

  @functools.wraps(build_model)
  def build_once(
    inputs: config_lib.InputOptions, federated_data: data.FederatedData
  ) -> models.LocalGlobalModel:
    test = federated_data.test
    of_data = (
      *(len(federated_data.clients), len(federated_data.held_out), federated_data.num_classes),
      *(federated_data.class_names, federated_data.vocabulary, federated_data.encoding),
      *(federated_data.inputs, federated_data.has_weights, federated_data.objective),
      *(each for array in (test.x, test.y) for each in (array.shape[1:], array.dtype)),
    )
    key = repr((inputs, of_data))
    if key not in built:
      built[key] = build_model(inputs, federated_data)
    return built[key]

  return build_once


def model_values(model: models.LocalGlobalModel) -> tuple[Any, ...]:
  """Returns what tells models of one task apart."""
  weights = b''.join(weight.tobytes() for weight in model.initial_weights)
  return model.weight_names, model.weight_is_global, model.functional.input_spec, weights


def _values(config: config_lib.TrainConfig, has_attack: bool) -> dict[str, Any]:
  """Returns the options of a config by name, less those on which no process depends."""
  without = set(NO_PROCESS)
  schedules = (config.client_schedule, config.server_schedule)
  if any(optimizers.SCHEDULES[name].needs_num_rounds for name in schedules):
    without -= ROUNDS
  if not has_attack:
    without |= _names(config_lib.AttackOptions)
  return {
    field.name: getattr(config, field.name)
    for field in dataclasses.fields(config)
    if field.name not in without
  }


def run(config: config_lib.TrainConfig, folder: str, **changes: Any) -> dict[str, Any]:
  """Runs the config, changed and resolved, in a folder; returns the summary."""
  config = config_lib.resolve(dataclasses.replace(config, **changes))
  return simulation.run_experiment(config, folder)
