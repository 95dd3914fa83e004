"""Choice of models on test data: Liang et al. 2020 with the rule of the reference code."""

from typing import NamedTuple

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import CIFAR10_FILES, Figure, Run, TableEntry, register
from tff_lg.published.table_of_classes import BY_CLASSES, CIFAR10, name_row
from tff_lg.published.table_of_lg_fedavg import ALONE, CIFAR10_LG, LOCAL_TEST

_LOCAL = metric_names.mean(metric_names.LOCAL_ACCURACY)
_REFERENCE = 'reference'
_VALIDATION = 'validation'
_RUNS = {_VALIDATION: (), _REFERENCE: ('--protocol=reference',)}
_ON_VALIDATION, _ON_TEST = 'chosen on validation data', 'chosen on test data'
# Row -> run and metric. Choosing on test data changes no bit of training: the run that validation
# data choose in also knows what test data would have chosen.
_ROWS = {
  _ON_VALIDATION: (_VALIDATION, _LOCAL),
  _ON_TEST: (_VALIDATION, metric_names.optimistic(_LOCAL)),
  'all of --protocol=reference': (_REFERENCE, _LOCAL),
}


class _Deal(NamedTuple):
  """How classes are dealt: for the table's name, in its unit, and the flags."""

  suffix: str
  label: str
  flags: tuple[str, ...]


_TWO_CLASSES = _Deal('', 'two classes per device', ('--classes_per_client=2',))
_FIVE_CLASSES = _Deal('_5', 'five classes per device', BY_CLASSES['5'])
_IID = _Deal('_iid', 'IID devices', BY_CLASSES['10'])


class _Method(NamedTuple):
  """A method: its flag file, its time, and what its reference run has besides."""

  name: str
  label: str
  rounds: str
  cpu_minutes: float
  reference_flags: tuple[str, ...] = ()
  note: str = ''


_LOCAL_LEARNING = _Method('local_only', 'local learning', 'same cohorts', 72)
_MTL = _Method(
  'mtl',
  'MTL',
  'same cohorts',
  68,
  reference_flags=('--adaptive_zeroing',),
  note='With all of the protocol, MTL has `--adaptive_zeroing`. Without it, an update of one '
  'client grows to 5e13 in round 16 of seed 0, and the mean of the models ends the run.',
)
_LG_FEDAVG = _Method('lg_1800', 'LG-FedAvg', '1800 + 100 rounds', 58)


def _register(method: _Method, deal: _Deal, table: TableEntry, row: str) -> None:
  """Registers the table of a method and deal, whose published figure another table has."""
  paper = table.figure(row, LOCAL_TEST)
  register(
    TableEntry(
      name=f'cifar10_choice_{method.name}{deal.suffix}',
      label=f'CIFAR-10, choice of {method.label} on validation and on test data'
      + ('' if deal is _TWO_CLASSES else f', {deal.label}'),
      paper='Liang et al. 2020, Tables 1 and 8',
      data=CIFAR10_FILES,
      cpu_minutes=method.cpu_minutes,
      unit=f'Percent; {deal.label}; {method.rounds}',
      runs=tuple(
        Run(
          name=name,
          flags=(
            '--flagfile={configs}/cifar10_classes.flags',
            f'--flagfile={{configs}}/cifar10_classes_{method.name}.flags',
            *deal.flags,
            *flags,
            *(method.reference_flags if name == _REFERENCE else ()),
          ),
        )
        for name, flags in _RUNS.items()
      ),
      figures=tuple(
        Figure(
          row=label,
          column=LOCAL_TEST,
          read=from_summary(run, metric),
          published=paper.published if run == _REFERENCE else None,
          spread=paper.spread if run == _REFERENCE else 0.0,
        )
        for label, (run, metric) in _ROWS.items()
      ),
      contrasts=((_ON_TEST, _ON_VALIDATION),),
      note='Figures of models that were chosen on test data are optimistic. They are here to '
      f'explain published ones. {method.note}'.rstrip(),
    )
  )


for _method, _deal, _table, _row in (
  (_LOCAL_LEARNING, _TWO_CLASSES, CIFAR10_LG, ALONE),
  (_LOCAL_LEARNING, _FIVE_CLASSES, CIFAR10['5'], name_row('5', 'local learning')),
  (_LOCAL_LEARNING, _IID, CIFAR10['10'], name_row('10', 'local learning')),
  (_MTL, _TWO_CLASSES, CIFAR10_LG, 'MTL'),
  (_LG_FEDAVG, _TWO_CLASSES, CIFAR10_LG, 'LG-FedAvg, 1800 + 100 rounds'),
  (_LG_FEDAVG, _FIVE_CLASSES, CIFAR10['5'], name_row('5', 'LG-FedAvg')),
  (_LG_FEDAVG, _IID, CIFAR10['10'], name_row('10', 'LG-FedAvg')),
):
  _register(_method, _deal, _table, _row)
