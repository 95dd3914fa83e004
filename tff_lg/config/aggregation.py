"""How clients' updates become one: the aggregator, its options, and differential privacy."""

import dataclasses
from typing import Any

from tff_lg.config.option import ConfigError, check_belongs, option

AGGREGATORS = (
  'mean',
  'median',
  'trimmed_mean',
  'krum',
  'multi_krum',
  'geometric_median',
  'norm_bounded_mean',
  'dp_mean',
  'secure_mean',
)
DP_MECHANISMS = ('gaussian', 'tree')
DP_CLIPPINGS = ('fixed', 'adaptive')
PRIVACY_ACCOUNTANTS = ('rdp', 'pld')
PRIVACY_SAMPLINGS = ('fixed_size', 'poisson')
_KRUM = ('krum', 'multi_krum')
# Aggregators that cannot do with a cohort of any size.
NEED_CLIENTS = (*_KRUM, 'secure_mean')
# Aggregators that count clients by their examples unless told otherwise, as FedAvg does.
MEANS = ('mean', 'norm_bounded_mean', 'secure_mean')
# Aggregators for which client weights mean something.
TAKE_WEIGHTS = (*MEANS, 'median', 'trimmed_mean', 'multi_krum', 'geometric_median')


@dataclasses.dataclass(frozen=True)
class AggregationOptions:
  """Options of the aggregator; None stands for a default that depends on other choices."""

  aggregator: str = option(
    'mean',
    "How the server combines the clients' updates. secure_mean sums by TFF's secure aggregation, "
    'which a simulation only plays: its quantisation is real, its secrecy is not.',
    AGGREGATORS,
  )
  trimmed_share: float | None = option(
    None,
    'beta: share of the cohort cut off at each end of each coordinate (--aggregator=trimmed_mean); '
    '0.2 by default.',
  )
  num_byzantine: int | None = option(
    None,
    'f: malicious clients in a cohort of m that are to be survived (--aggregator=krum and '
    'multi_krum), at most (m - 3) / 2, which is the default.',
  )
  norm_bound: float | None = option(
    None,
    "L2 norm that a client's update is cut down to (--aggregator=norm_bounded_mean); 1 by default.",
  )
  noise_multiplier: float | None = option(
    None,
    "z: the noise on the sum of the clients' updates has z times the clip norm as its standard "
    'deviation; at each node of a tree, and with adaptive clipping that on sum and count together '
    '(--aggregator=dp_mean).',
  )
  target_epsilon: float | None = option(
    None,
    'Privacy that the whole run may spend (--aggregator=dp_mean); the noise multiplier follows.',
  )
  dp_sigma: float | None = option(
    None,
    'sigma: standard deviation of the noise on the mean update (--aggregator=dp_mean); the noise '
    'multiplier is sigma * m / S.',
  )
  clip_norm: float | None = option(
    None,
    "S: L2 norm that a client's update is clipped to (--aggregator=dp_mean), the first one where "
    'clipping is adaptive; 1 by default.',
  )
  dp_clipping: str | None = option(
    None,
    'Whether --clip_norm is kept or follows the median norm of updates (--aggregator=dp_mean); '
    'fixed by default.',
    DP_CLIPPINGS,
  )
  dp_mechanism: str | None = option(
    None,
    'Independent noise in each round, or tree aggregation as in DP-FTRL (--aggregator=dp_mean); '
    'gaussian by default.',
    DP_MECHANISMS,
  )
  privacy_delta: float | None = option(
    None, 'Delta of the privacy budget (--aggregator=dp_mean); n^-1.1 by default.'
  )
  privacy_accountant: str | None = option(
    None,
    'What computes epsilon, by Renyi divergences or by privacy loss distributions '
    '(--aggregator=dp_mean); rdp by default.',
    PRIVACY_ACCOUNTANTS,
  )
  privacy_sampling: str | None = option(
    None,
    'What the accountant takes the sampling of cohorts for (--aggregator=dp_mean); what it is, '
    '--cohort_sampling, by default. poisson is what most papers assume, whatever they do; '
    'fixed_size is for rdp only, and its bound is loose.',
    PRIVACY_SAMPLINGS,
  )
  adaptive_zeroing: bool | None = option(
    None,
    "Replace updates that are far larger than the largest so far by zeros, by TFF's adaptive "
    'zeroing, before --aggregator sees them; not by default.',
  )
  secure_noise: bool = option(
    False,
    'Draw the noise of --aggregator=dp_mean from the operating system instead of --seed, so that '
    'the run cannot be repeated. Cohorts are still those of --seed: keep it secret, as the gain '
    'from sampling counts on it.',
  )


