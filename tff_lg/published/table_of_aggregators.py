"""Participants worse off than alone by the aggregation rule, Yu et al. 2020 (arXiv:2002.04758)."""

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import CIFAR10_FILES, Figure, Read, Run, TableEntry, register

if TYPE_CHECKING:  # pandas takes a second to import.
  from tff_lg.analysis import RunFolder

_ACCURACY = metric_names.PARTICIPANT_ACCURACY
_BASIC = 'BASIC'
# The flags of each aggregation rule.
RULES = {
  _BASIC: ('--aggregator=mean',),
  'DP': ('--aggregator=dp_mean', '--dp_sigma=0.01', '--clip_norm=15'),
  'ROBUST': ('--aggregator=median',),
}
# How many of 100 participants are worse off with a ResNet-18 and 1000 rounds.
WORSE_OFF = {_BASIC: 1, 'DP': 11, 'ROBUST': 34}
# What accuracy they have more than with BASIC, in points.
_CHANGES = {'DP': -7.83, 'ROBUST': -11.89}
_ALL_RULES = RULES | {
  # z = sigma m / S of DP, with m = 10: sigma is 0.01 where the median norm of updates is 15.
  'DP, sigma by median norm': (
    '--aggregator=dp_mean',
    '--noise_multiplier=0.006667',
    '--clip_norm=15',
    '--dp_clipping=adaptive',
  ),
}
# The networks, their flags and CPU minutes (by the time of their parts), by the table's ending.
_NETWORKS = {
  '': ('LeNet-5', (), 33),
  '_norm': ('LeNet-5 with group normalisation', ('--model=group_norm_lenet',), 57),
}


def _run_name(rule: str) -> str:
  return re.sub(r'\W+', '_', rule.lower())


def _worse_off(rule: str) -> Read:
  def read(runs: Mapping[str, 'RunFolder']) -> float:
    # Own models are those of BASIC, on which no rule has an influence.
    own = runs[_run_name(_BASIC)].client_accuracy('local_only', _ACCURACY)
    gains = runs[_run_name(rule)].client_accuracy(metric=_ACCURACY) - own
    return float((gains < 0).sum()) if gains.notna().any() else math.nan

  return read


def _accuracy(rule: str) -> Read:
  return from_summary(_run_name(rule), metric_names.mean(_ACCURACY))


def _change(rule: str) -> Read:
  return lambda runs: _accuracy(rule)(runs) - _accuracy(_BASIC)(runs)


def _figures(rule: str) -> tuple[Figure, ...]:
  worse_off = Figure(
    row=rule,
    column='worse off',
    read=_worse_off(rule),
    published=WORSE_OFF.get(rule),
    # A single run of the paper: the standard error of a count of so many.
    spread=math.sqrt(WORSE_OFF.get(rule, 0)),
    digits=0,
  )
  accuracy = Figure(row=rule, column='accuracy', read=_accuracy(rule))
  change = Figure(
    row=rule, column='change against BASIC', read=_change(rule), published=_CHANGES.get(rule)
  )
  return (worse_off, accuracy) if rule == _BASIC else (worse_off, accuracy, change)


for _suffix, (_network, _model, _minutes) in _NETWORKS.items():
  register(
    TableEntry(
      name=f'cifar10_aggregators{_suffix}',
      label=f'Participants worse off than alone by aggregation rule, {_network}',
      paper='Yu et al. 2020, section 4, images, with a ResNet-18',
      data=CIFAR10_FILES,
      cpu_minutes=_minutes,
      unit='Numbers of 100 participants, accuracy in percent, and change in points',
      runs=tuple(
        Run(
          name=_run_name(rule),
          flags=(
            '--flagfile={configs}/cifar10_dirichlet_lenet.flags',
            *_model,
            *(() if rule == _BASIC else ('--baselines=',)),
            *flags,
          ),
        )
        for rule, flags in _ALL_RULES.items()
      ),
      figures=tuple(figure for rule in _ALL_RULES for figure in _figures(rule)),
      note='Accuracies by class are weighted by the share of the class in training data. Own '
      'models are trained to their best. The paper has batch normalisation, weight decay and '
      'twice the rounds.',
    )
  )
