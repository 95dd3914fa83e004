"""A new device with rotated images joins finished runs, Liang et al. 2020, Table 3."""

from collections.abc import Mapping, Sequence

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import CIFAR10_FILES, MNIST_FILES, Figure, Run, TableEntry, register

_METHODS = {'fedavg': 'FedAvg', 'fedprox': 'FedProx', 'lg_fedavg': 'LG-FedAvg'}
_PARTITIONS = {'iid': 'IID', 'classes_per_client': 'two classes'}
_OLD, _NEW = (
  metric_names.pooled(f'{group}/{metric_names.LOCAL_ACCURACY}')
  for group in (metric_names.OLD_CLIENTS, metric_names.NEW_CLIENT)
)
_ALONE = 'The new device alone'
_OWN = f'{metric_names.NEW_CLIENT}/{metric_names.OWN_MODEL}/{metric_names.LOCAL_ACCURACY}'

# Method and C -> normal and rotated accuracy on IID data, then with two classes per device.
_Published = Mapping[tuple[str, str], Sequence[float]]
_MNIST: _Published = {
  ('fedavg', '0'): (32.0, 91.8, 35.7, 93.6),
  ('lg_fedavg', '0'): (96.6, 92.9, 96.3, 94.1),
  ('fedavg', '0.1'): (97.4, 89.3, 96.9, 89.6),
  ('fedprox', '0.1'): (94.8, 87.2, 97.9, 91.6),
  ('lg_fedavg', '0.1'): (97.7, 93.2, 98.2, 93.9),
}


def _row(method: str, share: str) -> str:
  """Returns the row of a method with a share C of the old devices."""
  return f'{_METHODS[method]}, C = {share}'


def _figures(rows: Sequence[tuple[str, str]], published: _Published) -> tuple[Figure, ...]:
  """Returns the figures of methods with shares C of the old devices, and of the device alone."""
  places = [
    (partition, label, image, key)
    for partition, label in _PARTITIONS.items()
    for image, key in (('normal', _OLD), ('rotated', _NEW))
  ]
  found = [
    Figure(
      row=_row(method, share),
      column=f'{image}, {label}',
      # A run joins one source run.
      read=from_summary(f'{method}_{partition}_joined', f'{method}_1_C{share}/{key}'),
      published=published[method, share][number] if published else None,
      digits=1,
    )
    for method, share in rows
    for number, (partition, label, image, key) in enumerate(places)
  ]
  method, share = rows[0]
  alone = [
    Figure(
      row=_ALONE,
      column=f'rotated, {label}',
      read=from_summary(f'{method}_{partition}_joined', f'{method}_1_C{share}/{_OWN}'),
      digits=1,
    )
    for partition, label in _PARTITIONS.items()
  ]
  return (*found, *alone)


def _runs(
  methods: Mapping[str, Sequence[str]],
  rows: Sequence[tuple[str, str]],
  common: Sequence[str],
  device: Sequence[str],
  warm_starts: Mapping[str, str] = {},
) -> tuple[Run, ...]:
  """Returns the source run of each method and partition, and the run that joins it.

  Args:
    methods: flags of each source run, by method.
    rows: methods and shares C.
    common: flags of all source runs.
    device: flags of all runs that join one.
    warm_starts: methods whose warm start is the source run of another, and that other.
  """

  def taken_from(method: str, partition: str) -> tuple[str, ...]:
    if method not in warm_starts:
      return ()
    return (f'--warm_start_from={{run:{warm_starts[method]}_{partition}}}', '--data_dir={data}')

  names = [(method, partition) for method in methods for partition in _PARTITIONS]
  sources = [
    Run(
      name=f'{method}_{partition}',
      flags=(
        *common,
        *methods[method],
        f'--partition={partition}',
        '--baselines=',
        *taken_from(method, partition),
      ),
    )
    for method, partition in names
  ]
  joined = [
    Run(
      name=f'{method}_{partition}_joined',
      pipeline='new_device',
      flags=(
        *device,
        f'--from_run={{run:{method}_{partition}}}',
        f'--old_clients_share={",".join(share for of, share in rows if of == method)}',
      ),
    )
    for method, partition in names
  ]
  return (*sources, *joined)


_ROWS = tuple(key for key in _MNIST if key[0] != 'fedprox')
_CONTRASTS = (
  *((_row('lg_fedavg', share), _row('fedavg', share)) for share in ('0', '0.1')),
  *((_ALONE, _row(*key)) for key in _ROWS),
)
_UNIT = 'Percent, of the old devices on normal and of the new one on rotated images'
_ROTATED = '--flagfile={configs}/mnist_new_device.flags'

register(
  TableEntry(
    name='digits_new_device',
    label='A new device with rotated images on digits',
    cpu_minutes=2,
    unit=_UNIT,
    runs=_runs(
      {
        'fedavg': ('--method=fedavg', '--rounds=100'),
        'lg_fedavg': ('--method=lg_fedavg', '--warm_start_rounds=70', '--rounds=30'),
      },
      _ROWS,
      ('--task=digits', '--num_clients=20', '--clients_per_round=5'),
      (
        '--transform=rotate90',
        '--train_examples=100',
        '--test_examples=100',
        '--rounds=50',
        '--own_models=linear',
      ),
    ),
    figures=_figures(_ROWS, {}),
    note='The new device has a hundred training examples. Alone it has a logistic regression.',
    contrasts=_CONTRASTS,
  )
)

register(
  TableEntry(
    name='mnist_new_device',
    label='A new device with rotated images on MNIST',
    paper='Liang et al. 2020, Table 3',
    data=MNIST_FILES,
    # By the time of a round: 0.5 CPU seconds with ten clients.
    cpu_minutes=80,
    seeds=tuple(range(10)),
    unit=_UNIT,
    runs=_runs(
      {
        method: (f'--flagfile={{configs}}/mnist_classes_{flags}.flags',)
        for method, flags in (('fedavg', 'fedavg'), ('fedprox', 'fedprox'), ('lg_fedavg', 'lg_400'))
      },
      tuple(_MNIST),
      ('--flagfile={configs}/mnist_classes.flags', '--rounds_until=validation/accuracy>=0.98'),
      (_ROTATED,),
    ),
    figures=_figures(tuple(_MNIST), _MNIST),
    note='Source runs end at 98 % on validation data, or after the rounds of their flag files. The '
    "paper's spread is not known.",
    contrasts=_CONTRASTS,
  )
)

register(
  TableEntry(
    name='cifar10_new_device',
    label='A new device with rotated images on CIFAR-10',
    data=CIFAR10_FILES,
    # 200 on a core with 1.05 seconds a round; others have 0.8.
    cpu_minutes=150,
    unit=_UNIT,
    runs=_runs(
      {
        method: (f'--flagfile={{configs}}/cifar10_classes_{flags}.flags',)
        for method, flags in (('fedavg', 'fedavg'), ('lg_fedavg', 'lg_1800'))
      },
      _ROWS,
      ('--flagfile={configs}/cifar10_classes.flags',),
      (_ROTATED,),
      {'lg_fedavg': 'fedavg'},
    ),
    figures=_figures(_ROWS, {}),
    note='The setting is that of MNIST. LG-FedAvg has 100 rounds after the 1800 of FedAvg. Our '
    'copy of the paper has figures of MNIST alone.',
    contrasts=_CONTRASTS,
  )
)
