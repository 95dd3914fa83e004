"""Optimisers: TFF's, and learning rates by round, each one entry that a flag can name.

Comes in: the name of an entry, and options. Goes out: an optimiser of TFF, or a function from round
to learning rate. The room is light and imports TFF only to build. May import: no room.
`tff_lg.config` makes flags of the entries for clients and for the server.
One from outside comes in by `OPTIMIZERS.register` or `SCHEDULES.register`.
"""

from tff_lg.optimizers.optimizers import OPTIMIZERS, OptimizerEntry
from tff_lg.optimizers.schedules import SCHEDULES, RateFn, Schedule, ScheduleEntry

__all__ = [
  'OPTIMIZERS',
  'SCHEDULES',
  'OptimizerEntry',
  'RateFn',
  'Schedule',
  'ScheduleEntry',
]
