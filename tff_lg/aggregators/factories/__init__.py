"""Aggregators as TFF aggregation factories, for any TFF program.

The robust rules have two forms. Unweighted, all clients count alike. With `weighted=True`
a client of weight zero is absent (a dropout's update of zeros does not vote for zero), and the
others' weights count where that is defined.
"""

from tff_lg.aggregators.factories.dp_mean import dp_mean
from tff_lg.aggregators.factories.geometric_median import geometric_median
from tff_lg.aggregators.factories.krum import krum, multi_krum
from tff_lg.aggregators.factories.median import median
from tff_lg.aggregators.factories.norm_bounded_mean import norm_bounded_mean
from tff_lg.aggregators.factories.trimmed_mean import trimmed_mean

__all__ = [
  'dp_mean',
  'geometric_median',
  'krum',
  'median',
  'multi_krum',
  'norm_bounded_mean',
  'trimmed_mean',
]
