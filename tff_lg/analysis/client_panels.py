"""A panel for each client: its data, its models side by side, their verdicts, and the advice."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from tff_lg import metric_names
from tff_lg.analysis import client_curves, formats, names
from tff_lg.analysis.run_folder import RunFolder

_SIZES = {
  'num_train': 'training examples',
  'num_validation': 'validation examples',
  'num_test': 'test examples',
}
# Of more classes the largest are shown.
_MOST_CLASSES = 20


class ClientPanel(NamedTuple):
  """The panel of one client, all as text.

  Attributes:
    facts: pairs of a name and a value.
    heads: of the columns of its models.
    rows: one per model, with a cell per column.
    classes: its examples of training and validation by class, the largest first.
    command: that writes its model, or nothing.
    curves: its scores by round as HTML, or nothing.
  """

  facts: Sequence[tuple[str, str]]
  heads: Sequence[str]
  rows: Sequence[Sequence[str]]
  classes: Sequence[tuple[str, int]] = ()
  command: str = ''
  curves: str = ''


def run_panels(run: RunFolder, order: Sequence[str]) -> dict[str, ClientPanel]:
  """Returns a panel for each of some clients of a run.

  Args:
    run: the run.
    order: ids of clients.
  """
  metric = run.local_test
  heads = (
    'model',
    f'validation{formats.unit_of_column(metric)}',
    f'test{formats.unit_of_column(metric)}',
    f'{names.method_name(run.method)} over it',
    '95 % interval',
    'verdict',
  )
  panels = {}
  for client in order:
    row = run.clients.loc[client]
    facts = size_facts(row)
    advice = row.get(metric_names.ADVICE)
    if isinstance(advice, str):
      facts.append(('advised model', names.method_name(advice)))
    smallest = row.get(metric_names.verdict_over(names.LOCAL_ONLY, 'smallest_difference'))
    if smallest is not None:
      unit = ' points' if formats.metric_scale(metric) == 100 else ''
      facts.append(('smallest difference to be seen', formats.value(metric, smallest) + unit))
    rows = [_model_row(run, row, method) for method in (None, *run.baselines)]
    panels[client] = ClientPanel(
      facts,
      heads,
      rows,
      count_classes(run.label_counts, client),
      curves=client_curves.draw(*client_curves.find_curves(run, client)),
    )
  return panels


def _model_row(run: RunFolder, row: pd.Series, method: str | None) -> list[str]:
  metric, prefix = run.local_test, '' if method is None else f'{method}/'
  validation = metric_names.validation(run.metric.name)
  scores = [row.get(f'{prefix}{name}', float('nan')) for name in (validation, metric)]
  cells = [names.method_name(method or run.method), *(formats.value(metric, s) for s in scores)]
  start = metric_names.verdict_over(method or '')
  if method is None or f'{start}difference' not in row or pd.isna(row[f'{start}difference']):
    return [*cells, *[formats.MISSING] * 3]
  difference, low, high = (
    formats.difference(metric, row[f'{start}{end}']) for end in ('difference', 'low', 'high')
  )
  return [*cells, difference, f'{low} to {high}', str(row[f'{start}verdict'])]


def size_facts(row: pd.Series) -> list[tuple[str, str]]:
  """Returns how many examples a client has, by a row of the table of clients."""
  return [(text, formats.count(row[name])) for name, text in _SIZES.items() if name in row]


def count_classes(counts: pd.DataFrame | None, client: str) -> list[tuple[str, int]]:
  """Returns a client's examples of training and validation by class, the largest first.

  Args:
    counts: as `RunFolder.label_counts`.
    client: its id.
  """
  if counts is None or client not in counts.index:
    return []
  of_client = counts.loc[client].sort_values(ascending=False, kind='stable')[:_MOST_CLASSES]
  return [(str(name), int(number)) for name, number in of_client.items() if number > 0]


def merge(panels: Sequence[Mapping[str, ClientPanel]]) -> dict[str, ClientPanel]:
  """Returns the panels of all sections of a page."""
  return {client: panel for of_section in panels for client, panel in of_section.items()}
