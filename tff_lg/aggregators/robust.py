"""Robust rules, as entries: each takes clients that send nothing, of weight 0, for absent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, option_check
from tff_lg.aggregators import entry

if TYPE_CHECKING:
  from tff_lg.compatibility import tff

_LESS_THAN_HALF = 'fewer than m / 2'
_KRUM_SURVIVES = 'f, with 2 f + 3 clients or more that send'


@attrs.frozen
class Trimmed:
  """Options of the trimmed mean."""

  trimmed_share: float = entries.option(
    0.2,
    'beta: share of the cohort cut off at each end of each coordinate',
    option_check.Check(lambda value: 0 <= value < 0.5, 'in [0, 0.5)'),
  )


@attrs.frozen
class Krum:
  """Options of Krum and multi-Krum; the cohort decides f where it is not given."""

  num_byzantine: int | None = entries.option(
    None,
    'f: malicious clients in a cohort of m that are to be survived',
    by_default='(m - 3) / 2, which is the most,',
  )


def _num_byzantine(given: int | None, clients_per_round: int) -> int:
  """Decides f for a cohort. Blanchard et al. 2017: Krum needs 2 f + 3 clients or more."""
  most = (clients_per_round - 3) // 2
  wanted = most if given is None else given
  if not 0 <= wanted <= most:
    raise ValueError(
      'survives f malicious clients of 2 f + 3 or more, but --clients_per_round is '
      f'{clients_per_round} and --num_byzantine is {"not given" if given is None else given}.'
    )
  return wanted


def _median(options: Any, setting: entry.Setting) -> tff.aggregators.AggregationFactory:
  from tff_lg.aggregators import factories  # It imports TensorFlow, which takes seconds.

  del options, setting
  return factories.median(weighted=True)


def _trimmed_mean(options: Trimmed, setting: entry.Setting) -> tff.aggregators.AggregationFactory:
  from tff_lg.aggregators import factories

  del setting
  return factories.trimmed_mean(options.trimmed_share, weighted=True)


def _krum(options: Krum, setting: entry.Setting) -> tff.aggregators.AggregationFactory:
  from tff_lg.aggregators import factories

  num_byzantine = _num_byzantine(options.num_byzantine, setting.clients_per_round)
  return factories.krum(num_byzantine, setting.clients_per_round, weighted=True)


def _multi_krum(options: Krum, setting: entry.Setting) -> tff.aggregators.AggregationFactory:
  from tff_lg.aggregators import factories

  num_byzantine = _num_byzantine(options.num_byzantine, setting.clients_per_round)
  return factories.multi_krum(num_byzantine, setting.clients_per_round, weighted=True)


def _geometric_median(options: Any, setting: entry.Setting) -> tff.aggregators.AggregationFactory:
  from tff_lg.aggregators import factories

  del options, setting
  return factories.geometric_median(weighted=True)


entry.register(
  entry.AggregatorEntry(
    name='median',
    label='median',
    does='median of each coordinate; of an even number the mean of the two middle values',
    survives=_LESS_THAN_HALF,
    build=_median,
  )
)
entry.register(
  entry.AggregatorEntry(
    name='trimmed_mean',
    label='trimmed mean',
    does='mean of each coordinate without the floor(beta m) lowest and highest',
    survives='floor(beta m)',
    build=_trimmed_mean,
    options=Trimmed,
  )
)
entry.register(
  entry.AggregatorEntry(
    name='krum',
    label='Krum',
    does='the update that is closest to its m - f - 2 nearest',
    survives=_KRUM_SURVIVES,
    build=_krum,
    options=Krum,
    takes_weights=False,
    needs_cohort_size=True,
    cohort_options={'num_byzantine': _num_byzantine},
  )
)
entry.register(
  entry.AggregatorEntry(
    name='multi_krum',
    label='multi-Krum',
    does='mean of the m - f updates with the best such scores',
    survives=_KRUM_SURVIVES,
    build=_multi_krum,
    options=Krum,
    needs_cohort_size=True,
    cohort_options={'num_byzantine': _num_byzantine},
  )
)
entry.register(
  entry.AggregatorEntry(
    name='geometric_median',
    label='geometric median',
    does='the point with the least sum of distances, by a smoothed Weiszfeld algorithm',
    survives=_LESS_THAN_HALF,
    build=_geometric_median,
  )
)
