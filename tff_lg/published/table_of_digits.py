"""A table of ours on embedded data, to try the command with."""

from tff_lg import metric_names
from tff_lg.published.read import from_summary
from tff_lg.published.table import Figure, Run, TableEntry, register

_FLAGS = (
  '--task=digits',
  '--num_clients=20',
  '--clients_per_round=5',
  '--warm_start_rounds=40',
  '--rounds=40',
  '--checkpoint_every=40',
)
_COLUMNS = {
  'local test': (metric_names.mean(metric_names.LOCAL_ACCURACY), 100.0, 2),
  'new test': (metric_names.new_test('accuracy', 'ensemble_probability'), 100.0, 2),
  'parameters, 1e6': (metric_names.PARAMETERS_TOTAL, 1e-6, 2),
}


def _row(row: str, baseline: str | None = None) -> tuple[Figure, ...]:
  return tuple(
    Figure(
      row=row,
      column=column,
      read=from_summary('lg_fedavg', key, scale, baseline),
      digits=digits,
    )
    for column, (key, scale, digits) in _COLUMNS.items()
  )


register(
  TableEntry(
    name='digits_lg',
    label='LG-FedAvg on digits, two classes per device',
    cpu_minutes=1,
    runs=(Run(name='lg_fedavg', flags=(*_FLAGS, '--baselines=local_only,fedavg')),),
    figures=(
      *_row('Own best model', 'local_only'),
      *_row('FedAvg', 'fedavg'),
      *_row('LG-FedAvg, the published split'),
    ),
    note='The split sends the last three layers.',
  )
)
