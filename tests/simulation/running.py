"""Running an experiment from a config, with a few changes to it."""

import dataclasses
from typing import Any

from tff_lg import config as config_lib
from tff_lg import simulation


def run(config: config_lib.TrainConfig, folder: str, **changes: Any) -> dict[str, Any]:
  """Runs the config, changed and resolved, in a folder; returns the summary."""
  config = config_lib.resolve(dataclasses.replace(config, **changes))
  return simulation.run_experiment(config, folder)
