"""The traffic of the run, and the accuracy that it bought."""

import pandas as pd
from markupsafe import Markup

from tff_lg import metric_names
from tff_lg.analysis import figures, formats, names, tables
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Illustration, Section

_SENT = ('parameters_down', 'parameters_up', 'bytes_down', 'bytes_up')


def build_communication(run: RunFolder) -> Section | None:
  """Returns the traffic by phase and accuracy against bytes; None where no traffic was recorded."""
  illustrations: tuple[Illustration, ...] = ()
  if len(run.curve(metric_names.BYTES_TOTAL)) and len(run.curve(metric_names.mean(run.local_test))):
    better = 'Up' if run.metric.more_is_better else 'Down'
    extent = 'more' if run.metric.more_is_better else 'less'
    caption = f'{better} and to the left is better: {extent} {run.metric.label} for fewer bytes.'
    figure = figures.accuracy_against_bytes(run)
    illustrations = (Illustration('accuracy_against_bytes', figure, caption),)
  html = Markup()
  if run.communication is not None and {'method', *_SENT} <= set(run.communication):
    html = tables.to_html(_traffic_table(run, run.communication))
  if not html and not illustrations:
    return None
  return Section('communication', 'Communication', html, illustrations)


def _traffic_table(run: RunFolder, communication: pd.DataFrame) -> tables.Table:
  """Returns totals of each phase, in the order of the rounds."""
  phases = communication.groupby('method', sort=False)
  totals, rounds = phases[list(_SENT)].sum(), phases.size()
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
  notes = ['Down: server to the clients of the round; up: these to the server.']
  to_all = run.value(metric_names.PARAMETERS_TO_ALL)
  bytes_to_all = run.value(metric_names.BYTES_TO_ALL)
  if to_all > 0:
    notes.append(
      'If the server sent to every client each round, as the LG-FedAvg paper counts: '
      f'{formats.count(to_all)} parameters, {formats.num_bytes(bytes_to_all)}.'
    )
  return tables.Table(columns, rows, tuple(notes))
