"""Sections of the report, one file each: a function from a run to a `Section` or None.

A room that has something to report adds a file here and its builder to `SECTIONS`,
which is the order of the page.
"""

import functools
from collections.abc import Sequence

from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.attack import build_attack
from tff_lg.analysis.sections.clients import build_clients
from tff_lg.analysis.sections.communication import build_communication
from tff_lg.analysis.sections.comparison import build_comparison
from tff_lg.analysis.sections.configuration import (
  build_configuration,
  command_section,
  flags_section,
)
from tff_lg.analysis.sections.glossary import build_glossary
from tff_lg.analysis.sections.labels import build_labels
from tff_lg.analysis.sections.methods import build_methods
from tff_lg.analysis.sections.model import build_model
from tff_lg.analysis.sections.privacy import build_privacy
from tff_lg.analysis.sections.result import build_result
from tff_lg.analysis.sections.section import Illustration, Section, SectionBuilder
from tff_lg.analysis.sections.timing import build_timing
from tff_lg.analysis.sections.training import build_training
from tff_lg.analysis.sections.verdicts import build_verdicts

__all__ = [
  'SECTIONS',
  'Illustration',
  'Section',
  'SectionBuilder',
  'build_timing',
  'command_section',
  'flags_section',
  'sections_comparing',
]

SECTIONS: tuple[SectionBuilder, ...] = (
  build_result,
  build_verdicts,
  build_methods,
  build_clients,
  build_comparison,
  build_training,
  build_privacy,
  build_attack,
  build_communication,
  build_labels,
  build_model,
  build_configuration,
  build_timing,
  build_glossary,
)


def sections_comparing(
  others: Sequence[RunFolder], metric: str | None = None
) -> tuple[SectionBuilder, ...]:
  """Returns the sections of a page that compares the run with others by an accuracy.

  Args:
    others: runs on the same split.
    metric: which accuracy, a column of clients.parquet; the run's main metric by default.

  Returns:
    The builders, in order.
  """
  comparing: SectionBuilder = functools.partial(build_comparison, others=others, metric=metric)
  return tuple(comparing if build is build_comparison else build for build in SECTIONS)
