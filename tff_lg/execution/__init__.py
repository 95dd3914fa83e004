"""Execution: which runtime runs the computations of a program.

Comes in: the options of a runtime. Goes out: the default context of TFF. May import:
`tff_lg.runtime`, when a runtime is set. `RUNTIMES` has an entry for each runtime; one from outside
comes in by `--import`.
"""

from tff_lg import entries
from tff_lg.execution.entry import LOCAL, RUNTIMES, RuntimeEntry, register

__all__ = ['LOCAL', 'RUNTIMES', 'RuntimeEntry', 'register']

entries.import_modules(__name__, first=('local', 'tff_worker', 'ray_actors'), without=('worker',))
