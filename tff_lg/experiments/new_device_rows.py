"""Source runs of a new device that are averaged in one row; read without TensorFlow."""

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

from tff_lg import config as config_lib
from tff_lg.run_folder import run_settings, source_run
from tff_lg.tasks import TASKS

# In what source runs of one row may differ, beside the folders of their data.
_MAY_DIFFER = frozenset(
  (
    *('seed', 'baselines', 'goal_accuracy', 'max_evaluated_clients', 'client_store'),
    *('checkpoint_every', *(each.name for each in dataclasses.fields(config_lib.RuntimeOptions))),
  )
)
# Files and folders, which may have another place.
_PLACES = tuple(
  each.name for each in dataclasses.fields(config_lib.TrainConfig) if each.metadata['is_path']
)


def check_rows(sources: Mapping[str, config_lib.TrainConfig]) -> None:
  """Refuses runs that would be averaged as if they were one experiment.

  Args:
    sources: the config of each run, by its folder.

  Raises:
    ValueError: two runs of one row differ in more than their seed, two runs have different main
      metrics, or a run evaluated a sample.
  """
  mains = {source.model_metrics[0]: path for path, source in sources.items()}
  if len(mains) > 1:
    (one, first), (other, second), *_ = mains.items()
    raise ValueError(
      f'--from_run has {first}, whose main metric is {one}, and {second}, whose main metric is '
      f'{other}: expected runs that can stand in one table.'
    )
  rows: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {}
  for path, source in sources.items():
    source_run.check_all_evaluated(path)
    row, settings = (source.method, describe_partition(source.partition_options)), _settings(path)
    first, expected = rows.setdefault(row, (path, settings))
    for name in sorted(settings.keys() & expected.keys()):  # One run may be older than an option.
      if settings[name] != expected[name]:
        raise ValueError(
          f'--from_run has {first} and {path}, both {" on ".join(row)}, but --{name} is '
          f'{expected[name]} in the one and {settings[name]} in the other: expected runs that '
          'differ in their seed alone, as the table averages them.'
        )


def _settings(from_run: str) -> dict[str, Any]:
  """Returns a run's settings that make its experiment; as given, if the run chose its layers."""
  hparams = run_settings.load_hparams(from_run)
  settings = {name: value for name, value in hparams.items() if name not in _MAY_DIFFER}
  settings |= {name: settings.get(name) and os.path.basename(settings[name]) for name in _PLACES}
  if not TASKS[settings['task']].is_own_data:
    del settings['data_dir']
  return settings


def describe_partition(options: config_lib.PartitionOptions) -> str:
  """Returns `iid`, `classes_per_client=2`, …; `clients` where a file names the clients."""
  if options.partition is None:
    return 'clients'
  names = config_lib.PARTITIONS[options.partition].option_names()
  values = ','.join(f'{getattr(options, name):g}' for name in names)
  return f'{options.partition}={values}' if names else options.partition
