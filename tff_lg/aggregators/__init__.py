"""Aggregation: how the server makes one update out of those of its clients.

Comes in: what an aggregator is to survive (shares and numbers of attackers, norms). Goes
out: TFF aggregation factories, for `tff_lg.learning`, for `tff.learning.algorithms`, and for
TFF's own wrappers (`clipping_factory`, `zeroing_factory`, `add_measurements`). May import:
TFF and libraries of differential privacy; of this package `tff_lg.entries` and what it imports.

`AGGREGATORS` has an entry for each aggregator that `--aggregator` takes. Entries are light: other
names are imported when they are first used, and TensorFlow with them.
"""

from typing import TYPE_CHECKING

from tff_lg import lazy_names
from tff_lg.aggregators import means, private, robust  # They register their entries.
from tff_lg.aggregators.entry import (
  AGGREGATORS,
  PLAIN_MEAN,
  AggregatorEntry,
  Population,
  Setting,
  register,
)

if TYPE_CHECKING:
  from tff_lg.aggregators.factories import (
    dp_mean,
    geometric_median,
    krum,
    median,
    multi_krum,
    norm_bounded_mean,
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
  'PLAIN_MEAN',
  'AggregatorEntry',
  'Population',
  'PrivacyBudget',
  'Setting',
  'default_delta',
  'dp_mean',
  'geometric_median',
  'krum',
  'means',
  'median',
  'multi_krum',
  'noise_multiplier_from_sigma',
  'norm_bounded_mean',
  'privacy_warning',
  'private',
  'register',
  'robust',
  'solve_noise_multiplier',
  'trimmed_mean',
]

__getattr__ = lazy_names.importer(__name__, __all__, ('privacy', 'factories'))
