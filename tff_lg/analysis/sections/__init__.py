"""Sections of the report, one file each: a function from a run to a `Section` or None.

A room that has something to report adds a file here and its builder to `SECTIONS`,
which is the order of the page.
"""

from tff_lg.analysis.sections.clients import build_clients
from tff_lg.analysis.sections.communication import build_communication
from tff_lg.analysis.sections.configuration import build_configuration
from tff_lg.analysis.sections.glossary import build_glossary
from tff_lg.analysis.sections.labels import build_labels
from tff_lg.analysis.sections.methods import build_methods
from tff_lg.analysis.sections.model import build_model
from tff_lg.analysis.sections.result import build_result
from tff_lg.analysis.sections.section import Illustration, Section, SectionBuilder
from tff_lg.analysis.sections.timing import build_timing
from tff_lg.analysis.sections.training import build_training

__all__ = ['SECTIONS', 'Illustration', 'Section', 'SectionBuilder']

SECTIONS: tuple[SectionBuilder, ...] = (
  build_result,
  build_methods,
  build_clients,
  build_training,
  build_communication,
  build_labels,
  build_model,
  build_configuration,
  build_timing,
  build_glossary,
)
