"""Flags that contradict each other."""

from collections.abc import Iterator
from typing import Any

from tff_lg.aggregators import PLAIN_MEAN
from tff_lg.attacks import ATTACKS
from tff_lg.config import entry_options, optimization
from tff_lg.config.option import ConfigError
from tff_lg.config.partition import NATURAL, PARTITION_OPTIONS
from tff_lg.data import PARTITIONS
from tff_lg.entries import listed
from tff_lg.learning.methods import METHODS, Method
from tff_lg.tasks import TASKS, TaskEntry

# The tasks whose examples are embeddings.
_OF_EMBEDDINGS = tuple(name for name, entry in TASKS.items() if entry.has_embeddings)

# Whether flags contradict each other, and the sentence that says so.
_Conflict = tuple[Any, str]


def check(config: Any, partition: str) -> None:
  """Refuses flags that another flag makes meaningless.

  Args:
    config: a `TrainConfig`, as the user gave it.
    partition: the one that it names, or the task's.

  Raises:
    ConfigError: the first of them.
  """
  PARTITION_OPTIONS.check(config, (partition,))
  entry_options.METHOD_OPTIONS.check(config, (config.method, *(config.baselines or ())))
  for found, sentence in (
    *_conflicts_of_task(config, TASKS[config.task], partition),
    *_conflicts_of_clients(config, partition),
    *_conflicts_of_method(config, METHODS[config.method]),
    *_conflicts_of_choice(config),
  ):
    if found:
      raise ConfigError(sentence)


def _conflicts_of_task(config: Any, entry: TaskEntry, partition: str) -> Iterator[_Conflict]:
  yield (
    PARTITIONS[partition].needs_embeddings and not entry.has_embeddings,
    f'--partition={partition} is for --task={listed(_OF_EMBEDDINGS)}, but --task is '
    f'{config.task}: embed the data first, with `python -m pipelines.embed`.',
  )
  yield (
    not entry.fits_reference and config.protocol != 'validation',
    f'--protocol={config.protocol} follows the LG-FedAvg reference code and does not fit '
    f'--task={config.task}.',
  )
  yield (
    not entry.has_images and config.attack is not None and ATTACKS[config.attack].needs_images,
    f'--attack={config.attack} needs images, but --task={config.task} has none.',
  )
  yield (
    entry.is_embedded and config.data_dir is not None,
    f'--data_dir is given, but --task={config.task} is embedded and reads no files.',
  )


def _conflicts_of_clients(config: Any, partition: str) -> Iterator[_Conflict]:
  num_held_out = config.num_held_out
  yield (
    config.held_out_clients and config.held_out_ids is not None,
    '--held_out_clients and --held_out_ids both say who is held out: give one of them.',
  )
  yield (
    config.validation_clients is not None and not 0 < config.validation_clients < num_held_out,
    f'--validation_clients is {config.validation_clients}, expected more than 0 and fewer than '
    f'the held-out clients, {num_held_out}: the others are test clients.',
  )
  yield (
    PARTITIONS[partition].mixes_clients and bool(config.held_out_clients or config.held_out_ids),
    f'--partition={partition} shuffles examples between all clients: none can be held out.',
  )
  yield (
    partition in NATURAL and config.num_clients is not None,
    f'--num_clients is given, but --partition={partition} takes the clients from the data.',
  )


def _conflicts_of_method(config: Any, method: Method) -> Iterator[_Conflict]:
  baselines = config.baselines or ()
  yield (
    config.warm_start_rounds and not method.has_warm_start,
    f'--warm_start_rounds is {config.warm_start_rounds}, but --method={config.method} has no '
    'warm start: use --rounds.',
  )
  yield (
    not method.makes_steps and optimization.is_set(config, 'server'),
    '--server_optimizer, --server_learning_rate, --server_momentum and the like do not fit '
    f'--method={config.method}: its steps are set by --client_optimizer, '
    '--client_learning_rate and so on.',
  )
  yield (
    not method.sends_updates and config.aggregator != PLAIN_MEAN,
    f'--aggregator is {config.aggregator}, but --method={config.method} sends nothing to '
    'aggregate.',
  )
  for name in (config.method, *baselines):
    yield (
      METHODS[name].needs_mean and config.aggregator != PLAIN_MEAN,
      f'--aggregator is {config.aggregator}, but {name} needs means of what its clients send: '
      f'use --aggregator={PLAIN_MEAN}.',
    )
  yield (
    not method.sends_updates and config.attack is not None,
    f'--attack is {config.attack}, but --method={config.method} sends nothing to attack.',
  )
  yield (
    config.method in baselines,
    f'--baselines names {config.method}, which is the --method itself.',
  )


def _conflicts_of_choice(config: Any) -> Iterator[_Conflict]:
  """Yields those about how models are chosen, and when training ends."""
  yield (
    config.early_stopping_rounds is not None and config.choices.choose_by != 'validation',
    f'--early_stopping_rounds looks at validation data, but {config.lack_of_validation}.',
  )
  yield (
    config.early_stopping_rounds is not None and config.trains_to_best,
    '--early_stopping_rounds does not fit --method=local_only with --local_budget=best, whose '
    'clients end by --local_only_patience.',
  )
  yield (
    config.protocol == 'reference' and config.optimistic_choice_on_test_data is False,
    '--protocol=reference chooses models on test data, but --nooptimistic_choice_on_test_data is '
    'given.',
  )
  yield (
    config.protocol == 'reference' and config.client_weighting not in (None, 'uniform'),
    f'--protocol=reference averages uniformly, but --client_weighting is '
    f'{config.client_weighting}.',
  )
