"""Malicious clients against aggregation rules on MNIST, one table of ours."""

from collections.abc import Iterator
from typing import NamedTuple

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import MNIST_FILES, Figure, Run, TableEntry, register

_ACCURACY = metric_names.mean(metric_names.LOCAL_ACCURACY)
_AGGREGATORS = (
  'mean',
  'norm_bounded_mean',
  'median',
  'trimmed_mean',
  'multi_krum',
  'geometric_median',
)
_ATTACKS = {
  'label_flip': (),
  'sign_flip': (),
  'gaussian_noise': (),
  'little_is_enough': ('--attack_strength=1.5',),
  'backdoor': (),
}
_PERCENT = (10, 20)


class _Row(NamedTuple):
  """A row of accuracies: its label, the end of its runs' names, their metric and their flags."""

  label: str
  run: str
  metric: str
  flags: tuple[str, ...]


_ROWS = (
  _Row('without attack', 'without_attack', _ACCURACY, ()),
  *(
    _Row(
      f'{attack}, {percent} %',
      f'{attack}_{percent}',
      metric_names.honest(_ACCURACY),
      (f'--attack={attack}', *flags, f'--malicious_share={percent / 100}'),
    )
    for attack, flags in _ATTACKS.items()
    for percent in _PERCENT
  ),
)


def _figures(label: str, run: str, metric: str, digits: int = 2) -> Iterator[Figure]:
  """Yields the figures of a row, one for each aggregator."""
  for aggregator in _AGGREGATORS:
    read = from_summary(f'{aggregator}_{run}', metric)
    yield Figure(row=label, column=aggregator, read=read, digits=digits)


register(
  TableEntry(
    name='mnist_attacks',
    label="Honest clients' accuracy on MNIST by attack and aggregator",
    data=MNIST_FILES,
    cpu_minutes=24,
    runs=tuple(
      Run(
        name=f'{aggregator}_{row.run}',
        flags=(
          '--flagfile={configs}/mnist_attacks.flags',
          f'--aggregator={aggregator}',
          *row.flags,
        ),
      )
      for row in _ROWS
      for aggregator in _AGGREGATORS
    ),
    figures=(
      *(figure for row in _ROWS for figure in _figures(row.label, row.run, row.metric)),
      *(
        figure
        for percent in _PERCENT
        for figure in _figures(
          f'backdoor success, {percent} %',
          f'backdoor_{percent}',
          metric_names.BACKDOOR_SUCCESS,
          digits=1,
        )
      ),
    ),
    note='*Backdoor success* is the share of triggered images that are classified as the target, '
    'class 0. IID over 100 clients, 20 rounds of 20 clients each.',
  )
)
