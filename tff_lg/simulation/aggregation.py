"""The aggregator that a config asks for, and the privacy budget of a private run."""

import math
import sys
import zlib
from collections.abc import Mapping
from typing import Any

from absl import logging

from tff_lg import aggregators, metric_names, seeds
from tff_lg import config as config_lib
from tff_lg.aggregators.factories import gathering
from tff_lg.compatibility import tff
from tff_lg.config.option import resolved
from tff_lg.learning import settings as settings_lib
from tff_lg.simulation import privacy_notes
from tff_lg.training import cohorts


def build_budget(
  options: config_lib.AggregationOptions,
  sampling: config_lib.SamplingOptions,
  num_clients: int,
  num_rounds: int,
) -> aggregators.PrivacyBudget | None:
  """Builds the privacy budget of a run, its noise solved for where a target is given.

  Args:
    options: of a resolved config.
    sampling: with the cohort.
    num_clients: that cohorts are drawn from.
    num_rounds: of all phases.

  Returns:
    The budget; None for a run whose aggregator is not private.

  Raises:
    ValueError: no noise meets the target.
  """
  entry = aggregators.AGGREGATORS[options.aggregator]
  if entry.budget is None:
    return None
  sampler = cohorts.CohortSampler(num_clients, **config_lib.cohort_options(sampling))
  population = aggregators.Population(
    num_clients=num_clients,
    clients_per_round=resolved(sampling.clients_per_round),
    num_rounds=num_rounds,
    cohort_sampling=resolved(sampling.cohort_sampling),
    cohort_groups=sampling.cohort_groups,
    most_participations=lambda: sampler.most_participations(num_rounds),
  )
  return entry.budget(_of_entry(options), population)


def summarize_budget(
  budget: aggregators.PrivacyBudget, config: config_lib.TrainConfig
) -> dict[str, Any]:
  """Returns the entries of `summary.json` on the privacy that a run has spent, and its limits."""
  epsilon = budget.epsilon(config.total_rounds)
  warning = aggregators.privacy_warning(epsilon)
  return {
    metric_names.EPSILON: epsilon,
    metric_names.DELTA: budget.delta,
    metric_names.NOISE_MULTIPLIER: budget.noise_multiplier,
    **({metric_names.CLIP_NORM: config.clip_norm} if config.clip_norm is not None else {}),
    metric_names.ACCOUNTANT: budget.accountant_text,
    metric_names.PRIVACY_SAMPLING: budget.sampling_text,
    **({metric_names.PRIVACY_WARNING: warning} if warning else {}),
    **privacy_notes.privacy_warnings(config.task_options),
    **privacy_notes.privacy_notes(
      config.task_options,
      config.method_options,
      config.selection_options,
      secure_noise=config.secure_noise,
    ),
  }


def tell_privacy(told: Mapping[str, Any], num_rounds: int) -> None:
  """Says before a run what `summarize_budget` tells of the privacy that it will have spent."""
  print(
    'Privacy: noise multiplier {noise_multiplier:.4g}, clip norm {clip_norm:g}; epsilon after '
    '{rounds:,} rounds: {epsilon:.4g} at delta {delta:.3g}, by {accountant}. {sampling}'.format(
      rounds=num_rounds,
      **{name.removeprefix(metric_names.PRIVACY): value for name, value in told.items()},
    ),
    file=sys.stderr,
  )
  for name, text in told.items():
    if name.startswith(metric_names.PRIVACY_WARNING):
      logging.warning('%s', text)


def build_aggregator(
  options: config_lib.AggregationOptions,
  sampling: config_lib.SamplingOptions,
  method: str,
  phase: int,
  budget: aggregators.PrivacyBudget | None = None,
) -> settings_lib.Aggregator:
  """Builds the aggregator of one phase of a run.

  Args:
    options: of a resolved config.
    sampling: with the cohort.
    method: the run's; each has noise of its own.
    phase: its index; each has noise of its own.
    budget: of a private run.

  Returns:
    The factory.
  """
  entry = aggregators.AGGREGATORS[options.aggregator]
  seed = seeds.derive_seed(sampling.seed, seeds.Purpose.NOISE, phase, zlib.crc32(method.encode()))
  setting = aggregators.Setting(
    clients_per_round=resolved(sampling.clients_per_round),
    seed=None if options.secure_noise else seed,
    budget=budget,
  )
  if options.pre_aggregation:
    rule = _rule(options, setting)
    aggregator: settings_lib.Aggregator = gathering.rule_factory(rule, weighted=True)
  else:
    aggregator = entry.build(_of_entry(options), setting)
  return _with_zeroing(aggregator) if options.adaptive_zeroing else aggregator


def build_rule(
  options: config_lib.AggregationOptions, sampling: config_lib.SamplingOptions
) -> gathering.Rule | None:
  """Builds the rule that attackers know: what the server makes of stacked updates.

  Args:
    options: of a resolved config.
    sampling: with the cohort.

  Returns:
    The rule, with the pre-aggregation, as in its first round; None where the aggregator has none.
  """
  if aggregators.AGGREGATORS[options.aggregator].rule is None:
    return None
  setting = aggregators.Setting(
    clients_per_round=resolved(sampling.clients_per_round), seed=sampling.seed, budget=None
  )
  return gathering.first_round(_rule(options, setting))


def _rule(
  options: config_lib.AggregationOptions, setting: aggregators.Setting
) -> gathering.Rule | gathering.StatefulRule:
  """Returns the aggregator's rule, with the pre-aggregation before it."""
  rule = resolved(aggregators.AGGREGATORS[options.aggregator].rule)(_of_entry(options), setting)
  if not options.pre_aggregation:
    return rule
  mixings = [
    aggregators.PRE_AGGREGATORS[name].build(
      config_lib.PRE_AGGREGATION_OPTIONS.build(options, name), setting
    )
    for name in options.pre_aggregation
  ]
  return aggregators.pre_aggregated(mixings, rule)


def _of_entry(options: config_lib.AggregationOptions) -> Any:
  """Returns the options of the chosen aggregator."""
  return config_lib.AGGREGATOR_OPTIONS.build(options, options.aggregator)


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
