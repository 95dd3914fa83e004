"""Which weights stay on the client and which travel."""

from tff_lg.analysis import markup
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Section


def build_model(run: RunFolder) -> Section | None:
  """Returns the model's split as the run printed it; None where it was not recorded."""
  if run.model_split is None:
    return None
  html = markup.fill(
    'preformatted',
    'Global weights are aggregated by the server, local weights never leave their client.',
    run.model_split.rstrip('\n'),
  )
  return Section('model', 'Model', html)
