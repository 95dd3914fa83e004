"""A published experiment that is a sweep: `pipelines.sweep` with defaults of its own.

The flags of trials are those of `pipelines.train`, which the experiment's binary imports.
"""

import dataclasses
import sys
from collections.abc import Mapping, Sequence

from absl import flags

from pipelines import sweep
from tff_lg import config as config_lib

_OF_TRIALS = (*(field.name for field in dataclasses.fields(config_lib.TrainConfig)), 'fast')


def run(name: str, defaults: Mapping[str, str | Sequence[str]], argv: Sequence[str]) -> None:
  """Runs the sweep, with the training flags that the user gave in all trials.

  Args:
    name: of the pipeline, for its messages.
    defaults: of flags of `pipelines.sweep`, in place of its own.
    argv: what absl leaves of the command line.
  """
  values = flags.FLAGS
  if values['run_dir'].present or values['seed'].present:
    sys.exit(f'{name}: --run_dir and --seed are of one trial: use --sweep_dir and --seeds.')
  for flag, default in defaults.items():
    values.set_default(flag, default)
  given = [values[flag].serialize() for flag in _OF_TRIALS if values[flag].present]
  sweep.main([argv[0], *given, *argv[1:]])
