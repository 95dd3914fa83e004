"""Sweeps: one run for each point of a grid of flags and each seed.

Comes in: axes (`name=value,value`) and seeds as text, and each trial's config, which a pipeline
makes from flags. Goes out: a sweep folder with a run folder for each trial, and the trials that
failed. `tff_lg.analysis` turns the folder into a table and a figure. May import: nothing heavy, no
room; a trial is any function of a config and a run folder. Trials run on processes of this machine,
or on Ray.
"""

from tff_lg.sweeps.folder import Changes, SweepFolder
from tff_lg.sweeps.grid import (
  Axis,
  Layout,
  SweepError,
  Trial,
  build_trials,
  check_common,
  choose_layout,
  parse_axis,
  parse_seeds,
)
from tff_lg.sweeps.processes import ProcessPool
from tff_lg.sweeps.ray_pool import RayPool
from tff_lg.sweeps.scheduler import Failure, Job, Pool, is_divergence, run_jobs

__all__ = [
  'Axis',
  'Changes',
  'Failure',
  'Job',
  'Layout',
  'Pool',
  'ProcessPool',
  'RayPool',
  'SweepError',
  'SweepFolder',
  'Trial',
  'build_trials',
  'check_common',
  'choose_layout',
  'is_divergence',
  'parse_axis',
  'parse_seeds',
  'run_jobs',
]
