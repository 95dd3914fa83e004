"""The aggregator that a config asks for, and the privacy budget of a private run."""

import dataclasses
import math
import zlib
from collections.abc import Callable, Mapping
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
    The budget; None for a run without `--aggregator=dp_mean`.

  Raises:
    ValueError: no noise meets the target.
  """
  if config.aggregator != 'dp_mean':
    return None
  is_tree = config.dp_mechanism == 'tree'
  sampler = cohorts.CohortSampler(config, num_clients)
  budget = aggregators.PrivacyBudget(
    noise_multiplier=config.noise_multiplier or 0.0,
    clients_per_round=resolved(config.clients_per_round),
    num_clients=num_clients,
    delta=config.privacy_delta or aggregators.default_delta(num_clients),
    accountant=resolved(config.privacy_accountant),
    sampling=config.privacy_sampling or 'fixed_size',
    is_assumed=config.privacy_sampling != config.cohort_sampling,
    mechanism=resolved(config.dp_mechanism),
    max_participations=max(sampler.most_participations(config.total_rounds), 1)
    if is_tree
    else None,
  )
  if config.dp_sigma is not None:
    noise_multiplier = aggregators.noise_multiplier_from_sigma(
      config.dp_sigma, resolved(config.clip_norm), resolved(config.clients_per_round)
    )
  elif config.target_epsilon is not None:
    noise_multiplier = aggregators.solve_noise_multiplier(
      budget, config.target_epsilon, config.total_rounds
    )
  else:
    return budget
  return dataclasses.replace(budget, noise_multiplier=noise_multiplier)


def summarize_budget(
  budget: aggregators.PrivacyBudget, config: config_lib.TrainConfig
) -> dict[str, Any]:
  """What `summary.json` says of the privacy that a whole run has spent, and of its limits."""
  epsilon = budget.epsilon(config.total_rounds)
  warning = aggregators.privacy_warning(epsilon)
  return {
    'privacy/epsilon': epsilon,
    'privacy/delta': budget.delta,
    'privacy/noise_multiplier': budget.noise_multiplier,
    'privacy/clip_norm': config.clip_norm,
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
  aggregator = _AGGREGATORS[config.aggregator](config, budget, phase)
  return _with_zeroing(aggregator) if config.adaptive_zeroing else aggregator


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


def _dp_mean(
  config: config_lib.TrainConfig, budget: aggregators.PrivacyBudget, phase: int
) -> settings_lib.Aggregator:
  method = zlib.crc32(config.method.encode())
  seed = seeds.derive_seed(config.seed, seeds.Purpose.NOISE, phase, method)
  return aggregators.dp_mean(
    budget.noise_multiplier,
    resolved(config.clip_norm),
    resolved(config.clients_per_round),
    None if config.secure_noise else seed,
    resolved(config.dp_clipping),
    resolved(config.dp_mechanism),
  )


# In their weighted form the rules take clients that send nothing, whose weight is 0, for absent.
_AGGREGATORS: Mapping[str, Callable[..., settings_lib.Aggregator]] = {
  'mean': lambda *_: tff.aggregators.MeanFactory(no_nan_division=True),
  'median': lambda *_: aggregators.median(weighted=True),
  'trimmed_mean': lambda config, *_: aggregators.trimmed_mean(config.trimmed_share, weighted=True),
  'krum': lambda config, *_: aggregators.krum(
    config.num_byzantine, config.clients_per_round, weighted=True
  ),
  'multi_krum': lambda config, *_: aggregators.multi_krum(
    config.num_byzantine, config.clients_per_round, weighted=True
  ),
  'geometric_median': lambda *_: aggregators.geometric_median(weighted=True),
  'norm_bounded_mean': lambda config, *_: aggregators.norm_bounded_mean(
    config.norm_bound, weighted=True
  ),
  'dp_mean': _dp_mean,
  'secure_mean': lambda *_: tff.learning.secure_aggregator(),
}
