"""The page and the table of an adaptation run."""

from tff_lg.analysis import report, tables
from tff_lg.analysis.adaptation_folder import AdaptationFolder
from tff_lg.analysis.adaptation_tables import group_tables
from tff_lg.analysis.following_tables import following_tables
from tff_lg.analysis.sections.adaptation import adaptation_sections, adaptation_title


def write_adaptation_report(run_dir: str, *, output: str | None = None) -> str:
  """Writes the report of an adaptation run and its figures, those of Yu et al. 2020.

  Args:
    run_dir: the folder of a finished adaptation run.
    output: the page; `report.html` in the folder by default. The figures go to `figures/`
      in the folder, and into the page.

  Returns:
    Path of the page.

  Raises:
    RunFolderError: a file of the folder is missing or damaged.
    OSError: something cannot be written.
  """
  run = AdaptationFolder.load(run_dir)
  return report.write_page(run_dir, adaptation_title(run), adaptation_sections(run), output=output)


def adaptation_text(run_dir: str) -> str:
  """Returns the models of a finished adaptation run side by side, for the terminal.

  Args:
    run_dir: the folder.

  Returns:
    Tables of the models' accuracies, their gains and the techniques, over clients that took part in
    training. The same over held-out clients, and tables of the steps after adapting.

  Raises:
    RunFolderError: a file of the folder is missing or damaged.
  """
  run = AdaptationFolder.load(run_dir)
  parts = []
  groups = run.groups()
  for group, clients in groups.items():
    if len(groups) > 1:
      parts.append(f'{group}:')
    parts += map(tables.to_text, group_tables(run, clients))
  for name, found in following_tables(run).items():
    parts += [f'{name}:', *map(tables.to_text, found)]
  return '\n\n'.join(parts)
