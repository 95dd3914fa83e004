"""Aggregators as TFF aggregation factories, for any TFF program.

The robust rules have two forms. Unweighted, all clients count equally. With `weighted=True` a
client of weight zero is absent, so the zeros of a client that dropped out do not vote for zero. The
others' weights count where that is defined.
"""

from tff_lg.aggregators.factories.adaptive_clipping import adaptive_clipping
from tff_lg.aggregators.factories.bucketing import bucketing
from tff_lg.aggregators.factories.bulyan import bulyan
from tff_lg.aggregators.factories.centred_clipping import centred_clipping
from tff_lg.aggregators.factories.dp_mean import dp_mean
from tff_lg.aggregators.factories.geometric_median import geometric_median
from tff_lg.aggregators.factories.krum import krum, multi_krum
from tff_lg.aggregators.factories.mean_around_median import mean_around_median
from tff_lg.aggregators.factories.median import median
from tff_lg.aggregators.factories.minimum_diameter import minimum_diameter_mean
from tff_lg.aggregators.factories.mixing import pre_aggregated
from tff_lg.aggregators.factories.monna import monna
from tff_lg.aggregators.factories.nearest_neighbour_mixing import nearest_neighbour_mixing
from tff_lg.aggregators.factories.norm_bounded_mean import norm_bounded_mean
from tff_lg.aggregators.factories.trimmed_mean import trimmed_mean

__all__ = [
  'adaptive_clipping',
  'bucketing',
  'bulyan',
  'centred_clipping',
  'dp_mean',
  'geometric_median',
  'krum',
  'mean_around_median',
  'median',
  'minimum_diameter_mean',
  'monna',
  'multi_krum',
  'nearest_neighbour_mixing',
  'norm_bounded_mean',
  'pre_aggregated',
  'trimmed_mean',
]
