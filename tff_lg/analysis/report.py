"""One self-contained page on a run: no network, light and dark, prints well."""

import dataclasses
import os
import time
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from markupsafe import Markup, escape

from tff_lg import file_names, files, progress, strict_json
from tff_lg.analysis import client_panels, markup, names, style
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections import SECTIONS, Illustration, Section, SectionBuilder, build_timing

_TEMPLATE = 'report.html.j2'

# The contents of each figure's files, by its name and the ending of the file.
_Drawn: TypeAlias = Mapping[str, Mapping[str, bytes]]


def write_report(
  run_dir: str,
  *,
  output: str | None = None,
  builders: Sequence[SectionBuilder] = SECTIONS,
  began: float | None = None,
) -> str:
  """Writes the report of a run and its figures.

  Args:
    run_dir: a finished run folder.
    output: the page; `report.html` in the run folder by default. The figures go to
      `figures/` in the run folder, and into the page.
    builders: the sections, in order; one that gives None is left out.
    began: when the run's command turned to the report, by `time.monotonic`. The report's seconds
      are added to those of the run, unless an earlier report has added its own. None adds nothing.

  Returns:
    Path of the page.

  Raises:
    RunFolderError: a file of the run folder is missing or damaged.
    OSError: something cannot be written.
  """
  run = RunFolder.load(run_dir)
  task = run.hparams.get('task')
  title = names.method_name(run.method) + (f' on {task}' if task else '')
  sections = build_sections(run, builders)
  drawn = _write_figures(run_dir, sections)
  if began is not None:
    # Figures take nearly all the time: what is left is to fill in the page.
    timing = build_timing(_add_seconds(run, time.monotonic() - began))
    sections = tuple(
      timing if timing is not None and section.key == timing.key else section
      for section in sections
    )
  return _write_page(run_dir, title, sections, drawn, output)


def _add_seconds(run: RunFolder, seconds: float) -> RunFolder:
  """Adds the report's seconds to the run's, also in timing.json, unless a report has done so."""
  if 'seconds' not in run.timing or 'report_seconds' in run.timing:
    return run
  whole = float(run.timing['seconds']) + seconds
  timing = dict(sorted({**run.timing, 'seconds': whole, 'report_seconds': seconds}.items()))
  files.write_atomically(os.path.join(run.path, file_names.TIMING), strict_json.dumps(timing))
  return dataclasses.replace(run, timing=timing)


def write_page(
  run_dir: str, title: str, sections: Sequence[Section], *, output: str | None = None
) -> str:
  """Writes a page of sections, and their figures into `figures/` of the run folder.

  Args:
    run_dir: the run folder.
    title: of the page, plain text.
    sections: what is on it, in order.
    output: the page; `report.html` in the run folder by default.

  Returns:
    Path of the page.

  Raises:
    OSError: something cannot be written.
  """
  return _write_page(run_dir, title, sections, _write_figures(run_dir, sections), output)


def _write_figures(run_dir: str, sections: Sequence[Section]) -> _Drawn:
  """Draws the figures and writes them into `figures/`."""
  with progress.stage('writing the report'):
    drawn = _draw(sections)
    _save_figures(run_dir, drawn)
  return drawn


def _write_page(
  run_dir: str, title: str, sections: Sequence[Section], drawn: _Drawn, output: str | None
) -> str:
  return files.write_atomically(
    output or os.path.join(run_dir, file_names.REPORT), _page(run_dir, title, sections, drawn)
  )


def build_sections(
  run: RunFolder, builders: Sequence[SectionBuilder] = SECTIONS
) -> tuple[Section, ...]:
  """Returns the sections that the run has data for, in order."""
  return tuple(section for build in builders if (section := build(run)) is not None)


def save_figures(run: RunFolder, sections: Sequence[Section] | None = None) -> tuple[str, ...]:
  """Writes the figures of the report into `figures/` of the run folder: PNG, SVG and PDF.

  Args:
    run: the run.
    sections: whose figures; those of the whole report by default.

  Returns:
    Paths of the files.

  Raises:
    OSError: a file cannot be written.
  """
  return _save_figures(run.path, _draw(build_sections(run) if sections is None else sections))


def _draw(sections: Sequence[Section]) -> _Drawn:
  """Returns the files of every figure, which are drawn once for the folder and the page."""
  return {
    illustration.name: style.file_bytes(illustration.figure, illustration.name)
    for section in sections
    for illustration in section.illustrations
  }


def _save_figures(run_dir: str, drawn: _Drawn) -> tuple[str, ...]:
  return tuple(
    files.write_atomically(os.path.join(run_dir, file_names.FIGURES, f'{name}.{ending}'), content)
    for name, contents in drawn.items()
    for ending, content in contents.items()
  )


def _page(run_dir: str, title: str, sections: Sequence[Section], drawn: _Drawn) -> str:
  def svg(illustration: Illustration) -> Markup:
    return Markup(
      style.svg_markup(
        drawn[illustration.name]['svg'],
        illustration.figure,
        escape(illustration.caption),
        illustration.marks,
      )
    )

  return (
    markup.environment()
    .get_template(_TEMPLATE)
    .render(
      title=title,
      run_dir=run_dir,
      palette=Markup(style.palette_css()),
      sections=sections,
      panels=client_panels.merge([section.panels for section in sections]),
      svg=svg,
    )
  )
