"""The task `client_files`: data that are split by client and do not fit in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from tff_lg import data, entries, metrics, option_check
from tff_lg.tasks import named, networks, shared, task

_NAME = 'client_files'


@attrs.frozen(kw_only=True)
class Options:
  """Options of data that come split by client."""

  num_classes: int | None = entries.option(
    None,
    'Number of classes; labels are less than it',
    more='For --objective=multilabel the number of labels; leave it out for regression.',
  )
  test_fraction: float | None = shared.test_fraction()
  example_keys: tuple[str, ...] | None = entries.option(
    None,
    "Names of features and label in an example of TFF's database, such as pixels,label",
    by_default='x,y',
  )
  example_shape: tuple[int, ...] | None = entries.option(
    None,
    "Shape of the features of an example of TFF's database, such as 28,28,1",
    by_default='all numbers in a row',
  )
  hidden_units: tuple[int, ...] = shared.hidden_units(networks.SMALL_UNITS)
  client_cache: int = entries.option(
    1000,
    'Number of clients whose data stay in memory once read; at most as many of the next cohort are '
    'read ahead',
    option_check.NOT_NEGATIVE,
    more='With 0, data are read each time, and none ahead.',
  )


def _defaults(config: Any) -> Mapping[str, Any]:
  predicts_numbers = metrics.find_objective(config.objective).predicts_numbers
  number = {'num_classes': 1} if predicts_numbers else {}
  return {'test_fraction': 0.2, **number}


def _check(config: Any) -> Iterator[str]:
  keys, shape, number = config.example_keys, config.example_shape, config.num_classes
  predicts = metrics.find_objective(config.objective)
  fewest, is_number = 2 if predicts.predicts_classes else 1, predicts.predicts_numbers
  if config.data_dir is None:
    yield (
      f'--task={_NAME} needs --data_dir, a folder with one npz file per client or '
      "TFF's database file."
    )
  if number is None and not is_number:
    yield f'--task={_NAME} needs --num_classes.'
  if number is not None and number < fewest:
    yield f'--num_classes is {number}, expected {fewest} or more.'
  if is_number and number not in (None, 1):
    yield f'--num_classes is {number}, but --objective=regression predicts one number.'
  if config.partition is not None and not data.PARTITIONS[config.partition].keeps_users:
    yield (
      f'--partition is {config.partition}, but --task={_NAME} has data that are split by client: '
      'natural.'
    )
  if config.attack is not None:
    yield (
      f'--attack is {config.attack}, but with --task={_NAME} data are read when needed and cannot '
      'be poisoned: load them with --task=arrays.'
    )
  if keys is not None and len(keys) != 2:
    yield f'--example_keys is {",".join(keys)}, expected two names, such as pixels,label.'
  if shape is not None and min(shape, default=0) < 1:
    yield f'--example_shape is {",".join(map(str, shape))}, expected sizes such as 28,28,1.'


def _look_at_files(options: Options, data_dir: str | None) -> None:
  from tff_lg.data import first_bytes  # It imports NumPy.

  del options
  if data_dir is not None:
    first_bytes.check_files(data_dir, {'*.npz': 'npz'}, 'sqlite')


def _load(options: Options, setting: task.Setting) -> data.FederatedData:
  """Lists the clients of a folder or of TFF's database; their examples are read when needed.

  Raises:
    data.DataError: files missing or damaged.
    ValueError: TFF's database with labels that are not classes.
  """
  path, num_classes = os.path.expanduser(str(setting.data_dir)), options.num_classes or 0
  split = data.PartSplit(setting.validation_fraction, options.test_fraction or 0.0, setting.seed)
  if os.path.isdir(path):
    return data.load_client_folder(
      path,
      num_classes,
      objective=setting.objective,
      split=split,
      cache_size=options.client_cache,
    )
  if not metrics.OBJECTIVES[setting.objective].predicts_classes:
    raise ValueError(
      f"--objective is {setting.objective}, but --data_dir={path} is TFF's database, whose labels "
      'are classes: expected a folder with one npz file per client.'
    )
  return data.load_client_database(
    path,
    num_classes,
    keys=options.example_keys or ('x', 'y'),
    example_shape=options.example_shape,
    split=split,
    cache_size=options.client_cache,
  )


task.register_network(networks.dense(tasks=(_NAME,)))
task.register(
  task.TaskEntry(
    name=_NAME,
    label='your own data, split by client and read when needed',
    options=Options,
    network='mlp',
    load_data=_load,
    data_dir="a folder with one npz file per client, or TFF's database file of clients",
    partition='natural',
    objectives=named.ANY_LABELS,
    fits_reference=False,
    is_own_data=True,
    reads_when_needed=True,
    defaults=_defaults,
    contradictions=_check,
    look_at_files=_look_at_files,
  )
)