_BELONGS_TO = {
  # The secure mean has zeroing of its own; what it learns of norms would cost privacy.
  'adaptive_zeroing': tuple(name for name in AGGREGATORS if name not in ('dp_mean', 'secure_mean')),
  'trimmed_share': ('trimmed_mean',),
  'num_byzantine': _KRUM,
  'norm_bound': ('norm_bounded_mean',),
  **dict.fromkeys(
    (
      'noise_multiplier target_epsilon dp_sigma clip_norm dp_clipping dp_mechanism privacy_delta '
      'privacy_accountant privacy_sampling'
    ).split(),
    ('dp_mean',),
  ),
}
_POSITIVE = 'norm_bound noise_multiplier target_epsilon dp_sigma clip_norm'.split()


def defaults(options: AggregationOptions) -> dict[str, Any]:
  """What options that are None stand for, by name, where they apply."""
  by_name = {
    'trimmed_share': 0.2,
    'norm_bound': 1.0,
    'clip_norm': 1.0,
    'dp_clipping': 'fixed',
    'dp_mechanism': 'gaussian',
    'privacy_accountant': 'rdp',
  }
  return {name: value for name, value in by_name.items() if options.aggregator in _BELONGS_TO[name]}


def without() -> dict[str, Any]:
  """Every option as it is in a run that aggregates by the mean, by name."""
  return {field.name: field.default for field in dataclasses.fields(AggregationOptions)}


def check(options: AggregationOptions) -> None:
  """Refuses options that contradict each other.

  Raises:
    ConfigError: the first of them.
  """
  for name, aggregators in _BELONGS_TO.items():
    check_belongs(options, (name,), 'aggregator', options.aggregator, aggregators)
  noises = [
    f'--{name}'
    for name in ('noise_multiplier', 'target_epsilon', 'dp_sigma')
    if getattr(options, name) is not None
  ]
  is_private = options.aggregator == 'dp_mean'
  is_tree = options.dp_mechanism == 'tree'
  conflicts = (
    (
      is_private and len(noises) != 1,
      '--aggregator=dp_mean needs exactly one of --noise_multiplier, --target_epsilon and '
      f'--dp_sigma, found {" and ".join(noises) or "none"}.',
    ),
    (
      options.secure_noise and not is_private,
      f'--secure_noise is given, but --aggregator is {options.aggregator}: it belongs to '
      '--aggregator=dp_mean.',
    ),
    (
      is_tree and options.dp_clipping == 'adaptive',
      '--dp_mechanism=tree clips to a fixed norm: --dp_clipping=adaptive does not fit it.',
    ),
    (
      is_tree and options.privacy_sampling is not None,
      '--dp_mechanism=tree takes nothing from sampling: --privacy_sampling does not fit it.',
    ),
    (
      options.dp_sigma is not None and (is_tree or options.dp_clipping == 'adaptive'),
      '--dp_sigma is the noise of every round, which only --dp_clipping=fixed and '
      '--dp_mechanism=gaussian keep: use --noise_multiplier.',
    ),
    (
      options.privacy_accountant == 'pld' and options.privacy_sampling == 'fixed_size',
      '--privacy_accountant=pld knows poisson sampling only: --privacy_sampling=fixed_size needs '
      '--privacy_accountant=rdp.',
    ),
  )
  for found, sentence in conflicts:
    if found:
      raise ConfigError(sentence)
  for name in _POSITIVE:
    value = getattr(options, name)
    if value is not None and value <= 0:
      raise ConfigError(f'--{name} is {value}, expected more than 0.')
  if options.trimmed_share is not None and not 0 <= options.trimmed_share < 0.5:
    raise ConfigError(f'--trimmed_share is {options.trimmed_share}, expected in [0, 0.5).')
  if options.privacy_delta is not None and not 0 < options.privacy_delta < 1:
    raise ConfigError(f'--privacy_delta is {options.privacy_delta}, expected in (0, 1).')


def resolve_byzantine(options: AggregationOptions, clients_per_round: int) -> int | None:
  """Decides f for a cohort, where the aggregator has one.

  Raises:
    ConfigError: the cohort is too small for it.

  Blanchard et al. 2017: Krum needs 2 f + 3 clients or more.
  """
  if options.aggregator not in _KRUM:
    return None
  most = (clients_per_round - 3) // 2
  wanted = most if options.num_byzantine is None else options.num_byzantine
  if not 0 <= wanted <= most:
    raise ConfigError(
      f'--aggregator={options.aggregator} survives f malicious clients of 2 f + 3 or more, but '
      f'--clients_per_round is {clients_per_round} and --num_byzantine is '
      f'{"not given" if options.num_byzantine is None else wanted}.'
    )
  return wanted
