"""The private mean, as an entry: its options, its budget, and what it does not fit."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, samplings
from tff_lg.aggregators import entry
from tff_lg.aggregators.private_noise import MECHANISMS
from tff_lg.option_check import POSITIVE, Check

if TYPE_CHECKING:
  from tff_lg.aggregators.mechanism import MechanismEntry
  from tff_lg.aggregators.privacy import PrivacyBudget
  from tff_lg.compatibility import tff

_NAME, _MECHANISM = 'dp_mean', 'gaussian'
_NOISES = ('noise_multiplier', 'target_epsilon', 'dp_sigma')


@attrs.frozen
class Options:
  """Options of the private mean: one of three ways to say its noise, and how it is counted."""

  noise_multiplier: float | None = entries.option(
    None,
    "z: the noise on the sum of the clients' updates has a standard deviation of z times the clip "
    'norm (of a tree, at each node). With adaptive clipping, z is for sum and count together',
    POSITIVE,
  )
  target_epsilon: float | None = entries.option(
    None, 'Epsilon that the whole run may spend', POSITIVE, more='The noise multiplier follows.'
  )
  dp_sigma: float | None = entries.option(
    None,
    'sigma: standard deviation of the noise on the mean update',
    POSITIVE,
    more='The noise multiplier is sigma * m / S.',
  )
  clip_norm: float = entries.option(
    1.0,
    "S: L2 norm that a client's update is clipped to; the first one if clipping is adaptive",
    POSITIVE,
  )
  dp_clipping: str = entries.option(
    'fixed',
    'Whether --clip_norm is kept or follows the median norm of updates',
    choices=('fixed', 'adaptive'),
  )
  dp_mechanism: str = entries.option(
    _MECHANISM,
    'Noise over rounds. ' + '; '.join(f'{name}: {e.does}' for name, e in MECHANISMS.items()),
    choices=tuple(MECHANISMS),
  )
  dp_bands: int | None = entries.option(
    None,
    'b: bands of the matrix of --dp_mechanism=banded, over which its noise cancels in part',
    POSITIVE,
    by_default='4, or as many as the clients have cohorts,',
    more='Clients take part in one of b rounds at most. Few are best for a small epsilon.',
  )
  privacy_delta: float | None = entries.option(
    None,
    'Delta of the privacy budget',
    Check(lambda value: 0 < value < 1, 'in (0, 1)'),
    by_default='n^-1.1',
  )
  privacy_accountant: str = entries.option(
    'rdp',
    'Accountant of epsilon, by Renyi divergences or by privacy loss distributions',
    choices=('rdp', 'pld'),
  )
  privacy_sampling: str | None = entries.option(
    None,
    'Sampling of cohorts that the accountant assumes',
    choices=tuple(samplings.SAMPLINGS),
    by_default='the real one, --cohort_sampling,',
    more='Most papers assume poisson, whatever they do; fixed_size is for rdp only, and its bound '
    'is loose.',
  )


def _build(options: Options, setting: entry.Setting) -> tff.aggregators.AggregationFactory:
  """Builds the mean with the noise of the budget.

  Raises:
    ValueError: the setting has no budget.
  """
  from tff_lg.aggregators import factories  # It imports TensorFlow, which takes seconds.

  if setting.budget is None:
    raise ValueError('dp_mean needs a privacy budget, which gives its noise.')
  return factories.dp_mean(
    setting.budget.noise_multiplier,
    options.clip_norm,
    setting.clients_per_round,
    setting.seed,
    options.dp_clipping,
    options.dp_mechanism,
    options.dp_bands or 1,
  )


def _budget(options: Options, population: entry.Population) -> PrivacyBudget:
  """Builds the privacy budget, its noise solved for where a target is given.

  Raises:
    ValueError: no noise meets the target.
  """
  from tff_lg.aggregators import privacy

  counts = MECHANISMS[options.dp_mechanism].counts_participations
  budget = privacy.PrivacyBudget(
    noise_multiplier=options.noise_multiplier or 0.0,
    clients_per_round=population.clients_per_round,
    num_clients=population.num_clients,
    delta=options.privacy_delta or privacy.default_delta(population.num_clients),
    accountant=options.privacy_accountant,
    sampling=options.privacy_sampling or 'fixed_size',
    is_assumed=options.privacy_sampling != population.cohort_sampling,
    mechanism=options.dp_mechanism,
    max_participations=max(population.most_participations(), 1) if counts else None,
    cohort_groups=population.cohort_groups,
    bands=options.dp_bands or 1,
  )
  if options.dp_sigma is not None:
    noise_multiplier = privacy.noise_multiplier_from_sigma(
      options.dp_sigma, options.clip_norm, population.clients_per_round
    )
  elif options.target_epsilon is not None:
    noise_multiplier = privacy.solve_noise_multiplier(
      budget, options.target_epsilon, population.num_rounds
    )
  else:
    return budget
  return dataclasses.replace(budget, noise_multiplier=noise_multiplier)


def _defaults(config: Any) -> Mapping[str, Any]:
  """Returns what the mechanism implies, such as the sampling of cohorts."""
  return _mechanism(config).defaults(config)


def _mechanism(config: Any) -> MechanismEntry:
  return MECHANISMS[config.dp_mechanism or _MECHANISM]


def _contradictions(config: Any) -> Iterator[str]:
  noises = [f'--{name}' for name in _NOISES if getattr(config, name) is not None]
  if len(noises) != 1:
    yield (
      '--aggregator=dp_mean needs exactly one of --noise_multiplier, --target_epsilon and '
      f'--dp_sigma, found {" and ".join(noises) or "none"}.'
    )
  is_adaptive = config.dp_clipping == 'adaptive'
  chosen = _mechanism(config)
  if is_adaptive and chosen.adaptive_query is None:
    yield (
      f'--dp_mechanism={chosen.name} clips to a fixed norm: --dp_clipping=adaptive does not fit it.'
    )
  yield from chosen.contradictions(config)
  for each in MECHANISMS.values():
    for name in set(each.own_options) - set(chosen.own_options):
      if getattr(config, name) is not None:
        yield (
          f'--{name} is given, but --dp_mechanism is {chosen.name}: it belongs to '
          f'--dp_mechanism={each.name}.'
        )
  yield from _sampling_contradictions(config, chosen)
  if config.dp_sigma is not None and (is_adaptive or not chosen.keeps_sigma):
    yield (
      '--dp_sigma is the noise of every round, which only --dp_clipping=fixed and '
      '--dp_mechanism=gaussian keep: use --noise_multiplier.'
    )
  if is_adaptive and config.client_dropout_rate >= 0.5:
    yield (
      f'--client_dropout_rate is {config.client_dropout_rate}, but --dp_clipping=adaptive follows '
      'the median of a cohort that counts absent clients as zeros: expected less than 0.5.'
    )


def _sampling_contradictions(config: Any, chosen: MechanismEntry) -> Iterator[str]:
  """Says which samplings of cohorts the accountant's does not fit, and the accountant."""
  assumed, drawn = config.privacy_sampling, config.cohort_sampling
  if config.privacy_accountant == 'pld' and assumed == samplings.FIXED_SIZE:
    yield (
      '--privacy_accountant=pld knows poisson sampling only: --privacy_sampling=fixed_size '
      'needs --privacy_accountant=rdp.'
    )
  counted = chosen.defaults(config).get('privacy_sampling')
  if config.privacy_accountant == 'pld' and assumed is None and counted == samplings.FIXED_SIZE:
    yield (
      '--privacy_accountant=pld knows poisson sampling only: use --cohort_sampling=poisson, or '
      'let --privacy_sampling=poisson assume it.'
    )
  is_usual = (assumed, drawn) == (samplings.POISSON, samplings.FIXED_SIZE)
  if assumed and drawn and assumed != drawn and not is_usual:
    yield f'--privacy_sampling={assumed} does not fit --cohort_sampling={drawn}.'


entry.register(
  entry.AggregatorEntry(
    name=_NAME,
    label='DP mean',
    does='mean of clipped updates, with noise: differential privacy',
    survives='limits what one client can do, survives none',
    build=_build,
    options=Options,
    takes_weights=False,
    fits_zeroing=False,  # It clips; what zeroing learns of norms would cost privacy.
    budget=_budget,
    defaults=_defaults,
    contradictions=_contradictions,
  )
)
