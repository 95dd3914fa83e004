"""The templates of pages: whole pages, and pieces of them as safe HTML."""

import functools
import os
from typing import Any

import jinja2
from markupsafe import Markup

_MACROS = 'macros.html.j2'


@functools.cache
def environment() -> jinja2.Environment:
  """Returns the templates of this folder; what they are filled with is escaped."""
  return jinja2.Environment(
    loader=jinja2.FileSystemLoader(os.path.dirname(__file__)),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
  )


def fill(macro: str, *values: Any, **named: Any) -> Markup:
  """Fills a macro of `macros.html.j2`.

  Args:
    macro: its name.
    *values: its values in their order; plain text is escaped.
    **named: further values.
  """
  return getattr(_macros(), macro)(*values, **named)


@functools.cache
def _macros() -> Any:
  return environment().get_template(_MACROS).module
