"""Simulation: a run of rounds, or of local adaptation, over clients that this machine plays.

Comes in: a resolved `TrainConfig`, an `AdaptConfig` or a `NewDeviceConfig`, and a run folder. Goes
out: the run folder, with metrics, checkpoints, what each client got, and `summary.json`. May
import: `tff_lg.learning`, `tff_lg.models`, `tff_lg.data`, `tff_lg.adaptation`, `tff_lg.runtime`.
"""

from tff_lg.runtime import ClientComputationError
from tff_lg.simulation.adaptation_run import run_adaptation
from tff_lg.simulation.checkpoints import CheckpointError
from tff_lg.simulation.execution import set_execution_context
from tff_lg.simulation.experiment import run_experiment
from tff_lg.simulation.new_device import run_new_device
from tff_lg.simulation.rounds import RunError

# What ends a run without being a mistake in the program: each is one sentence for the user.
RUN_ERRORS = (ValueError, OSError, RunError, CheckpointError, ClientComputationError)

__all__ = [
  'RUN_ERRORS',
  'CheckpointError',
  'RunError',
  'run_adaptation',
  'run_experiment',
  'run_new_device',
  'set_execution_context',
]
