"""Loss and accuracy by round."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tff_lg import metric_names
from tff_lg.analysis import formats, names, style
from tff_lg.analysis.run_folder import Phase, RunFolder

_LOSSES = {
  metric_names.TRAIN_LOSS: ('training', '-'),
  metric_names.mean(metric_names.validation('loss')): ('validation', (0, (5, 2))),
  metric_names.mean(metric_names.local_test('loss')): ('local test', (0, (1.5, 1.5))),
}


@style.styled
def training_curves(run: RunFolder) -> Figure:
  """Draws loss (above) and accuracy (below) by round, with the baselines' accuracy.

  Args:
    run: whatever curves it lacks are left out.

  Returns:
    The figure: `axes[0]` losses, `axes[1]` accuracy in per cent, its phases shaded.
  """
  figure = Figure(figsize=(9, 5.8))
  loss, accuracy = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1.25))
  for column, (label, dashes) in _LOSSES.items():
    curve = run.curve(column)
    if len(curve):
      loss.plot(curve, color=style.colour(run.method), linestyle=dashes, label=label)
  style.label_axes(loss, x='', y='mean loss')

  _draw_accuracy(accuracy, run)
  label = formats.metric_label(metric_names.mean(run.metric.name))
  style.label_axes(accuracy, x='round', y=label)
  accuracy.xaxis.set_major_locator(MaxNLocator(integer=True))
  for axes in (loss, accuracy):
    axes.margins(x=0.01)
    _shade_phases(axes, run.phases())
    if axes.get_legend_handles_labels()[0]:
      axes.legend(loc='upper left', bbox_to_anchor=(1.0, 1.0))
  return figure


def _draw_accuracy(axes: Axes, run: RunFolder) -> None:
  """Draws baselines first, so that this run lies on top."""
  test = metric_names.mean(run.local_test)
  for baseline in run.baselines.values():
    _draw_curve(axes, baseline, test, 'local test', linewidth=1.3)
  _draw_curve(axes, run, test, 'local test', linewidth=2.2)
  validation = metric_names.mean(metric_names.validation(run.metric.name))
  _draw_curve(axes, run, validation, 'validation', linewidth=1.5)


def _draw_curve(axes: Axes, run: RunFolder, column: str, data: str, linewidth: float) -> None:
  curve = formats.metric_scale(column) * run.curve(column)
  if len(curve):
    axes.plot(
      curve,
      color=style.colour(run.method),
      linestyle=(0, (1, 1)) if data == 'validation' else style.line_style(run.method),
      # A run of one evaluation has no line to be seen.
      marker='o' if len(curve) == 1 else None,
      label=f'{names.method_name(run.method)}, {data}',
      linewidth=linewidth,
    )


def _shade_phases(axes: Axes, phases: Sequence[Phase]) -> None:
  """Shades every phase but the last one; the legend names them, which always has room."""
  for phase in phases[:-1]:
    axes.axvspan(
      phase.first - 0.5,
      phase.last + 0.5,
      color=style.colour(phase.method),
      alpha=0.12,
      linewidth=0,
      zorder=0,
      label=f'warm start: {names.method_name(phase.method)} rounds',
    )
