"""How long the run took, from the start of its process to its report."""

from tff_lg.analysis import formats
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Section, values_table


def build_timing(run: RunFolder) -> Section | None:
  """Returns the contents of timing.json; None where it was not recorded."""
  if not run.timing:
    return None
  return Section('timing', 'Timing', values_table(dict(map(_row, run.timing, run.timing.values()))))


def _row(name: str, value: float | str) -> tuple[str, str]:
  """Returns a measurement with its unit, which is in its name."""
  words = name.replace('_', ' ').replace('/', ', ')
  if isinstance(value, str):
    return words, value
  if 'per second' in words:
    return words, f'{value:,.3g}'
  if words == 'seconds' or words.endswith(' seconds'):
    return words.removesuffix('seconds').strip() or 'whole run', formats.seconds(value)
  return words, f'{value:,.4g}'
