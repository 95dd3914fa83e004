"""A section of the report, as a value."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from markupsafe import Markup
from matplotlib.figure import Figure

from tff_lg.analysis import formats, markup, style
from tff_lg.analysis.client_panels import ClientPanel
from tff_lg.analysis.run_folder import RunFolder


class Illustration(NamedTuple):
  """A figure in a section.

  Attributes:
    name: of its file in figures/, unique in the report.
    figure: drawn in the palette's light colours.
    caption: what it shows and how to read it, plain text.
    marks: of clients, which the page names under the pointer and whose panel a click opens.
  """

  name: str
  figure: Figure
  caption: str
  marks: tuple[style.ClientMark, ...] = ()


@dataclasses.dataclass(frozen=True)
class Section:
  """A section of the report.

  Attributes:
    key: its anchor in the page.
    title: its heading.
    html: what comes before the figures, safe HTML.
    illustrations: its figures.
    panels: of clients, which rows of its tables and marks of its figures open.
  """

  key: str
  title: str
  html: Markup = Markup()
  illustrations: tuple[Illustration, ...] = ()
  panels: Mapping[str, ClientPanel] = dataclasses.field(default_factory=dict)


# Makes a section of a run, or None where the run lacks the data for it.
SectionBuilder = Callable[[RunFolder], Section | None]


def tiles(numbers: Mapping[str, str]) -> Markup:
  """Returns the most important numbers, large, each under what it is called."""
  return markup.fill('tiles', numbers)


def warnings(texts: Iterable[str]) -> Markup:
  """Returns warnings, one paragraph each."""
  return Markup().join(markup.fill('paragraph', text, 'warning') for text in texts)


def values_table(values: Mapping[str, float | str]) -> Markup:
  """Returns a table of single values: a row each, numbers in four significant digits."""
  texts = {
    name: value if isinstance(value, str) else formats.significant(value)
    for name, value in values.items()
  }
  return markup.fill('values_table', texts)
