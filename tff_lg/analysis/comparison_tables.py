"""Tables of runs that are compared client by client."""

from collections.abc import Sequence

import pandas as pd

from tff_lg.analysis import formats, names, paired, tables
from tff_lg.analysis.client_comparison import describe_clients
from tff_lg.analysis.compared_runs import ComparedRuns
from tff_lg.analysis.privacy_price import privacy_price_table
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.tables import Column, Table

_NOTES = (
  'Worst tenth: mean over the tenth of the clients, rounded up, that does worst or changes for the '
  'worst.',
  'Gini: mean absolute difference of two clients over twice the mean, 0 where all are equal; '
  'variance: of the population of clients, of accuracies in squared points.',
)
_NO_BASELINE = 'The run has no local-only baseline (--baselines=local_only) to measure changes by.'


def comparison_table(compared: ComparedRuns) -> Table:
  """Returns a row for each run, the local-only baseline first.

  Args:
    compared: the runs.

  Returns:
    Mean, median and worst tenth of the accuracy. The change against each client's locally trained
    model, and the share of clients that lose by it. Gini and variance of the accuracy over clients.
  """
  accuracy = formats.metric_label(compared.metric)
  change = f'change against locally trained model ({formats.difference_unit(compared.metric)})'
  columns = (
    Column('', 'run'),
    *(Column(accuracy, name) for name in ('mean', 'median', 'worst tenth')),
    *(Column(change, name) for name in ('mean', '95 % interval', 'median', 'worst tenth')),
    Column('worse off', '(%)'),
    *(Column('over clients', name) for name in ('Gini', 'variance')),
  )
  metric = compared.metric
  rows = [_row(metric, label, values, compared.own) for label, values in compared.accuracy.items()]
  if compared.own is not None:
    rows.insert(0, _row(metric, _baseline_label(compared), compared.own, None))
  return Table(columns, tuple(rows), _notes(compared))


def run_differences_table(compared: ComparedRuns) -> Table | None:
  """Returns the first run against each other one, client by client; None without others."""
  first, *others = compared.accuracy
  pairs = {
    tables.minus(first, label, compared.metric): (
      compared.accuracy[first],
      compared.accuracy[label],
    )
    for label in others
  }
  table = tables.differences_table(compared.metric, pairs)
  # What the interval is stands below the first table.
  return table._replace(notes=()) if table else None


def comparison_report(compared: ComparedRuns, runs: Sequence[RunFolder] = ()) -> str:
  """Returns all tables as text, for the terminal; that of private runs if the runs are given."""
  found = (
    comparison_table(compared),
    run_differences_table(compared),
    privacy_price_table(compared, runs) if runs else None,
  )
  return '\n\n'.join(tables.to_text(table) for table in found if table)


def _row(metric: str, label: str, accuracy: pd.Series, own: pd.Series | None) -> tuple[str, ...]:
  """Returns a run's row; without `own` there is nothing to measure its changes by."""
  changes = (formats.MISSING,) * 5
  if own is not None:
    change = paired.compare_clients(accuracy, own, metric)
    changes = (
      formats.difference(metric, change.mean_difference),
      tables.interval(change, metric),
      formats.difference(metric, change.median_difference),
      formats.difference(metric, change.worst_decile_difference),
      formats.percent(change.share_worse, digits=1),
    )
  spread, scale = describe_clients(accuracy, metric), formats.metric_scale(metric)
  values = (spread.mean, spread.median, spread.worst_decile)
  # Of percentages, as the literature gives it.
  variance = formats.fixed(scale**2 * spread.variance, digits=1)
  return (
    label,
    *(formats.value(metric, each) for each in values),
    *changes,
    # It is of what cannot be negative.
    formats.fixed(spread.gini, digits=4) if accuracy.min() >= 0 else formats.MISSING,
    variance if scale == 100 else formats.significant(spread.variance),
  )


def _baseline_label(compared: ComparedRuns) -> str:
  label = names.method_name(names.LOCAL_ONLY)
  return label if label not in compared.accuracy else f'{label} (baseline)'


def _notes(compared: ComparedRuns) -> tuple[str, ...]:
  what = formats.metric_label(compared.metric).removesuffix(' (%)')
  clients = f'Over the {len(compared.accuracy):,} clients whose {what} every row has'
  if compared.num_left_out:
    clients += f'; {compared.num_left_out:,} without it, or malicious, are left out'
  return (
    f'{clients}.',
    *_NOTES,
    paired.INTERVAL,
    *([_NO_BASELINE] if compared.own is None else []),
  )
