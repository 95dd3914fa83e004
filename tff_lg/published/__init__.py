"""Published tables: what papers report, the runs that repeat it, and how far ours are from it.

Comes in: the run folders of a table's runs, one for each seed. Goes out: an outcome (`outcome`),
which JSON can hold, and the part of a page that shows it (`page`, `drawing`). A table is one entry,
in a module of its own that calls `register`. A chart of recorded tables is one entry, too. Entries
are light; the three modules named import pandas or Matplotlib.
May import: `tff_lg.analysis`.
"""

from tff_lg import entries
from tff_lg.published.chart import CHARTS, ChartEntry, Point, register_chart
from tff_lg.published.table import (
  NOT_KNOWN,
  TABLES,
  Figure,
  Run,
  TableEntry,
  arguments_of,
  by_paper,
  describe_tables,
  register,
  steps,
)

__all__ = [
  'CHARTS',
  'NOT_KNOWN',
  'TABLES',
  'ChartEntry',
  'Figure',
  'Point',
  'Run',
  'TableEntry',
  'arguments_of',
  'by_paper',
  'describe_tables',
  'register',
  'register_chart',
  'steps',
]

entries.import_modules(__name__, without=('drawing', 'outcome', 'page', 'read'))
