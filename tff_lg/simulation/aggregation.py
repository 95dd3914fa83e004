"""The aggregator that a config asks for, and the privacy budget of a private run."""

import math
import zlib
from typing import Any

from tff_lg import aggregators, seeds
from tff_lg import config as config_lib
from tff_lg.compatibility import tff
from tff_lg.config.option import resolved
from tff_lg.learning import settings as settings_lib
from tff_lg.simulation import privacy_notes
from tff_lg.training import cohorts


def build_budget(
  config: config_lib.TrainConfig, num_clients: int
) -> aggregators.PrivacyBudget | None:
  """Builds the privacy budget of a run, its noise solved for where a target is given.

  Args:
    config: resolved, with its cohort.
    num_clients: that cohorts are drawn from.

  Returns:
    The budget; None for a run whose aggregator is not private.

  Raises:
    ValueError: no noise meets the target.
  """
  entry = aggregators.AGGREGATORS[config.aggregator]
  if entry.budget is None:
    return None
  sampler = cohorts.CohortSampler(num_clients, **config_lib.cohort_options(config))
  population = aggregators.Population(
    num_clients=num_clients,
    clients_per_round=resolved(config.clients_per_round),
    num_rounds=config.total_rounds,
    cohort_sampling=resolved(config.cohort_sampling),
    most_participations=lambda: sampler.most_participations(config.total_rounds),
  )
  return entry.budget(_options(config), population)


def summarize_budget(
  budget: aggregators.PrivacyBudget, config: config_lib.TrainConfig
) -> dict[str, Any]:
  """Returns the entries of `summary.json` on the privacy that a run has spent, and its limits."""
  epsilon = budget.epsilon(config.total_rounds)
  warning = aggregators.privacy_warning(epsilon)
  return {
    'privacy/epsilon': epsilon,
    'privacy/delta': budget.delta,
    'privacy/noise_multiplier': budget.noise_multiplier,
    **({'privacy/clip_norm': config.clip_norm} if config.clip_norm is not None else {}),
    'privacy/accountant': budget.accountant_text,
    'privacy/sampling': budget.sampling_text,
    **({'privacy/warning': warning} if warning else {}),
    **privacy_notes.privacy_warnings(config),
    **privacy_notes.privacy_notes(config),
  }


def build_aggregator(
  config: config_lib.TrainConfig, budget: aggregators.PrivacyBudget | None, phase: int
) -> settings_lib.Aggregator:
  """Builds the aggregator of one phase of a run.

  Args:
    config: resolved, with its cohort.
    budget: of a private run.
    phase: its index; each phase has noise of its own, and so has each method.

  Returns:
    The factory.
  """
  entry = aggregators.AGGREGATORS[config.aggregator]
  method = zlib.crc32(config.method.encode())
  seed = seeds.derive_seed(config.seed, seeds.Purpose.NOISE, phase, method)
  setting = aggregators.Setting(
    clients_per_round=resolved(config.clients_per_round),
    seed=None if config.secure_noise else seed,
    budget=budget,
  )
  aggregator = entry.build(_options(config), setting)
  return _with_zeroing(aggregator) if config.adaptive_zeroing else aggregator


def _options(config: config_lib.TrainConfig) -> Any:
  """Returns the options of the aggregator."""
  return config_lib.AGGREGATOR_OPTIONS.build(config, config.aggregator)


def _with_zeroing(aggregator: settings_lib.Aggregator) -> settings_lib.Aggregator:
  """Wraps an aggregator as `tff.learning.robust_aggregator` does the mean."""
  zeroing_norm = tff.aggregators.PrivateQuantileEstimationProcess.no_noise(
    initial_estimate=10.0,
    target_quantile=0.98,
    learning_rate=math.log(10.0),
    multiplier=2.0,
    increment=1.0,
  )
  return tff.aggregators.zeroing_factory(zeroing_norm, aggregator)
