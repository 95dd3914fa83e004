"""Training: the loop over rounds, and what happens in and after a round.

Comes in, all of it as values: phases (processes of `tff_lg.learning` with numbers of rounds),
clients' tensors, cohorts, callbacks, and a run folder or none. Goes out: the trained state, with
metrics and checkpoints in the run folder. May import: `tff_lg.aggregators`,
`tff_lg.client_states`, `tff_lg.data`, `tff_lg.metrics`.
"""

from tff_lg.training.callbacks import (
  Callback,
  EarlyStopping,
  History,
  MetricsFiles,
  ProgressBar,
)
from tff_lg.training.client_curves import ClientCurves
from tff_lg.training.client_data import Clients, to_clients
from tff_lg.training.cohorts import Cohort, CohortSampler, everybody
from tff_lg.training.evaluation import evaluate_selected
from tff_lg.training.plan import NEVER, Evaluation, Phase
from tff_lg.training.rounds import DivergenceError, RunError, initial_state, run
from tff_lg.training.run_state import RunState
from tff_lg.training.selection import selected_weights

__all__ = [
  'NEVER',
  'Callback',
  'ClientCurves',
  'Clients',
  'Cohort',
  'CohortSampler',
  'DivergenceError',
  'EarlyStopping',
  'Evaluation',
  'History',
  'MetricsFiles',
  'Phase',
  'ProgressBar',
  'RunError',
  'RunState',
  'evaluate_selected',
  'everybody',
  'initial_state',
  'run',
  'selected_weights',
  'to_clients',
]
