"""All clients by what taking part gives them, with intervals."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tff_lg import metric_names
from tff_lg.analysis import formats, names, style
from tff_lg.verdicts import Verdict

# Beyond so many clients marks and intervals are thin.
_MANY = 150


def in_order(verdicts: pd.DataFrame) -> pd.DataFrame:
  """Returns clients in the order of the figure: the first is at 1 on the x axis."""
  return verdicts.sort_values(['difference', 'low'], kind='stable')


def client_marks(verdicts: pd.DataFrame, metric: str) -> tuple[style.ClientMark, ...]:
  """Returns each client's place in the figure, with its name, difference and verdict.

  Args:
    verdicts: by client id, as `verdict_intervals` has them.
    metric: that is compared.
  """
  marks = []
  for number, (client, row) in enumerate(in_order(verdicts).iterrows(), start=1):
    difference, low, high = (
      formats.difference(metric, row[end]) for end in ('difference', 'low', 'high')
    )
    text = f'{client}: {difference} ({low} to {high}), {row["verdict"]}'
    marks.append(style.ClientMark(number, str(client), text))
  return tuple(marks)


@style.styled
def verdict_intervals(
  verdicts: pd.DataFrame, *, method: str, metric: str = metric_names.LOCAL_ACCURACY
) -> Figure:
  """Draws each client's difference of accuracy with its 95 % interval, sorted.

  Args:
    verdicts: as `client_verdicts.load_verdicts` gives them, at least one row.
    method: of the run, such as `lg_fedavg`.
    metric: that is compared.

  Returns:
    The figure: colours and marks by verdict, points upwards where the method is better.
  """
  table = in_order(verdicts).reset_index(drop=True)
  figure = Figure(figsize=(9, 4.2))
  axes = figure.subplots()
  axes.axhline(0, color=style.INK, linewidth=1)
  few = len(table) <= _MANY
  handles = []
  for verdict, (label, colour, marker) in _looks(method).items():
    chosen = table[table['verdict'] == verdict]
    values = formats.metric_scale(metric) * chosen[['difference', 'low', 'high']].to_numpy()
    lengths = np.abs(values[:, 1:].T - values[:, 0])
    axes.errorbar(
      chosen.index + 1,
      values[:, 0],
      yerr=lengths,
      fmt=marker,
      color=colour,
      markersize=4 if few else 2,
      elinewidth=1 if few else 0.4,
      alpha=0.9,
    )
    handles.append(
      Line2D(
        [], [], linestyle='none', marker=marker, color=colour, label=f'{label}: {len(chosen):,}'
      )
    )
  axes.set_xlim(0, len(table) + 1)
  label = formats.metric_label(metric).replace('(%)', '(points)')
  style.label_axes(
    axes,
    x='clients, sorted by difference',
    y=f'{_difference(method, metric)},\n{label}',
  )
  axes.legend(handles=handles[::-1], loc='upper left', bbox_to_anchor=(1.0, 1.0))
  return figure


def _difference(method: str, metric: str) -> str:
  name = names.method_name(method)
  is_more_better = formats.is_more_better(metric)
  return f'{name} minus own model' if is_more_better else f'own model minus {name}'


def _looks(method: str) -> dict[str, tuple[str, str, str]]:
  """Returns the label, colour and marker of each verdict, from the least to the most certain."""
  return {
    Verdict.CANNOT_TELL: ('cannot tell', style.MUTED, 'o'),
    Verdict.WORSE: ('better alone', style.colour(names.LOCAL_ONLY), 'v'),
    Verdict.BETTER: (f'better with {names.method_name(method)}', style.colour(method), '^'),
  }
