"""What the run sent, and what accuracy it bought."""

import pandas as pd

from tff_lg.analysis import figures
from tff_lg.analysis import formats
from tff_lg.analysis import names
from tff_lg.analysis import tables
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Illustration
from tff_lg.analysis.sections.section import Section

_SENT = ('parameters_down', 'parameters_up', 'bytes_down', 'bytes_up')


def build_communication(run: RunFolder) -> Section | None:
  """Traffic by phase and accuracy against bytes; None where no traffic was recorded."""
  illustrations = ()
  if len(run.curve(names.BYTES_TOTAL)) and len(run.curve(names.LOCAL_TEST_MEAN)):
    caption = (
      'Up and to the left is better: more accuracy for fewer bytes. A point for each evaluation.'
    )
    figure = figures.accuracy_against_bytes(run)
    illustrations = (Illustration('accuracy_against_bytes', figure, caption),)
  html = ''
  if run.communication is not None and {'method', *_SENT} <= set(run.communication):
    html = tables.to_html(_traffic_table(run.communication))
  if not html and not illustrations:
    return None
  return Section('communication', 'Communication', html, illustrations)


def _traffic_table(communication: pd.DataFrame) -> tables.Table:
  """Totals of each phase, in the order of the rounds."""
  totals = communication.groupby('method', sort=False)[list(_SENT)].sum()
  rounds = communication.groupby('method', sort=False).size()
  columns = (
    tables.Column('', 'rounds of'),
    tables.Column('', 'number'),
    tables.Column('parameters', 'down'),
    tables.Column('parameters', 'up'),
    tables.Column('bytes', 'down'),
    tables.Column('bytes', 'up'),
  )
  rows = tuple(
    (
      names.method_name(method),
      formats.count(rounds[method]),
      formats.count(sent['parameters_down']),
      formats.count(sent['parameters_up']),
      formats.num_bytes(sent['bytes_down']),
      formats.num_bytes(sent['bytes_up']),
    )
    for method, sent in totals.iterrows()
  )
  note = 'Down: server to clients; up: clients to server. All clients together.'
  return tables.Table(columns, rows, (note,))
