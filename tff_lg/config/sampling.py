"""How clients are sampled, as a config says."""

from typing import Any

from tff_lg.config.option import resolved
from tff_lg.config.train_config import TrainConfig


def cohort_options(config: TrainConfig) -> dict[str, Any]:
  """Returns the options of `training.CohortSampler`, by name, of a config with its cohort."""
  return {
    'clients_per_round': resolved(config.clients_per_round),
    'seed': config.seed,
    'sampling': config.cohort_sampling or 'fixed_size',
    'dropout_rate': config.client_dropout_rate,
    'straggler_rate': config.straggler_rate,
  }
