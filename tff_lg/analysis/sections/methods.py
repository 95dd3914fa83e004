"""The comparison with the baselines."""

from tff_lg.analysis import markup, tables
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Section


def build_methods(run: RunFolder) -> Section:
  """Returns the table of methods and, per client, the differences to each baseline."""
  html = tables.to_html(tables.methods_table(run))
  differences = tables.paired_table(run)
  if differences is not None:
    html += markup.fill('heading', 'Client by client') + tables.to_html(differences)
  return Section('methods', 'Methods', html)
