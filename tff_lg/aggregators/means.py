"""Means of clients' updates, as entries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, option_check
from tff_lg.aggregators import entry

if TYPE_CHECKING:
  from tff_lg.aggregators.factories import gathering
  from tff_lg.compatibility import tff


@attrs.frozen
class NormBound:
  """Options of the mean of updates of bounded norm."""

  norm_bound: float = entries.option(
    1.0, "L2 norm that a client's update is cut down to", option_check.POSITIVE
  )


def _mean(options: Any, setting: entry.Setting) -> tff.aggregators.AggregationFactory:
  from tff_lg.compatibility import tff  # It takes seconds to import.

  del options, setting
  return tff.aggregators.MeanFactory(no_nan_division=True)


def _norm_bounded_mean(
  options: NormBound, setting: entry.Setting
) -> tff.aggregators.AggregationFactory:
  from tff_lg.aggregators import factories

  del setting
  return factories.norm_bounded_mean(options.norm_bound, weighted=True)


def _mean_rule(options: Any, setting: entry.Setting) -> gathering.Rule:
  from tff_lg.aggregators.factories import stacked_means

  del options, setting
  return stacked_means.mean_rule()


def _norm_bounded_mean_rule(options: NormBound, setting: entry.Setting) -> gathering.Rule:
  from tff_lg.aggregators.factories import stacked_means

  del setting
  return stacked_means.mean_rule(options.norm_bound)


def _secure_mean(options: Any, setting: entry.Setting) -> tff.aggregators.AggregationFactory:
  from tff_lg.compatibility import tff

  del options, setting
  return tff.learning.secure_aggregator()


def _not_secure(config: Any) -> Iterator[str]:
  if config.client_weighting == 'gradient_norm':
    yield (
      '--client_weighting=gradient_norm does not fit --aggregator=secure_mean: its sum of '
      'weights expects numbers of examples, and resolves only steps of 0.0002.'
    )


entry.register(
  entry.AggregatorEntry(
    name=entry.PLAIN_MEAN,
    label='mean',
    does='mean, weighted by examples (`--client_weighting`)',
    survives='none',
    rule=_mean_rule,
    build=_mean,
    is_mean=True,
  )
)
entry.register(
  entry.AggregatorEntry(
    name='norm_bounded_mean',
    label='norm-bounded mean',
    does='mean of updates cut down to an L2 norm',
    survives='limits what one client can do, survives none',
    rule=_norm_bounded_mean_rule,
    build=_norm_bounded_mean,
    options=NormBound,
    is_mean=True,
  )
)
entry.register(
  entry.AggregatorEntry(
    name='secure_mean',
    label='secure mean',
    does="TFF's secure aggregation: quantised, clipped, summed",
    survives='none',
    build=_secure_mean,
    is_mean=True,
    needs_cohort_size=True,
    fits_zeroing=False,  # It has zeroing of its own.
    contradictions=_not_secure,
    note="secure_mean sums by TFF's secure aggregation, simulated: its quantisation is real, it "
    'provides no confidentiality.',
  )
)
