"""The privacy that the run spent."""

from tff_lg.analysis import figures, names
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Illustration, Section, values_table, warnings

_LABELS = {
  names.EPSILON: 'ε',
  names.DELTA: 'δ',
  names.NOISE_MULTIPLIER: 'noise multiplier z',
  'privacy/clip_norm': 'clipping norm S',
  'privacy/accountant': 'accountant',
  'privacy/sampling': 'sampling that the accountant assumes',
  'privacy/not_covered/metrics': 'not covered: metrics',
  'privacy/not_covered/best_round': 'not covered: best round',
  'privacy/assumed/server': 'assumed: server',
  'privacy/assumed/noise': 'assumed: noise',
  'privacy/assumed/local_weights': 'assumed: local weights',
  'privacy/assumed/public': 'assumed: public knowledge',
  'privacy/assumed/other_runs': 'assumed: other runs',
}


def build_privacy(run: RunFolder) -> Section | None:
  """Returns the budget, its limits, what it assumes, and epsilon by round; None without privacy."""
  found = [name for name in run.summary if name.startswith(names.PRIVACY)]
  beware = [name for name in found if name.startswith(names.PRIVACY_WARNING)]
  known = [name for name in found if name not in beware]
  if not known:
    return None
  # The labelled ones in their order, then what else is recorded.
  ordered = [name for name in _LABELS if name in known]
  ordered += [name for name in known if name not in _LABELS]
  html = warnings(str(run.summary[name]) for name in beware)
  html += values_table({_LABELS.get(name, name): run.summary[name] for name in ordered})
  illustrations: tuple[Illustration, ...] = ()
  if len(run.curve(names.EPSILON)):
    caption = 'The ε that the rounds so far have spent, at the same δ; less is more private.'
    illustrations = (Illustration('epsilon', figures.epsilon_curve(run), caption),)
  return Section('privacy', 'Privacy', html, illustrations)
