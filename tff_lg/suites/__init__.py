"""Suites: methods compared under one protocol on one data set, as a paper states it.

Each suite is one entry of `SUITES`: flags that all runs share, the methods with their grids, how
often a run is repeated, the score of its table and the numbers that the paper has. A new suite is
one module here that registers it; one from outside does the same and comes in by `--import`.
`ROBUSTNESS_SUITES` has those that compare rules under attacks.

Comes in: an entry, a folder, what makes configs of flags and a pool of `tff_lg.sweeps`, which runs
all trials. Goes out: the runs of each method at its best point, of which `suites.board` makes the
rows of a leaderboard. May import: `tff_lg.sweeps`, `tff_lg.analysis`, `tff_lg.config`; no
TensorFlow.
"""

import importlib

from tff_lg.suites.robustness import (
  ROBUSTNESS_SUITES,
  Cell,
  RobustnessEntry,
  RobustnessRun,
  RobustRule,
  run_robustness,
)
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

for _module in ('motley', 'byzantine'):
  importlib.import_module(f'{__name__}.{_module}')
