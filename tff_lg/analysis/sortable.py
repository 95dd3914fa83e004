"""A table that can be searched and sorted where scripts run."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from tff_lg.analysis import markup


class Cell(NamedTuple):
  """A cell.

  Attributes:
    value: by which its column is sorted.
    text: what it shows.
  """

  value: str | float
  text: str


def sortable_table(
  headings: Sequence[str],
  rows: Iterable[Sequence[tuple[str | float, str]]],
  what: str,
  *,
  opens_panels: bool = False,
) -> Markup:
  """Makes the table, for the script and the style sheet of the page.

  Args:
    headings: of columns.
    rows: cells, as `Cell` has them.
    what: is searched for, such as `clients`.
    opens_panels: whether a row opens the panel of the client that its first cell names.

  Returns:
    Safe HTML.
  """
  return markup.fill('sortable_table', headings, rows, what, opens_panels)
