"""The run whose rounds a warm start takes over, --warm_start_from; read without TensorFlow."""

import dataclasses

from tff_lg import config as config_lib
from tff_lg.run_folder import adopted_rounds, changed_settings, source_run, tuned_rate

OPTION = '--warm_start_from'


def find_source(folder: str | None, run_dir: str) -> config_lib.WarmStartSource | None:
  """Returns the run to take rounds from; None for a run with checkpoints, which needs no other.

  Args:
    folder: what the option names; None for a run without it.
    run_dir: the folder of the run with the warm start.

  Raises:
    ValueError: the folder holds no finished run, or one with several learning rates; one sentence.
  """
  if folder is None or adopted_rounds.has_checkpoints(run_dir):
    return None
  config = source_run.load_config(folder, OPTION, is_federated=False)
  if not changed_settings.has_one_setting(folder):
    (told,) = changed_settings.summarize(folder).values()
    raise ValueError(f'{OPTION}={folder} has changed its settings ({told}), expected one setting.')
  if (tuned := tuned_rate.load_tuned_rate(folder)) is not None:
    config = dataclasses.replace(config, **tuned.changes())
  *_, newest = (0, *adopted_rounds.rounds(folder))
  return config_lib.WarmStartSource(folder, config, newest)
