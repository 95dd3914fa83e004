"""The privacy that the run spent."""

from tff_lg import metric_names
from tff_lg.analysis import figures
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Illustration, Section, values_table, warnings

_LABELS = {
  metric_names.EPSILON: 'ε',
  metric_names.DELTA: 'δ',
  metric_names.NOISE_MULTIPLIER: 'noise multiplier z',
  metric_names.CLIP_NORM: 'clipping norm S',
  metric_names.ACCOUNTANT: 'accountant',
  metric_names.PRIVACY_SAMPLING: 'sampling that the accountant assumes',
  metric_names.not_covered('metrics'): 'not covered: metrics',
  metric_names.not_covered('best_round'): 'not covered: best round',
  metric_names.assumed('server'): 'assumed: server',
  metric_names.assumed('noise'): 'assumed: noise',
  metric_names.assumed('local_weights'): 'assumed: local weights',
  metric_names.assumed('public'): 'assumed: public knowledge',
  metric_names.assumed('other_runs'): 'assumed: other runs',
}


def build_privacy(run: RunFolder) -> Section | None:
  """Returns the budget, its limits, what it assumes, and epsilon by round; None without privacy."""
  found = [name for name in run.summary if name.startswith(metric_names.PRIVACY)]
  beware = [name for name in found if name.startswith(metric_names.PRIVACY_WARNING)]
  known = [name for name in found if name not in beware]
  if not known:
    return None
  # The labelled ones in their order, then what else is recorded.
  ordered = [name for name in _LABELS if name in known]
  ordered += [name for name in known if name not in _LABELS]
  html = warnings(str(run.summary[name]) for name in beware)
  html += values_table({_LABELS.get(name, name): run.summary[name] for name in ordered})
  illustrations: tuple[Illustration, ...] = ()
  if len(run.curve(metric_names.EPSILON)):
    caption = 'The ε that the rounds so far have spent, at the same δ; less is more private.'
    illustrations = (Illustration('epsilon', figures.epsilon_curve(run), caption),)
  return Section('privacy', 'Privacy', html, illustrations)
