"""Sensitivity tables of Liang et al. 2020 (arXiv:2001.01523): 3, 4, 5 and 10 classes per device."""

from collections.abc import Mapping, Sequence

from tff_lg import metric_names
from tff_lg.published.read import from_best_round, from_summary
from tff_lg.published.table import (
  CIFAR10_FILES,
  MNIST_FILES,
  NOT_KNOWN,
  Figure,
  Run,
  TableEntry,
  register,
)

_AVERAGE = metric_names.new_test('accuracy', 'weight_average')
_LOCAL = metric_names.mean(metric_names.LOCAL_ACCURACY)
# Flags by the number of classes per device; "10 classes" are examples dealt at random.
BY_CLASSES = {
  '3': ('--partition=classes_per_client', '--classes_per_client=3'),
  '4': ('--partition=classes_per_client', '--classes_per_client=4'),
  '5': ('--partition=classes_per_client', '--classes_per_client=5'),
  '10': ('--partition=iid',),
}
_ROWS = ('local learning', 'FedAvg', 'LG-FedAvg')
# Row and column of a number of the paper, as far as our copy shows them; without its spread.
_Published = Mapping[tuple[str, str], float]


def _label(number: str) -> str:
  return f'{number} classes{" (IID)" if number == "10" else ""}'


def name_row(number: str, row: str) -> str:
  """Returns the name of a method's row, by the number of classes per device."""
  return f'{_label(number)}, {row}'


def _figures(number: str, lg: str, ensemble: str, published: _Published) -> tuple[Figure, ...]:
  local, fedavg, both = (name_row(number, row) for row in _ROWS)
  new_test = metric_names.new_test('accuracy', ensemble)
  reads = (
    (local, 'local test', from_summary(f'local_only_{number}', _LOCAL)),
    (local, 'new test', from_summary(f'local_only_{number}', _AVERAGE)),
    (fedavg, 'local test', from_best_round(f'{lg}_{number}', 'fedavg', _LOCAL)),
    (both, 'local test', from_summary(f'{lg}_{number}', _LOCAL)),
    (both, 'new test', from_summary(f'{lg}_{number}', new_test)),
  )
  return tuple(
    Figure(row=row, column=column, read=read, published=published.get((row, column), NOT_KNOWN))
    for row, column, read in reads
  )


def _register(
  name: str,
  label: str,
  folder: str,
  lg: str,
  ensemble: str,
  cpu_minutes: float,
  published: _Published,
  numbers: Sequence[str] = tuple(BY_CLASSES),
) -> TableEntry:
  data = name.partition('_')[0]
  runs = tuple(
    Run(
      name=f'{method}_{number}',
      flags=(
        f'--flagfile={{configs}}/{data}_classes.flags',
        f'--flagfile={{configs}}/{data}_classes_{method}.flags',
        *BY_CLASSES[number],
      ),
    )
    for number in numbers
    for method in ('local_only', lg)
  )
  return register(
    TableEntry(
      name=name,
      label=f'LG-FedAvg on {label}',
      paper='Liang et al. 2020, sensitivity tables',
      data=folder,
      cpu_minutes=cpu_minutes,
      runs=runs,
      figures=tuple(
        figure for number in numbers for figure in _figures(number, lg, ensemble, published)
      ),
      contrasts=tuple(
        (name_row(number, 'LG-FedAvg'), name_row(number, other))
        for number in numbers
        for other in ('local learning', 'FedAvg')
      ),
      note="FedAvg is the warm start's best round by validation data. New test of local learning "
      "is the accuracy of the mean of all clients' weights. Published figures that our copy of the "
      'paper does not show are not known; it has those of 5 and 10 classes at most.',
    )
  )


_register(
  'mnist_classes',
  'MNIST by classes per device',
  MNIST_FILES,
  'lg_800',
  'ensemble_probability',
  100,
  {
    (name_row('5', 'LG-FedAvg'), 'local test'): 98.21,
    (name_row('10', 'LG-FedAvg'), 'local test'): 97.91,
  },
)
# A table for each number, as each takes hours.
CIFAR10 = {
  number: _register(
    f'cifar10_classes_{number}',
    f'CIFAR-10, {_label(number)} per device',
    CIFAR10_FILES,
    'lg_1800',
    'ensemble_log_probability',
    60,
    published,
    (number,),
  )
  for number, published in {
    '3': {},
    '4': {},
    '5': {
      (name_row('5', 'local learning'), 'local test'): 73.42,
      (name_row('5', 'FedAvg'), 'local test'): 67.21,
      (name_row('5', 'LG-FedAvg'), 'local test'): 82.51,
      (name_row('5', 'LG-FedAvg'), 'new test'): 68.32,
    },
    '10': {
      (name_row('10', 'local learning'), 'local test'): 45.54,
      (name_row('10', 'FedAvg'), 'local test'): 67.74,
      (name_row('10', 'LG-FedAvg'), 'local test'): 69.89,
      (name_row('10', 'LG-FedAvg'), 'new test'): 69.76,
    },
  }.items()
}
