"""Simulation: whole runs over clients that this machine plays, from a config to a run folder.

Comes in: a resolved `TrainConfig` and a run folder. Goes out: the run folder, with metrics,
checkpoints, what each client got, and `summary.json`. May import: `tff_lg.own_models`.
"""

from tff_lg.checkpoints import CheckpointError
from tff_lg.simulation.execution import set_execution_context
from tff_lg.simulation.experiment import run_experiment
from tff_lg.simulation.planned_run import SharedRounds
from tff_lg.training import RunError

__all__ = [
  'CheckpointError',
  'RunError',
  'SharedRounds',
  'run_experiment',
  'set_execution_context',
]
