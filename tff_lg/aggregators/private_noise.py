"""The privacy mechanisms: independent noise, tree aggregation, banded matrix factorisation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tff_lg import samplings
from tff_lg.aggregators import accounting
from tff_lg.aggregators.mechanism import MECHANISMS, MechanismEntry, Noise

if TYPE_CHECKING:
  from tff_lg.aggregators.privacy import PrivacyBudget

__all__ = ['MECHANISMS']

# More bands cancel more noise, and gain less from sampling: few are best for a small epsilon.
_MOST_BANDS = 4


def _gaussian_query(noise: Noise, specs: Any) -> Any:
  from tff_lg.aggregators.factories import seeded_noise  # It imports TensorFlow: seconds.

  del specs
  stddev = noise.noise_multiplier * noise.clip_norm
  return seeded_noise.GaussianSumQuery(noise.clip_norm, stddev, noise.seed)


def _adaptive_query(noise: Noise) -> Any:
  from tff_lg.aggregators.factories import seeded_noise

  return seeded_noise.adaptive_sum_query(
    noise.clip_norm, noise.noise_multiplier, noise.clients_per_round, noise.seed
  )


def _gaussian_defaults(config: Any) -> Mapping[str, Any]:
  """Returns one sampling for cohorts and accountant."""
  sampling = config.cohort_sampling or config.privacy_sampling or samplings.POISSON
  return {'cohort_sampling': sampling, 'privacy_sampling': sampling}


def _tree_query(noise: Noise, specs: Any) -> Any:
  from tff_lg.aggregators.factories import seeded_noise

  return seeded_noise.tree_sum_query(noise.clip_norm, noise.noise_multiplier, specs, noise.seed)


def _account_for_tree(budget: PrivacyBudget) -> accounting.Accounting:
  most = budget.max_participations or 0
  if most < 1:
    raise ValueError(
      f'max_participations is {budget.max_participations}; the tree needs the most rounds '
      'that a client takes part in, at least 1.'
    )

  def compositions(num_rounds: int) -> int:
    # An integer's bits are the levels of the smallest tree whose finished nodes suffice.
    return int(num_rounds).bit_length() * min(most, num_rounds) ** 2

  return accounting.Accounting(
    compositions=compositions,
    text='No gain from sampling is counted; a client takes part in at most '
    f'{budget.max_participations} rounds. {accounting.ZERO_OUT}',
  )


def _tree_contradictions(config: Any) -> Iterator[str]:
  if config.privacy_sampling is not None:
    yield '--dp_mechanism=tree gains nothing from sampling: --privacy_sampling does not fit it.'
  if config.warm_start_rounds > 0:
    yield (
      f'--warm_start_rounds is {config.warm_start_rounds}, but --dp_mechanism=tree needs one '
      'tree for all rounds.'
    )


def _banded_query(noise: Noise, specs: Any) -> Any:
  from tff_lg.aggregators.factories import banded_noise

  return banded_noise.BandedSumQuery(
    noise.clip_norm, noise.noise_multiplier, noise.bands, specs, noise.seed
  )


def _account_for_bands(budget: PrivacyBudget) -> accounting.Accounting:
  if budget.sampling != samplings.CYCLIC_POISSON or (budget.cohort_groups or 0) < budget.bands:
    raise ValueError(
      f'sampling is {budget.sampling} with {budget.cohort_groups} groups; the banded mechanism of '
      f'{budget.bands} bands needs cyclic_poisson with at least as many groups as bands.'
    )
  return accounting.of_sampling(budget)


def _banded_defaults(config: Any) -> Mapping[str, Any]:
  """Returns the sampling that separates a client's rounds, and bands that fit a known cohort."""
  most = config.cohort_groups or _MOST_BANDS
  if config.num_clients and config.clients_per_round:
    participants = config.num_clients - (config.held_out_clients or 0)
    most = min(most, max(participants // config.clients_per_round, 1))
  bands = config.dp_bands or most
  sampling = samplings.CYCLIC_POISSON
  return {
    'dp_bands': bands,
    'cohort_groups': bands,
    'cohort_sampling': sampling,
    'privacy_sampling': sampling,
  }


def _banded_contradictions(config: Any) -> Iterator[str]:
  for name in ('cohort_sampling', 'privacy_sampling'):
    if getattr(config, name) not in (None, samplings.CYCLIC_POISSON):
      yield (
        f'--{name} is {getattr(config, name)}, but --dp_mechanism=banded needs cyclic_poisson: a '
        'client must not take part twice in --dp_bands rounds.'
      )
  if config.dp_bands and config.cohort_groups and config.cohort_groups < config.dp_bands:
    yield (
      f'--cohort_groups is {config.cohort_groups}, expected at least --dp_bands, '
      f'{config.dp_bands}: a client must not take part twice in --dp_bands rounds.'
    )


MECHANISMS.register(
  MechanismEntry(
    name='gaussian',
    label='Gaussian',
    does='independent noise in each round',
    query=_gaussian_query,
    adaptive_query=_adaptive_query,
    keeps_sigma=True,
    defaults=_gaussian_defaults,
  )
)
MECHANISMS.register(
  MechanismEntry(
    name='tree',
    label='tree',
    does='tree aggregation as in DP-FTRL, which needs no sampling',
    query=_tree_query,
    account=_account_for_tree,
    counts_participations=True,
    contradictions=_tree_contradictions,
  )
)
MECHANISMS.register(
  MechanismEntry(
    name='banded',
    label='banded',
    does='noise that cancels in part over --dp_bands rounds, by banded matrix factorisation',
    query=_banded_query,
    account=_account_for_bands,
    own_options=('dp_bands',),
    defaults=_banded_defaults,
    contradictions=_banded_contradictions,
  )
)
