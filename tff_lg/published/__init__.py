"""Published tables: what papers report, the runs that repeat it, and how far ours are from it.

Comes in: the run folders of a table's runs, one for each seed. Goes out: an outcome (`outcome`),
which JSON can hold, and the part of a page that shows it (`page`). A table is one entry, in a
module of its own that calls `register`. The entries are light; the two modules named import pandas.
May import: `tff_lg.analysis`.
"""

from tff_lg import entries
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
  'NOT_KNOWN',
  'TABLES',
  'Figure',
  'Run',
  'TableEntry',
  'arguments_of',
  'by_paper',
  'describe_tables',
  'register',
  'steps',
]

entries.import_modules(__name__, without=('outcome', 'page', 'read'))
