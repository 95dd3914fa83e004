"""A table that can be searched and sorted where scripts run."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup


class Cell(NamedTuple):
  """A cell.

  Attributes:
    value: by which its column is sorted.
    text: what it shows.
  """

  value: str | float
  text: str


def sortable_table(
  headings: Sequence[str], rows: Iterable[Sequence[tuple[str | float, str]]], what: str
) -> Markup:
  """Makes the table, for the script and the style sheet of the page.

  Args:
    headings: of columns.
    rows: cells, as `Cell` has them.
    what: is searched for, such as `clients`.

  Returns:
    Safe HTML.
  """
  body = Markup('\n').join(
    Markup('<tr>{}</tr>').format(
      Markup().join(
        Markup('<td data-value="{}">{}</td>').format(value, text) for value, text in row
      )
    )
    for row in rows
  )
  head = Markup().join(
    Markup('<th scope="col"><button type="button">{}</button></th>').format(text)
    for text in headings
  )
  return Markup(
    '<div class="searchable"><input type="search" placeholder="Search {}" '
    'aria-label="Search {}">\n<div class="scroll tall"><table class="sortable">'
    '<thead><tr>{}</tr></thead>\n<tbody>\n{}\n</tbody></table></div></div>'
  ).format(what, what, head, body)
