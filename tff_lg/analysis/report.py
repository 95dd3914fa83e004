"""One self-contained page on a run: no network, light and dark, prints well."""

from collections.abc import Sequence
import os
from typing import NamedTuple

import jinja2
from markupsafe import Markup
from markupsafe import escape

from tff_lg.analysis import names
from tff_lg.analysis import sections as sections_lib
from tff_lg.analysis import style
from tff_lg.analysis.files import write_atomically
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections import Illustration
from tff_lg.analysis.sections import Section
from tff_lg.analysis.sections import SectionBuilder


class ReportFiles(NamedTuple):
  """What `write_report` wrote.

  Attributes:
    page: the HTML file.
    figures: the PNG files.
  """

  page: str
  figures: tuple[str, ...]
