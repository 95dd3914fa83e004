"""Tables of the first version of Liang et al. 2020, which has ensembles of local models."""

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import CIFAR10_FILES, MNIST_FILES, Figure, Run, TableEntry, register

_LOCAL = metric_names.mean(metric_names.LOCAL_ACCURACY)


def _register(
  data: str,
  label: str,
  folder: str,
  lg: str,
  rounds: int,
  ensemble: str,
  cpu_minutes: float,
  alone: tuple[float, float],
  together: tuple[float, float],
) -> None:
  classes = (f'--flagfile={{configs}}/{data}_classes.flags', '--classes_per_client=2')
  methods = {'local_only': (), lg: (f'--rounds={rounds}',)}
  rows = {
    'local_only': ('Local learning, same cohorts', alone),
    lg: (f'LG-FedAvg, {lg.removeprefix("lg_")} + {rounds} rounds', together),
  }
  register(
    TableEntry(
      name=f'{data}_ensembles',
      label=f'Ensembles of local models on {label}, two classes per device',
      paper='Liang et al. 2020, first version, Table 1',
      data=folder,
      cpu_minutes=cpu_minutes,
      runs=tuple(
        Run(
          name=name,
          flags=(*classes, f'--flagfile={{configs}}/{data}_classes_{name}.flags', *flags),
        )
        for name, flags in methods.items()
      ),
      figures=tuple(
        Figure(
          row=row,
          column=column,
          read=from_summary(name, key),
          published=number,
        )
        for name, (row, published) in rows.items()
        for column, key, number in zip(
          ('local test', 'new test'),
          (_LOCAL, metric_names.new_test('accuracy', ensemble)),
          published,
          strict=True,
        )
      ),
      note="New test is that of the ensemble of all clients' models, also for local learning.",
      contrasts=((rows[lg][0], rows['local_only'][0]),),
    )
  )


_register(
  'mnist',
  'MNIST',
  MNIST_FILES,
  'lg_400',
  50,
  'ensemble_probability',
  8,
  (97.17, 84.01),
  (98.66, 97.81),
)
_register(
  'cifar10',
  'CIFAR-10',
  CIFAR10_FILES,
  'lg_1200',
  60,
  'ensemble_probability',
  45,
  (86.81, 54.83),
  (89.66, 59.63),
)
