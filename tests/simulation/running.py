"""Running experiments from a config, with a few changes to it."""

import dataclasses
import functools
from typing import Any

from tff_lg import config as config_lib
from tff_lg import models, simulation, training
from tff_lg.simulation import experiment


def set_up_module() -> None:
  """Sets the execution context; runs of this process then share what is built of equal values.

  To build a process takes longer than the rounds of a small run. Whether one that is built again
  gives the same bits is what `resumed_run_test` and tests of killed programs show.
  """
  simulation.set_execution_context()
  build_phases, built = experiment.build_phases, {}

  @functools.wraps(build_phases)
  def build_once(
    config: config_lib.TrainConfig,
    model: models.LocalGlobalModel,
    budget: Any = None,
    adversary: Any = None,
    auxiliary: Any = None,
    num_clients: int | None = None,
  ) -> list[training.Phase]:
    if adversary is not None or auxiliary is not None:  # Which have no values to compare.
      return build_phases(config, model, budget, adversary, auxiliary, num_clients)
    of_model = (model.weight_names, model.weight_is_global, model.functional.input_spec)
    weights = b''.join(weight.tobytes() for weight in model.initial_weights)
    # Where clients' states are kept is the loop's own affair.
    values = dataclasses.replace(config, client_store='memory')
    key = (repr((values, of_model, budget, num_clients)), weights)
    if key not in built:
      built[key] = build_phases(config, model, budget, num_clients=num_clients)
    return list(built[key])

  experiment.build_phases = build_once


def run(config: config_lib.TrainConfig, folder: str, **changes: Any) -> dict[str, Any]:
  """Runs the config, changed and resolved, in a folder; returns the summary."""
  config = config_lib.resolve(dataclasses.replace(config, **changes))
  return simulation.run_experiment(config, folder)
