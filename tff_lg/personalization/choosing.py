"""Which settings and epochs clients choose alone, by their own validation data."""

import numpy as np

from tff_lg import adaptation as adaptation_lib
from tff_lg import config as config_lib
from tff_lg import metric_names, metrics, parts
from tff_lg.config.option import resolved
from tff_lg.parts import Arrays


def choose_alone(
  config: config_lib.AdaptConfig, tried: Arrays, num_validation: np.ndarray
) -> tuple[np.ndarray, adaptation_lib.Choice | None]:
  """Chooses for each client with validation data, if clients choose for themselves.

  Args:
    config: resolved.
    tried: has `validation/...` of the selection metric, [n, num_settings, num_epochs].
    num_validation: int [n], each client's validation examples.

  Returns:
    Which clients choose alone, bool [n], and what; None if nobody does.
  """
  is_chosen = (num_validation > 0) & (config.choose == 'client')
  if not is_chosen.any():
    return is_chosen, None
  metric = resolved(config.selection_metric)
  choice = adaptation_lib.choose(
    tried[metric_names.validation(metric)].swapaxes(0, 1),
    num_validation,
    per_client=True,
    maximize=metrics.sign(metric) > 0,
  )
  return is_chosen, choice


def spread(values: np.ndarray, where: np.ndarray) -> np.ndarray:
  """Returns the values in their places, in the others `parts.missing`."""
  result = parts.missing(len(where), values)
  result[where] = values
  return result
