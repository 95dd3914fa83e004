"""A published experiment that is a sweep: `pipelines.sweep` with defaults of its own.

The flags of trials are those of `pipelines.train`, which the experiment's binary imports.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from absl import flags

from pipelines import config_flags, sweep
from tff_lg import config as config_lib
from tff_lg import sweeps

_OF_TRIALS = (*(field.name for field in dataclasses.fields(config_lib.TrainConfig)), 'fast')


def run(
  defaults: Mapping[str, str | Sequence[str]],
  argv: Sequence[str],
  check_data: Callable[[str], None],
) -> None:
  """Runs the sweep, with the training flags that the user gave in all trials.

  Args:
    defaults: of flags of `pipelines.sweep`, in place of its own; `grid` among them.
    argv: what absl leaves of the command line.
    check_data: takes --data_dir, if it is given, before any trial is run; raises ValueError or
      OSError for what is missing or damaged there, one sentence.
  """
  values = flags.FLAGS
  if values['run_dir'].present or values['seed'].present:
    raise sweeps.SweepError(
      '--run_dir and --seed belong to one trial; use --sweep_dir and --seeds.'
    )
  if not values['grid'].present:
    for flag in _decided_by(defaults['grid']):
      if values[flag].present:
        raise sweeps.SweepError(
          f'--{flag} is what the grid decides: give a --grid of your own, too.'
        )
  for flag, default in defaults.items():
    values.set_default(flag, default)
  # Without a folder the sweep is refused, and one that goes on has been here.
  folder = values['sweep_dir'].value
  is_new = folder is not None and not sweeps.SweepFolder(folder).is_claimed
  if is_new and values['data_dir'].value is not None and not values['fast'].value:
    check_data(values['data_dir'].value)
  given = [values[flag].serialize() for flag in _OF_TRIALS if values[flag].present]
  sweep.main([argv[0], *given, *argv[1:]])


def _decided_by(grid: Sequence[str]) -> list[str]:
  """Returns the flags of trials to which a grid gives values, those in its flag files too."""
  axes = [sweeps.parse_axis(text) for text in grid]
  arguments = [f'--{axis.name}={value}' for axis in axes for value in axis.values]
  values = flags.FlagValues()
  config_flags.define(values)
  values(['pipeline', *arguments])
  return [name for name in _OF_TRIALS if values[name].present]
