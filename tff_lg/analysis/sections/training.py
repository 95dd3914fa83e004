"""How training went."""

from markupsafe import Markup

from tff_lg import metric_names
from tff_lg.analysis import figures, markup
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Illustration, Section, warnings


def _goals(run: RunFolder) -> Markup:
  """Returns when the warm start, and the rounds of the method, ended with their goals."""
  html = Markup()
  for name, what in (('warm_start_until', 'warm start'), ('rounds_until', 'rounds of the method')):
    if (goal := run.hparams.get(name)) is None:
      continue
    if targets := run.hparams.get(goal):  # The goal is all of --goal_accuracy.
      goal = f'{goal}={",".join(f"{target:g}" for target in targets)}'
    warm = int(run.summary.get(metric_names.WARM_START_ROUNDS, 0))
    done = warm if name == 'warm_start_until' else int(run.metrics.index.max())
    is_reached = run.summary.get(metric_names.is_reached(name))
    how = 'as it was reached' if is_reached else 'before it was reached'
    sentence = f'The goal of the {what} was {goal}. Round {done:,} ended it, {how}.'
    html += markup.fill('paragraph', sentence)
  return html


def _early_stopping(run: RunFolder) -> Markup:
  """Returns how many rounds early stopping saved, if the run had it."""
  if metric_names.ROUNDS_SAVED not in run.summary or not run.hparams.get('early_stopping_rounds'):
    return Markup()
  saved, done = int(run.value(metric_names.ROUNDS_SAVED)), int(run.metrics.index.max())
  patience = run.hparams.get('early_stopping_rounds')
  sentence = f'Early stopping saved no round: all {done:,} were run.'
  if saved:
    sentence = (
      f'Early stopping saved {saved:,} of {saved + done:,} rounds: on validation data the mean '
      f'over clients had not improved for {patience} rounds.'
    )
  return markup.fill('paragraph', sentence)


def build_training(run: RunFolder) -> Section | None:
  """Returns curves by round, and clients that were left out; None without any round."""
  if run.metrics.empty:
    return None
  left_out = run.curve(metric_names.NUM_CLIENTS_LEFT_OUT)
  html = Markup()
  if left_out.sum() > 0:
    html = warnings(
      [
        f'{left_out.sum():,.0f} client updates in {(left_out > 0).sum():,} rounds were not finite '
        'and were left out.'
      ]
    )
  html += _goals(run) + _early_stopping(run)
  label = run.metric.label
  caption = f'Loss of this run, and {label} of this run and its baselines, by round.'
  if len(run.phases()) > 1:
    caption += ' Shaded: the warm start.'
  curves = Illustration('training_curves', figures.training_curves(run), caption)
  return Section('training', 'Training', html, (curves,))
