"""Participants worse off than alone by the aggregation rule, Yu et al. 2020 (arXiv:2002.04758)."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import Figure, Read, Run, TableEntry, register

if TYPE_CHECKING:  # pandas takes a second to import.
  from tff_lg.analysis import RunFolder

_ACCURACY = metric_names.PARTICIPANT_ACCURACY
# The flags of each aggregation rule.
RULES = {
  'BASIC': ('--aggregator=mean',),
  'DP': ('--aggregator=dp_mean', '--dp_sigma=0.01', '--clip_norm=15'),
  'ROBUST': ('--aggregator=median',),
}
# How many of 100 participants are worse off with a ResNet-18 and 1000 rounds.
WORSE_OFF = {'BASIC': 1, 'DP': 11, 'ROBUST': 34}


def _worse_off(run: str) -> Read:
  def read(runs: Mapping[str, 'RunFolder']) -> float:
    # Own models are those of BASIC, on which no rule has an influence.
    own = runs['basic'].client_accuracy('local_only', _ACCURACY)
    gains = runs[run].client_accuracy(metric=_ACCURACY) - own
    return float((gains < 0).sum()) if gains.notna().any() else math.nan

  return read


register(
  TableEntry(
    name='cifar10_aggregators',
    label='Participants worse off than alone by aggregation rule, LeNet-5',
    paper='Yu et al. 2020, section 4, images, with a ResNet-18',
    data='the folder with the python batches of CIFAR-10',
    cpu_minutes=150,
    unit='Numbers of 100 participants, and participant accuracy in percent',
    runs=tuple(
      Run(
        name=rule.lower(),
        flags=(
          '--flagfile={configs}/cifar10_dirichlet_lenet.flags',
          *(() if rule == 'BASIC' else ('--baselines=',)),
          *flags,
        ),
      )
      for rule, flags in RULES.items()
    ),
    figures=tuple(
      figure
      for rule, published in WORSE_OFF.items()
      for figure in (
        Figure(
          row=rule,
          column='worse off',
          read=_worse_off(rule.lower()),
          published=published,
          # A single run of the paper: the standard error of a count of so many.
          spread=math.sqrt(published),
          digits=0,
        ),
        Figure(
          row=rule,
          column='accuracy',
          read=from_summary(rule.lower(), metric_names.mean(_ACCURACY)),
        ),
      )
    ),
    note='Own models are trained to their best. The paper has batch normalisation, weight decay '
    'and twice the rounds.',
  )
)
