"""Whether each client should take part, as far as its test data can tell."""

import pandas as pd
from markupsafe import Markup

from tff_lg import metric_names
from tff_lg.analysis import client_panels, client_verdicts, figures, formats, names, sortable
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Illustration, Section

# Heading of the table, by column.
_HEADINGS = {
  'client_id': 'client',
  'verdict': 'verdict',
  'difference': 'difference ({difference})',
  'interval': '95 % interval',
  'federated': 'takes part{value}',
  'own': 'alone{value}',
  'num_test': 'test examples',
  'smallest_difference': 'smallest difference to be seen{smallest}',
}


def build_verdicts(run: RunFolder) -> Section | None:
  """Returns the clients by verdict: sentences, a figure and a table; None without verdicts."""
  table = client_verdicts.load_verdicts(run)
  if table is None or table.empty:
    return None
  figure = figures.verdict_intervals(table, method=run.method, metric=run.local_test)
  intervals, test = 'Newcombe, paired', "McNemar's test (mid-p)"
  if run.local_test != metric_names.LOCAL_ACCURACY:
    intervals = 'paired t distribution; above 0 where taking part is better'
    test = str(
      run.summary.get(metric_names.verdict_over(names.LOCAL_ONLY, 'test'), 'a paired test')
    )
  caption = (
    f'Difference of local test {run.metric.label} per client with its 95 % interval ({intervals}). '
    f'Verdicts are by {test}, corrected over clients (Benjamini and Hochberg), so an interval that '
    'excludes 0 need not be a verdict.'
  )
  sizes = run.clients['num_test'] if 'num_test' in run.clients else pd.Series(dtype='float64')
  return Section(
    'verdicts',
    'Each client',
    _table(table, sizes, run.local_test),
    (Illustration('verdicts', figure, caption, figures.client_marks(table, run.local_test)),),
    client_panels.run_panels(run, list(map(str, figures.in_order(table).index))),
  )


def _table(table: pd.DataFrame, sizes: pd.Series, metric: str) -> Markup:
  """Returns a table of clients that can be searched and sorted where scripts run."""
  rows = (
    _cells(metric, str(client), row, sizes.get(client, float('nan')))
    for client, row in table.sort_values('difference').iterrows()
  )
  return sortable.sortable_table(_headings(metric), rows, 'clients and verdicts', opens_panels=True)


def _headings(metric: str) -> list[str]:
  """Returns the headings with the units of a metric."""
  is_share = formats.metric_scale(metric) == 100
  units = {
    'difference': formats.difference_unit(metric),
    'value': ' (%)' if is_share else '',
    'smallest': ' (points)' if is_share else '',
  }
  return [text.format(**units) for text in _HEADINGS.values()]


def _cells(
  metric: str, client: str, row: pd.Series, num_test: float
) -> list[tuple[str | float, str]]:
  """Returns for each column its sort key and its contents."""
  low, high = (formats.difference(metric, row[end]) for end in ('low', 'high'))
  interval = f'{low} to {high}'
  return [
    (client, client),
    (row['verdict'], row['verdict']),
    (row['difference'], formats.difference(metric, row['difference'])),
    (row['low'], interval),
    (row['federated'], formats.value(metric, row['federated'])),
    (row['own'], formats.value(metric, row['own'])),
    (num_test, formats.count(num_test)),
    (row['smallest_difference'], formats.value(metric, row['smallest_difference'])),
  ]
