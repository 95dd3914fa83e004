"""Pre-aggregators, as entries: each changes stacked updates before a rule sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, option_check
from tff_lg.aggregators import entry

if TYPE_CHECKING:
  from tff_lg.aggregators.factories.mixing import Mixing


@attrs.frozen
class Byzantine:
  """The option of pre-aggregators that know f; the cohort decides f where it is not given."""

  num_byzantine: int | None = entries.option(
    None,
    'f: malicious clients in a cohort of m that the rule must survive',
    by_default='(m - 1) / 2, which is the most,',
  )


@attrs.frozen
class Buckets:
  """The option of bucketing."""

  bucket_size: int = entries.option(2, 's: updates in a bucket', option_check.POSITIVE)


def _decide_byzantine(given: int | None, clients_per_round: int) -> int:
  most = (clients_per_round - 1) // 2
  if given is not None and not 0 <= given <= most:
    raise ValueError(
      'survives f malicious clients of 2 f + 1 or more, but --clients_per_round is '
      f'{clients_per_round} and --{entry.PRE_AGGREGATION_PREFIX}num_byzantine is {given}.'
    )
  return most if given is None else given


def _f(options: Byzantine) -> int:
  if options.num_byzantine is None:
    raise TypeError('num_byzantine is None, expected the number that the cohort decides.')
  return options.num_byzantine


def _nearest_neighbour(options: Byzantine, setting: entry.Setting) -> Mixing:
  from tff_lg.aggregators.factories.nearest_neighbour_mixing import (
    nearest_neighbour_mixing,
  )  # It imports TensorFlow.

  del setting
  return nearest_neighbour_mixing(_f(options))


def _bucketing(options: Buckets, setting: entry.Setting) -> Mixing:
  from tff_lg.aggregators.factories.bucketing import bucketing

  return bucketing(options.bucket_size, setting.seed or 0)


def _adaptive_clipping(options: Byzantine, setting: entry.Setting) -> Mixing:
  from tff_lg.aggregators.factories.adaptive_clipping import adaptive_clipping

  del setting
  return adaptive_clipping(_f(options))


_DECIDED: Any = {'num_byzantine': _decide_byzantine}
for _entry in (
  entry.PreAggregatorEntry(
    name='nearest_neighbours',
    label='NNM',
    does='each update becomes the mean of the m - f nearest to it (NNM)',
    build=_nearest_neighbour,
    options=Byzantine,
    cohort_options=_DECIDED,
  ),
  entry.PreAggregatorEntry(
    name='bucketing',
    label='bucketing',
    does='updates are dealt to buckets of s at random and replaced by their means',
    build=_bucketing,
    options=Buckets,
  ),
  entry.PreAggregatorEntry(
    name='adaptive_clipping',
    label='ARC',
    does='the floor(2 (f / m) (m - f)) longest updates are cut down to the next norm (ARC)',
    build=_adaptive_clipping,
    options=Byzantine,
    cohort_options=_DECIDED,
  ),
):
  entry.register_pre_aggregator(_entry)
