"""Forgetting of old devices and learning of a new one, by round."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tff_lg import metric_names, metrics
from tff_lg.analysis import formats, names, style

# By C; beyond them they come again.
_DASHES = ((0, (5, 2)), '-', (0, (1.5, 1.5)), (0, (7, 2, 1.5, 2)))


def columns(metric: str = metric_names.LOCAL_ACCURACY) -> tuple[str, str]:
  """Returns the columns with a metric on clients' test data: of the old devices, of the new one."""
  return (
    metric_names.pooled(f'{metric_names.OLD_CLIENTS}/{metric}'),
    metric_names.pooled(f'{metric_names.NEW_CLIENT}/{metric}'),
  )


@style.styled
def forgetting_curves(
  curves: pd.DataFrame, transform: str, metric: str = metric_names.LOCAL_ACCURACY
) -> Figure:
  """Draws a metric of the old devices (above) and of the new one (below) by round.

  Args:
    curves: rows by run and round, with the columns method, partition, old_clients_share,
      round_num and the two of `columns(metric)`.
    transform: what was done to the new device's examples.
    metric: on clients' test data; a share is drawn in per cent.

  Returns:
    The figure: a column of two panels for each partition. A line is the mean over runs of a method
    and C, its band a standard deviation to either side.
  """
  partitions = curves['partition'].unique()
  figure = Figure(figsize=(1.5 + 4.5 * len(partitions), 5.8))
  panels = figure.subplots(2, len(partitions), sharex=True, sharey='row', squeeze=False)
  shares = sorted(curves['old_clients_share'].unique())
  for column, partition in enumerate(partitions):
    of_partition = curves[curves['partition'] == partition]
    lines = of_partition.groupby(['method', 'old_clients_share'], sort=False)
    for (method, share), of_line in lines:
      dashes = _DASHES[shares.index(share) % len(_DASHES)]
      for axes, name in zip(panels[:, column], columns(metric), strict=True):
        scaled = formats.metric_scale(metric) * of_line.set_index('round_num')[name]
        _draw(axes, scaled, method, share, dashes)
    panels[0, column].set_title(names.partition_name(partition), loc='left')
    panels[1, column].xaxis.set_major_locator(MaxNLocator(integer=True))
    style.label_axes(panels[1, column], x='round with the new device', y='')
  label = metrics.METRICS[metric_names.metric_of(metric)].label
  unit = formats.unit_of_column(metric)
  panels[0, 0].set_ylabel(f'{label}, old devices, normal{unit}')
  panels[1, 0].set_ylabel(f'{label}, new device, {transform}{unit}')
  handles = {}
  for axes in panels[0]:
    handles.update({line.get_label(): line for line in axes.get_lines()})
  figure.legend(handles.values(), handles, loc='outside upper center', ncols=min(len(handles), 4))
  return figure


def _draw(
  axes: Axes,
  values: pd.Series,
  method: str,
  share: float,
  dashes: str | tuple,
) -> None:
  by_round = values.groupby(level='round_num')
  mean, std = by_round.mean(), by_round.std(ddof=1)
  axes.plot(
    mean,
    color=style.colour(method),
    linestyle=dashes,
    label=f'{names.method_name(method)}, C = {share:g}',
  )
  if std.notna().any():
    low, high = mean - std, mean + std
    axes.fill_between(mean.index, low, high, color=style.colour(method), alpha=0.15, linewidth=0)
  axes.margins(x=0.01)
