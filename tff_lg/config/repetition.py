"""Options of runs that repeat another one: its data with other seeds, or another fold of them."""

import dataclasses
from typing import Any

from tff_lg.config.option import ConfigError, option
from tff_lg.data import PARTITIONS
from tff_lg.tasks import TASKS


@dataclasses.dataclass(frozen=True)
class RepetitionOptions:
  """Options of repeated runs; None stands for a default."""

  partition_seed: int | None = option(
    None,
    "Seed of the partition and of the split of each client's data, so that runs with other seeds "
    'have the same test examples; --seed by default.',
  )
  folds: int | None = option(
    None,
    "Folds of each client's examples, stratified by class: a run tests on one and trains on the "
    'others. Without --fold, pipelines.train runs all of them. None by default.',
  )
  fold: int | None = option(None, 'The fold of --folds that this run tests on, from 0.')


def data_seed(config: Any) -> int:
  """Returns the seed of a config's data."""
  return config.seed if config.partition_seed is None else config.partition_seed


def check(config: Any, partition: str) -> None:
  """Checks the options of a run.

  Args:
    config: a `TrainConfig`, as the user gave it.
    partition: of its data.

  Raises:
    ConfigError: the first fault; one sentence.
  """
  folds, fold = config.folds, config.fold
  if config.partition_seed is not None and config.partition_seed < 0:
    raise ConfigError(f'--partition_seed is {config.partition_seed}, expected 0 or more.')
  if folds is None and fold is None:
    return
  conflicts = (
    (folds is None, f'--fold is {fold}, but --folds, their number, is not given.'),
    (folds is not None and folds < 2, f'--folds is {folds}, expected 2 or more.'),
    (
      fold is None,
      f'--folds is {folds}, but --fold, the one to test on, is not given; only pipelines.train '
      'runs all folds.',
    ),
    (
      None not in (folds, fold) and not 0 <= fold < folds,
      f'--fold is {fold}, expected a number from 0 to --folds less one.',
    ),
    (
      TASKS[config.task].load_source is None,
      f'--folds does not fit --task={config.task}, whose data come split.',
    ),
    (
      PARTITIONS[partition].mixes_clients,
      f'--folds does not fit --partition={partition}, which shuffles examples between clients.',
    ),
  )
  for found, sentence in conflicts:
    if found:
      raise ConfigError(sentence)
