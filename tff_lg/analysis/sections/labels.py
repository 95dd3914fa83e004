"""The data of the clients."""

from tff_lg.analysis import figures
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Illustration, Section


def build_labels(run: RunFolder) -> Section | None:
  """Returns the classes of each client; None where they were not recorded."""
  if run.label_counts is None or run.label_counts.empty:
    return None
  caption = (
    "Above, each client's number of training examples, those kept for validation included; "
    "below, each class's share of them. Empty: the client has no example of the class."
  )
  figure = figures.label_distribution(run.label_counts)
  return Section(
    'labels', 'Data of the clients', illustrations=(Illustration('label_counts', figure, caption),)
  )
