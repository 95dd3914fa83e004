"""The page of a folder of tables and figures: an experiment that is not a single run."""

from collections.abc import Mapping, Sequence

from tff_lg.analysis import report, tables
from tff_lg.analysis.sections import Illustration, Section


def write_tables_report(
  run_dir: str,
  title: str,
  shown: Mapping[str, tables.Table],
  illustrations: Sequence[Illustration],
  configuration: Section,
  *,
  output: str | None = None,
) -> str:
  """Writes a page of tables, and the figures into `figures/`.

  Args:
    run_dir: the folder.
    title: of the page, plain text.
    shown: the tables by their headings, in order.
    illustrations: the figures.
    configuration: what was run, such as `sections.flags_section` gives.
    output: the page; `report.html` in the folder by default.

  Returns:
    Path of the page.

  Raises:
    OSError: something cannot be written.
  """
  of_tables = [
    Section(f'table_{number}', heading, tables.to_html(table))
    for number, (heading, table) in enumerate(shown.items(), start=1)
  ]
  figures = Section('figures', 'Figures', illustrations=tuple(illustrations))
  return report.write_page(run_dir, title, [*of_tables, figures, configuration], output=output)
