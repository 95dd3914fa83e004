"""How training went."""

from markupsafe import Markup

from tff_lg.analysis import figures, names
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Illustration, Section


def build_training(run: RunFolder) -> Section | None:
  """Curves by round, and clients that were left out; None without any round."""
  if run.metrics.empty:
    return None
  left_out = run.curve(names.NUM_CLIENTS_LEFT_OUT)
  html = Markup()
  if left_out.sum() > 0:
    html = Markup('<p class="warning">{}</p>').format(
      f'{left_out.sum():,.0f} client updates in {(left_out > 0).sum():,} rounds were not finite '
      'and were left out.'
    )
  caption = 'Loss of this run, and accuracy of this run and its baselines, by round.'
  if len(run.phases()) > 1:
    caption += ' Shaded: the warm start.'
  curves = Illustration('training_curves', figures.training_curves(run), caption)
  return Section('training', 'Training', html, (curves,))
