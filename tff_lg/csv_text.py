"""Texts in CSV files that a spreadsheet is not to take for formulas."""

_STARTS = ('=', '+', '-', '@', '\t', '\r', '\n')


def escape(text: str) -> str:
  """Returns the text, behind an apostrophe if a spreadsheet would run it as a formula."""
  return f"'{text}" if text.lstrip("'").startswith(_STARTS) else text


def unescape(text: str) -> str:
  """Returns what `escape` was given."""
  return text[1:] if text.startswith("'") and text.lstrip("'").startswith(_STARTS) else text
