"""Aggregation: how the server makes one update out of those of its clients.

Comes in: what an aggregator is to survive (shares and numbers of attackers, norms). Goes
out: TFF aggregation factories, for `tff_lg.learning`, for `tff.learning.algorithms`, and for
TFF's own wrappers (`clipping_factory`, `zeroing_factory`, `add_measurements`). May import:
TFF and libraries of differential privacy; no room.

`AGGREGATORS` has an entry for each aggregator that `--aggregator` takes, `PRE_AGGREGATORS` one for
each pre-aggregator that `--pre_aggregation` takes before it. Entries are light: other
names are imported when they are first used, and TensorFlow with them.
"""

from typing import TYPE_CHECKING

from tff_lg import entries, lazy_names
from tff_lg.aggregators.entry import (
  AGGREGATORS,
  PLAIN_MEAN,
  PRE_AGGREGATION_PREFIX,
  PRE_AGGREGATORS,
  AggregatorEntry,
  Population,
  PreAggregatorEntry,
  Setting,
  register,
  register_pre_aggregator,
)
from tff_lg.aggregators.mechanism import MECHANISMS, MechanismEntry

if TYPE_CHECKING:
  from tff_lg.aggregators.bands import square_root_bands
  from tff_lg.aggregators.factories import (
    adaptive_clipping,
    bucketing,
    bulyan,
    centred_clipping,
    dp_mean,
    geometric_median,
    krum,
    mean_around_median,
    median,
    minimum_diameter_mean,
    monna,
    multi_krum,
    nearest_neighbour_mixing,
    norm_bounded_mean,
    pre_aggregated,
    trimmed_mean,
  )
  from tff_lg.aggregators.privacy import (
    PrivacyBudget,
    default_delta,
    noise_multiplier_from_sigma,
    privacy_warning,
    solve_noise_multiplier,
  )

__all__ = [
  'AGGREGATORS',
  'MECHANISMS',
  'PLAIN_MEAN',
  'PRE_AGGREGATION_PREFIX',
  'PRE_AGGREGATORS',
  'AggregatorEntry',
  'MechanismEntry',
  'Population',
  'PreAggregatorEntry',
  'PrivacyBudget',
  'Setting',
  'adaptive_clipping',
  'bucketing',
  'bulyan',
  'centred_clipping',
  'default_delta',
  'dp_mean',
  'geometric_median',
  'krum',
  'mean_around_median',
  'median',
  'minimum_diameter_mean',
  'monna',
  'multi_krum',
  'nearest_neighbour_mixing',
  'noise_multiplier_from_sigma',
  'norm_bounded_mean',
  'pre_aggregated',
  'privacy_warning',
  'register',
  'register_pre_aggregator',
  'solve_noise_multiplier',
  'square_root_bands',
  'trimmed_mean',
]

# They import TensorFlow or NumPy.
_LAZY = ('bands', 'privacy', 'factories')
entries.import_modules(__name__, without=_LAZY)
__getattr__ = lazy_names.importer(__name__, __all__, _LAZY)
