"""How much a client's own model has trained where it trains only when it is sampled."""

from typing import Any

import numpy as np
import pandas as pd
from absl import logging

from tff_lg import config as config_lib
from tff_lg import metric_names
from tff_lg.training import cohorts

# With fewer epochs, a model that was still getting better is no fair opponent.
_FEW_EPOCHS = 20


def add_participation(
  clients: pd.DataFrame, sampling: config_lib.SamplingOptions, num_rounds: int, client_epochs: int
) -> dict[str, Any]:
  """Adds the epochs of each client to the table, and warns of models that were still improving.

  Args:
    clients: one row per client, with `best_round`; gets the column `epochs`.
    sampling: of a run of local learning with `--local_budget=cohort`, with its cohort.
    num_rounds: of the run.
    client_epochs: of a client in a round.

  Returns:
    `own_models/...`: the budget, the median of the epochs over clients, and how many clients were
    still improving. These had fewer than 20 epochs and were best in the last round evaluated.
  """
  draw = cohorts.CohortSampler(len(clients), **config_lib.cohort_options(sampling))
  epochs = np.zeros(len(clients))
  for round_num in range(num_rounds):
    epochs[draw(round_num).clients] += client_epochs
  clients['epochs'] = epochs
  improving = (clients['best_round'].to_numpy() >= num_rounds) & (epochs < _FEW_EPOCHS)
  if improving.any():
    logging.warning(
      '%d of %d own models had fewer than %d epochs and were best after the last round: they are a '
      'weak opponent; --local_budget=best trains each client to its best.',
      improving.sum(),
      len(clients),
      _FEW_EPOCHS,
    )
  return {
    metric_names.OWN_BUDGET: 'cohort',
    metric_names.OWN_EPOCHS: float(np.median(epochs)),
    metric_names.OWN_STILL_IMPROVING: int(improving.sum()),
  }
