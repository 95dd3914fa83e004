"""The table of private runs: what they spend, and what each client pays for it."""

from collections.abc import Sequence

from tff_lg import metric_names
from tff_lg.analysis import formats, paired, tables
from tff_lg.analysis.compared_runs import ComparedRuns
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.tables import Column, Table

_EQUAL_ASSUMPTIONS = (
  'Compare epsilons only at the same δ and under the same assumptions; the report of each run has '
  'them.'
)
_NO_OPEN_RUN = 'No run without privacy is compared, against which clients would change.'


def is_private(run: RunFolder) -> bool:
  """Returns whether a run has spent a privacy budget."""
  return metric_names.EPSILON in run.summary


def privacy_price_table(compared: ComparedRuns, runs: Sequence[RunFolder]) -> Table | None:
  """Returns a row for each private run.

  Args:
    compared: the runs' accuracies by client.
    runs: the runs, in the order of its columns.

  Returns:
    Rounds, epsilon, delta and noise multiplier, the mean accuracy, and the change of each client
    against the first run without privacy. None if no run is private.
  """
  labelled = list(zip(compared.accuracy, runs, strict=True))
  open_runs = [label for label, run in labelled if not is_private(run)]
  metric = compared.metric
  rows = []
  for label, run in labelled:
    if is_private(run):
      values = compared.accuracy[label]
      paid = (formats.MISSING,) * 4
      if open_runs:
        change = paired.compare_clients(values, compared.accuracy[open_runs[0]], metric)
        paid = (
          formats.difference(metric, change.mean_difference),
          tables.interval(change, metric),
          formats.difference(metric, change.worst_decile_difference),
          formats.percent(change.share_worse, digits=1),
        )
      spent = (metric_names.EPSILON, metric_names.DELTA, metric_names.NOISE_MULTIPLIER)
      rows.append(
        (
          label,
          formats.count(len(run.metrics)),
          *(formats.significant(run.value(name)) for name in spent),
          formats.value(metric, values.mean()),
          *paid,
        )
      )
  if not rows:
    return None
  change_of = f'change of each client ({formats.difference_unit(metric)})'
  columns = (
    *(Column('', name) for name in ('run', 'rounds', 'ε', 'δ', 'z', formats.metric_label(metric))),
    *(Column(change_of, name) for name in ('mean', '95 % interval', 'worst tenth')),
    Column('worse off', '(%)'),
  )
  note = _NO_OPEN_RUN
  if open_runs:
    note = f'Changes are against {open_runs[0]}, the run without privacy.'
  return Table(columns, tuple(rows), (note, _EQUAL_ASSUMPTIONS))
