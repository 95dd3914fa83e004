"""Writes a sweep's table, figures and page into its folder."""

import os
from collections.abc import Sequence

import pandas as pd

from tff_lg import file_names, files
from tff_lg.analysis import figures, formats
from tff_lg.analysis.sections import Illustration, command_section
from tff_lg.analysis.sweep_folder import SweepResults
from tff_lg.analysis.tables import Column, Table, to_markdown
from tff_lg.analysis.tables_report import write_tables_report

_LEAD = 'The command; rerun it to resume the sweep, without training anything twice:'
_CAPTIONS = {
  '': 'Mean over seeds at each point; bars are a standard deviation to either side.',
  '_heat_map': 'Mean over seeds at each point.',
}
_NOTE = '± is the standard deviation (n − 1) over n seeds.'


def write_sweep(
  sweep_dir: str,
  *,
  metric: str | None = None,
  x_axis: str,
  series: Sequence[str],
  command: str,
  with_heat_map: bool = False,
) -> tuple[Table, tuple[str, ...]]:
  """Writes `results.csv`, `table.md`, the figures and `report.html` of a sweep.

  Args:
    sweep_dir: the sweep folder.
    metric: a number of the trials' summary.json, for table and figures; the main metric on local
      test data by default.
    x_axis: the axis along x.
    series: the other axes with several values.
    command: what was run, for the page.
    with_heat_map: whether to draw a heat map, too; needs an axis in `series`.

  Returns:
    The table, and the paths of all files except the figures, which are in `figures/`.

  Raises:
    RunFolderError: a file of the sweep is damaged, or no trial has the metric. In the latter case,
      `results.csv` has been written and lists the metrics.
    OSError: a file cannot be written.
  """
  results = SweepResults.load(sweep_dir)
  written = [
    files.write_atomically(os.path.join(sweep_dir, file_names.RESULTS), results.trials.to_csv())
  ]
  metric = metric or results.local_test_mean
  points = results.points(metric)
  table = points_table(
    points,
    metric,
    num_missing=results.num_missing,
    num_without=len(results.trials) - int(points['n'].sum()),
  )
  written.append(
    files.write_atomically(os.path.join(sweep_dir, file_names.TABLE), to_markdown(table) + '\n')
  )
  drawn = {
    '': figures.sweep_error_bars(points, results.axes, metric=metric, x_axis=x_axis, series=series)
  }
  if with_heat_map:
    drawn['_heat_map'] = figures.sweep_heat_map(
      points, results.axes, metric=metric, columns=x_axis, rows=series[0], panels=series[1:]
    )
  label, name = formats.metric_label(metric), metric.replace('/', '-')
  page = write_tables_report(
    sweep_dir,
    f'Sweep over {", ".join(results.axes)}',
    {label: table},
    [Illustration(name + suffix, figure, _CAPTIONS[suffix]) for suffix, figure in drawn.items()],
    command_section(command, _LEAD),
  )
  return table, (*written, page)


def points_table(
  points: pd.DataFrame, metric: str, *, num_missing: int = 0, num_without: int = 0
) -> Table:
  """Returns the table of a metric: a row for each point of the grid.

  Args:
    points: as `SweepResults.points` gives them.
    metric: its name.
    num_missing: trials that are not complete, which a note then says.
    num_without: complete trials without the metric, such as a goal they did not reach; the same.

  Returns:
    The axes' values, mean ± standard deviation over seeds, and the number of seeds.
  """
  axes = [name for name in points if name not in ('mean', 'std', 'n')]
  columns = (
    *(Column('', name) for name in axes),
    Column('', formats.metric_label(metric)),
    Column('', 'n'),
  )
  rows = tuple(
    (
      *(row[axis] for axis in axes),
      formats.metric_with_std(metric, row['mean'], row['std']),
      formats.count(row['n']),
    )
    for _, row in points.iterrows()
  )
  notes = [_NOTE]
  if num_without:
    notes.append(f'{num_without} complete trials have no such number; mean and n are without them.')
  if num_missing:
    notes.append(f'{num_missing} trials are not complete and left out.')
  return Table(columns, rows, tuple(notes))
