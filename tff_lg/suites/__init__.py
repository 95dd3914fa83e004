"""Suites: methods compared under one protocol on one data set, as a paper states it.

Each suite is one entry of `SUITES`. It has flags that all runs share, the methods with their grids,
and how often a run is repeated. It also has the score of its table and the paper's numbers. A new
suite is one module here that registers it; a module from outside does the same and is imported by
`--import`. `ROBUSTNESS_SUITES` has those that compare rules under attacks.

Comes in: an entry, a folder, a function from flags to configs, and a pool of `tff_lg.sweeps`, which
runs all trials. Goes out: the runs of each method at its best point, which `suites.board` turns
into the rows of a leaderboard. May import: `tff_lg.sweeps`, `tff_lg.analysis`, `tff_lg.config`; no
TensorFlow.
"""

from tff_lg import entries
from tff_lg.suites.robustness import Cell, RobustnessRun, run_robustness
from tff_lg.suites.robustness_suite import ROBUSTNESS_SUITES, RobustnessEntry, RobustRule
from tff_lg.suites.running import ADAPT, TRAIN, MakeConfig, Row, SuiteError, SuiteRun, run_suite
from tff_lg.suites.search import SEARCHES, SearchAxis, next_points
from tff_lg.suites.suite import SUITES, SuiteEntry, SuiteMethod, register

__all__ = [
  'ADAPT',
  'ROBUSTNESS_SUITES',
  'SEARCHES',
  'SUITES',
  'TRAIN',
  'Cell',
  'MakeConfig',
  'RobustRule',
  'RobustnessEntry',
  'RobustnessRun',
  'Row',
  'SearchAxis',
  'SuiteEntry',
  'SuiteError',
  'SuiteMethod',
  'SuiteRun',
  'next_points',
  'register',
  'run_robustness',
  'run_suite',
]

entries.import_modules(__name__, without=('board',))
