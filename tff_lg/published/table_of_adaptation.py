"""Local adaptation of federated models, Yu et al. 2020 (arXiv:2002.04758)."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import (
  CIFAR10_FILES,
  SHAKESPEARE_ROLES,
  Figure,
  Run,
  TableEntry,
  register,
)
from tff_lg.published.table_of_aggregators import RULES, WORSE_OFF

_TECHNIQUES = {
  'fine_tune': 'fine-tuned',
  'freeze_base': 'freeze-base',
  'ewc': 'EWC',
  'distillation': 'distillation',
}
_FEDERATED, _BEST = metric_names.FEDERATED, metric_names.BEST
_MODELS = {_FEDERATED: 'federated', **_TECHNIQUES, _BEST: 'best by validation'}
# The run with the first rule, and the one that adapts it.
_FIRST, _FIRST_ADAPTED = 'basic', 'basic_adapted'


class _Published(NamedTuple):
  """The paper's numbers of an aggregation rule.

  Attributes:
    worse: percent of participants that are worse off than alone.
    gain: mean gain of participants by adaptation, in points.
    worse_adapted: as `worse`, after adaptation.
    spread: of `worse`.
  """

  worse: float
  gain: float
  worse_adapted: float
  spread: float = 0.0


def _figures(metric: str, rule: str, published: _Published | None) -> list[Figure]:
  """Returns the figures of a rule: accuracy, gain by adaptation and who is worse off than alone."""
  found = []
  for model, label in _MODELS.items():
    gain = worse = None
    spread = 0.0
    if published is not None and model == _FEDERATED:
      worse, spread = published.worse, published.spread
    elif published is not None and model == _BEST:
      worse, gain = published.worse_adapted, published.gain
    over_federated = f'{model}/{metric_names.gain_over(_FEDERATED, metric)}'
    over_own = f'{model}/{metric_names.gain_over("local_only", metric)}'
    columns = {
      'accuracy': (metric_names.mean(f'{model}/{metric}'), None, 0.0),
      'gain, points': (metric_names.mean(over_federated), gain, 0.0),
      'worse off than alone': (metric_names.share_worse(over_own), worse, spread),
    }
    if model == _FEDERATED:
      del columns['gain, points']
    found += [
      Figure(
        row=f'{rule}, {label}',
        column=column,
        read=from_summary(f'{rule.lower()}_adapted', key),
        published=number,
        spread=off,
      )
      for column, (key, number, off) in columns.items()
    ]
  return found


def _runs(
  source: Sequence[str], adapt: Sequence[str], alone: str, train_alone: Sequence[str] = ()
) -> tuple[Run, ...]:
  """Returns a run with each rule, and one that adapts its model to each client.

  Args:
    source: flags of all runs that train.
    adapt: flags of all runs that adapt.
    alone: the run whose own models all are compared with, `_FIRST` or `_FIRST_ADAPTED`.
    train_alone: further flags of that run, which train these models.
  """
  runs = {
    rule.lower(): (*source, '--client_weighting=uniform', '--cohort_sampling=fixed_size', *flags)
    for rule, flags in RULES.items()
  }
  adapted = {
    f'{name}_adapted': (
      *(f'--from_run={{run:{name}}}', f'--adaptation={",".join(_TECHNIQUES)}', *adapt),
      *(() if name == _FIRST else (f'--local_only_from={{run:{alone}}}',)),
    )
    for name in runs
  }
  return tuple(
    Run(name=name, pipeline=pipeline, flags=(*flags, *(train_alone if name == alone else ())))
    for pipeline, of_pipeline in (('train', runs), ('adapt', adapted))
    for name, flags in of_pipeline.items()
  )


def _register(
  name: str,
  label: str,
  runs: tuple[Run, ...],
  metric: str,
  cpu_minutes: float,
  note: str,
  paper: str = '',
  data: str = '',
  published: Mapping[str, _Published] | None = None,
) -> None:
  register(
    TableEntry(
      name=name,
      label=label,
      paper=paper,
      data=data,
      cpu_minutes=cpu_minutes,
      unit='Percent of test examples and, for those worse off, of clients',
      runs=runs,
      figures=tuple(
        figure for rule in RULES for figure in _figures(metric, rule, (published or {}).get(rule))
      ),
      note=note,
    )
  )


OWN_MODELS = ('--baselines=local_only',)
# Flags of the training runs on CIFAR-10, without own models.
CIFAR10_TRAINING = ('--flagfile={configs}/cifar10_dirichlet_lenet.flags', '--baselines=')
# Those on words, with the paper's filter of participants: 150 to 500 posts, here lines.
WORDS_TRAINING = (
  '--flagfile={configs}/shakespeare_words_small.flags',
  '--min_lines=150',
  '--max_lines=500',
)

_register(
  'digits_adaptation',
  'Local adaptation on digits by aggregation rule',
  _runs(
    (
      *('--task=digits', '--partition=dirichlet', '--dirichlet_alpha=0.9', '--num_clients=10'),
      *('--method=fedavg', '--clients_per_round=5', '--rounds=40', '--baselines='),
    ),
    (
      *('--epochs=20', '--evaluate_every_epochs=10', '--learning_rate=0.01'),
      *('--ewc_strength=50', '--distillation_alpha=0.65'),
    ),
    _FIRST,
    OWN_MODELS,
  ),
  metric_names.PARTICIPANT_ACCURACY,
  3,
  "Each technique has one setting. Clients have no other choice than the epoch's.",
)

_register(
  'cifar10_adaptation',
  'Local adaptation on CIFAR-10 by aggregation rule, LeNet-5',
  _runs(
    CIFAR10_TRAINING,
    (
      '--flagfile={configs}/cifar10_adaptation.flags',
      # Validation accuracy falls from the tenth epoch on: docs/RESULTS.md.
      *('--epochs=20', '--evaluate_every_epochs=5', '--choose=global'),
      # Around a tenth of the best in `cifar10_adaptation_grid`, which has no momentum.
      '--distillation_learning_rate=0.0005,0.0015,0.005,0.015',
    ),
    _FIRST,
    OWN_MODELS,
  ),
  metric_names.PARTICIPANT_ACCURACY,
  # By the time of its parts: 17 for the models of rules, 11 for own ones, 2 for a technique with a
  # rate.
  70,
  "The paper's gain of a rule is compared with that of each client's best technique by validation "
  'data. The paper has a ResNet-18 with batch normalisation, weight decay and twice the rounds. '
  'Its rate, 0.001, is ours but for distillation, which has the best of four. Validation data of '
  'all clients choose this rate, and the epoch of 20.',
  paper='Yu et al. 2020, adaptation of images, with a ResNet-18',
  data=CIFAR10_FILES,
  published={
    # A single run of the paper: the standard error of a count of so many of 100.
    rule: _Published(worse, gain, 0, math.sqrt(worse))
    for (rule, worse), gain in zip(WORSE_OFF.items(), (2.98, 6.83, 6.34), strict=True)
  },
)

_register(
  'shakespeare_adaptation',
  "Local adaptation on words of Shakespeare's roles by aggregation rule",
  _runs(
    WORDS_TRAINING,
    (
      *('--max_clients=100', '--epochs=10', '--choose=global', '--momentum=0'),
      # By validation data of seed 0, within 0.1 points of each technique's best.
      *('--learning_rate=0.3', '--distillation_learning_rate=3'),
      *('--fisher=batch', '--ewc_strength=5000'),
      *('--distillation_alpha=0.95', '--distillation_temperature=6'),
    ),
    _FIRST_ADAPTED,
    ('--own_models=network',),
  ),
  metric_names.LOCAL_ACCURACY,
  # By the time of its parts: 70 for the models of rules, 35 for own ones, 5 for a technique.
  165,
  "The paper has 80,000 of Reddit's users and 5,000 rounds: its figures are of other text. Roles "
  'have 150 to 500 lines, as its users have posts. The adaptation has 100 of them, whose '
  'validation data choose the epoch, of 10.',
  paper='Yu et al. 2020, adaptation of words, on Reddit',
  data=SHAKESPEARE_ROLES,
  published={
    'BASIC': _Published(9.22, 2.32, 0.04),
    'DP': _Published(21.16, 2.12, 1.85),
    'ROBUST': _Published(52.15, 2.12, 18.72),
  },
)
