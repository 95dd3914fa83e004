"""The cost of accuracy in bytes."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from tff_lg import metric_names
from tff_lg.analysis import formats, names, style
from tff_lg.analysis.run_folder import RunFolder

# With more evaluated rounds their marks would hide the line.
_MAX_MARKERS = 40


@style.styled
def accuracy_against_bytes(run: RunFolder) -> Figure:
  """Draws local test accuracy against the bytes communicated so far.

  A method that sends nothing, such as local only, has no extent in bytes: its final
  accuracy is a level line.

  Args:
    run: the run; its baselines are drawn too.

  Returns:
    The figure: accuracy in per cent, bytes up and down of all clients together in
    the decimal unit that suits them.
  """
  runs = (*run.baselines.values(), run)  # This run last, so that it lies on top.
  curves = [(method, curve) for method in runs if len(curve := _curve(method, run.local_test))]
  scale = formats.metric_scale(run.local_test)
  unit = formats.byte_unit(max((curve.index.max() for _, curve in curves), default=0))

  figure = Figure(figsize=(9, 3.8))
  axes = figure.subplots()
  for drawn, curve in curves:
    line: dict[str, Any] = {
      'color': style.colour(drawn.method),
      'linestyle': style.line_style(drawn.method),
      'linewidth': 2.2 if drawn is run else 1.3,
    }
    name = names.method_name(drawn.method)
    if curve.index.max() == 0:
      # The final value, not the best of the curve: that would choose by test data.
      final = scale * drawn.value(metric_names.mean(run.local_test))
      axes.axhline(final, label=f'{name} (sends nothing)', **line)
    else:
      marker = 'o' if len(curve) <= _MAX_MARKERS else None
      axes.plot(
        curve.index / unit.size, scale * curve, marker=marker, markersize=3, label=name, **line
      )
  if curves:
    axes.legend(loc='upper left', bbox_to_anchor=(1.0, 1.0))
  axes.set_xlim(left=0)
  style.label_axes(
    axes,
    x=f'communicated by all clients, up and down ({unit.name})',
    y=formats.metric_label(metric_names.mean(run.local_test)).replace(', ', ',\n'),
  )
  return figure


def _curve(run: RunFolder, metric: str) -> pd.Series:
  """Returns the mean of a metric over clients in evaluated rounds, indexed by bytes so far."""
  accuracy = run.curve(metric_names.mean(metric))
  num_bytes = run.curve(metric_names.BYTES_TOTAL)
  rounds = accuracy.index.intersection(num_bytes.index)
  return pd.Series(accuracy.loc[rounds].to_numpy(), index=num_bytes.loc[rounds].to_numpy())
