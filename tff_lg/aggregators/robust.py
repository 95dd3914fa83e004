"""Robust rules, as entries: each takes clients that send nothing, of weight 0, for absent."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, option_check
from tff_lg.aggregators import entry, subsets

if TYPE_CHECKING:
  from tff_lg.aggregators.factories import gathering

_LESS_THAN_HALF = 'fewer than m / 2'
_KRUM_SURVIVES = 'f, with 2 f + 3 clients or more that send'
_MAJORITY_SURVIVES = 'f, with 2 f + 1 clients or more that send'


@attrs.frozen
class Trimmed:
  """Options of the trimmed mean."""

  trimmed_share: float = entries.option(
    0.2,
    'beta: share of the cohort cut off at each end of each coordinate',
    option_check.Check(lambda value: 0 <= value < 0.5, 'in [0, 0.5)'),
  )


@attrs.frozen
class Byzantine:
  """The option of rules that survive f clients; the cohort decides f where it is not given."""

  num_byzantine: int | None = entries.option(
    None,
    'f: malicious clients in a cohort of m that the rule must survive',
    by_default='the most that the rule survives',
  )


@attrs.frozen
class CentredClipping:
  """Options of centred clipping."""

  clipping_radius: float = entries.option(
    1.0,
    "tau: L2 norm that an update's difference from the last aggregate is cut down to",
    option_check.POSITIVE,
  )
  clipping_iterations: int = entries.option(
    1, 'L: steps from the last aggregate to the next', option_check.POSITIVE
  )


def decide_byzantine(clients_per_attacker: int, more: int) -> Callable[[int | None, int], int]:
  """Returns what decides f for a cohort, of a rule that needs a f + b clients or more.

  Args:
    clients_per_attacker: a.
    more: b.

  Returns:
    (f or None, clients_per_round) -> f, the most if it is None. It raises ValueError, a sentence
    that continues the name of the rule.
  """
  needed = f'{clients_per_attacker} f + {more}'

  def decide(given: int | None, clients_per_round: int) -> int:
    most = (clients_per_round - more) // clients_per_attacker
    wanted = most if given is None else given
    if not 0 <= wanted <= most:
      raise ValueError(
        f'survives f malicious clients of {needed} or more, but --clients_per_round is '
        f'{clients_per_round} and --num_byzantine is {"not given" if given is None else given}.'
      )
    return wanted

  return decide


def _decide_minimum_diameter(given: int | None, clients_per_round: int) -> int:
  wanted = decide_byzantine(2, 1)(given, clients_per_round)
  try:
    subsets.check(wanted, clients_per_round)
  except ValueError as error:
    raise ValueError(f'compares subsets of the cohort, but {error}') from error
  return wanted


def _f(options: Byzantine) -> int:
  """Returns f, which the cohort has decided by now."""
  if options.num_byzantine is None:
    raise TypeError('num_byzantine is None, expected the number that the cohort decides.')
  return options.num_byzantine


def _median(options: Any, setting: entry.Setting) -> gathering.Rule:
  from tff_lg.aggregators.factories.median import median_rule  # TensorFlow takes seconds.

  del options, setting
  return median_rule()


def _trimmed_mean(options: Trimmed, setting: entry.Setting) -> gathering.Rule:
  from tff_lg.aggregators.factories.trimmed_mean import trimmed_mean_rule

  del setting
  return trimmed_mean_rule(options.trimmed_share)


def _krum(options: Byzantine, setting: entry.Setting) -> gathering.Rule:
  from tff_lg.aggregators.factories.krum import multi_krum_rule

  del setting
  return multi_krum_rule(_f(options), 1)


def _multi_krum(options: Byzantine, setting: entry.Setting) -> gathering.Rule:
  from tff_lg.aggregators.factories.krum import multi_krum_rule

  return multi_krum_rule(_f(options), setting.clients_per_round - _f(options))


def _geometric_median(options: Any, setting: entry.Setting) -> gathering.Rule:
  from tff_lg.aggregators.factories.geometric_median import geometric_median_rule

  del options, setting
  return geometric_median_rule()


def _centred_clipping(options: CentredClipping, setting: entry.Setting) -> gathering.StatefulRule:
  from tff_lg.aggregators.factories.centred_clipping import centred_clipping_rule

  del setting
  return centred_clipping_rule(options.clipping_radius, options.clipping_iterations)


def _minimum_diameter(options: Byzantine, setting: entry.Setting) -> gathering.Rule:
  from tff_lg.aggregators.factories.minimum_diameter import minimum_diameter_rule

  return minimum_diameter_rule(_f(options), setting.clients_per_round)


def _mean_around_median(options: Byzantine, setting: entry.Setting) -> gathering.Rule:
  from tff_lg.aggregators.factories.mean_around_median import mean_around_median_rule

  del setting
  return mean_around_median_rule(_f(options))


def _monna(options: Byzantine, setting: entry.Setting) -> gathering.Rule:
  from tff_lg.aggregators.factories.monna import monna_rule

  del setting
  return monna_rule(_f(options))


def _bulyan(options: Byzantine, setting: entry.Setting) -> gathering.Rule:
  from tff_lg.aggregators.factories.bulyan import bulyan_rule

  del setting
  return bulyan_rule(_f(options))


entry.register(
  entry.AggregatorEntry(
    name='median',
    label='median',
    does='median of each coordinate; of an even number the mean of the two middle values',
    survives=_LESS_THAN_HALF,
    rule=_median,
  )
)
entry.register(
  entry.AggregatorEntry(
    name='trimmed_mean',
    label='trimmed mean',
    does='mean of each coordinate without the floor(beta m) lowest and highest',
    survives='floor(beta m)',
    rule=_trimmed_mean,
    options=Trimmed,
  )
)
entry.register(
  entry.AggregatorEntry(
    name='krum',
    label='Krum',
    does='the update that is closest to its m - f - 2 nearest',
    survives=_KRUM_SURVIVES,
    rule=_krum,
    options=Byzantine,
    takes_weights=False,
    needs_cohort_size=True,
    cohort_options={'num_byzantine': decide_byzantine(2, 3)},
  )
)
entry.register(
  entry.AggregatorEntry(
    name='multi_krum',
    label='multi-Krum',
    does='mean of the m - f updates with the best such scores',
    survives=_KRUM_SURVIVES,
    rule=_multi_krum,
    options=Byzantine,
    needs_cohort_size=True,
    cohort_options={'num_byzantine': decide_byzantine(2, 3)},
  )
)
entry.register(
  entry.AggregatorEntry(
    name='geometric_median',
    label='geometric median',
    does='the point with the least sum of distances, by a smoothed Weiszfeld algorithm',
    survives=_LESS_THAN_HALF,
    rule=_geometric_median,
  )
)
entry.register(
  entry.AggregatorEntry(
    name='centred_clipping',
    label='centred clipping',
    does='mean of updates cut down to an L2 norm around the last aggregate',
    survives='limits what one client can do; by its theorem m / 10',
    rule=_centred_clipping,
    options=CentredClipping,
  )
)
entry.register(
  entry.AggregatorEntry(
    name='minimum_diameter',
    label='minimum diameter',
    does='mean of the m - f updates whose largest distance is the least (MDA)',
    survives=_MAJORITY_SURVIVES,
    rule=_minimum_diameter,
    options=Byzantine,
    needs_cohort_size=True,
    cohort_options={'num_byzantine': _decide_minimum_diameter},
  )
)
entry.register(
  entry.AggregatorEntry(
    name='mean_around_median',
    label='mean around median',
    does='mean of the m - f values of each coordinate that are closest to its median (MeaMed)',
    survives=_MAJORITY_SURVIVES,
    rule=_mean_around_median,
    options=Byzantine,
    takes_weights=False,
    needs_cohort_size=True,
    cohort_options={'num_byzantine': decide_byzantine(2, 1)},
  )
)
entry.register(
  entry.AggregatorEntry(
    name='monna',
    label='MoNNA',
    does='mean of the m - f updates that are nearest to that of the first client of the round',
    survives='f, in rounds whose first client is honest',
    rule=_monna,
    options=Byzantine,
    needs_cohort_size=True,
    cohort_options={'num_byzantine': decide_byzantine(2, 1)},
  )
)
entry.register(
  entry.AggregatorEntry(
    name='bulyan',
    label='Bulyan',
    does='m - 2 f updates by Krum, then of each coordinate the mean of m - 4 f around the median',
    survives='f, with 4 f + 3 clients or more that send',
    rule=_bulyan,
    options=Byzantine,
    takes_weights=False,
    needs_cohort_size=True,
    cohort_options={'num_byzantine': decide_byzantine(4, 3)},
  )
)
