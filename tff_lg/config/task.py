"""The task and the network of a run, with their options, made of the entries."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from tff_lg import tasks
from tff_lg.config.entry_options import EntryOptions
from tff_lg.config.option import ConfigError, option
from tff_lg.data import PARTITIONS
from tff_lg.entries import Entry, listed

TASK_OPTIONS = EntryOptions(tasks.TASKS, 'task')
NETWORK_OPTIONS = EntryOptions(tasks.NETWORKS, 'model')
# What a small run is on, unless its task has small data of its own.
SMALL = 'digits'
_OWN_NETWORK = '; a network of your own is a function, such as --model=my_module:build.'

_TaskOptions: Any = TASK_OPTIONS.make_class()
_NetworkOptions: Any = NETWORK_OPTIONS.make_class()


def say_by_task(value: Callable[[tasks.TaskEntry], str]) -> str:
  """Says what differs between tasks, for a help text.

  Args:
    value: of a task; tasks of which it is empty are left out.

  Returns:
    Each value with its tasks, separated by semicolons.
  """
  names: dict[str, list[str]] = {}
  for name, entry in tasks.TASKS.items():
    if found := value(entry):
      names.setdefault(found, []).append(name)
  return '; '.join(f'{found} for --task={listed(of)}' for found, of in names.items())


def say_default(value: Callable[[tasks.TaskEntry], str]) -> str:
  """Says what differs between tasks, where the value of the default task goes without saying."""
  first = value(tasks.TASKS[SMALL])
  others = say_by_task(lambda entry: '' if value(entry) == first else value(entry))
  return f'{first} by default' + (f', {others}' if others else '')


def say_partition(entry: tasks.TaskEntry) -> str:
  """Says which partition a task has by default."""
  return entry.partition if isinstance(entry.partition, str) else entry.partition_note


def say_labels(registry: Mapping[str, Entry]) -> str:
  """Says what each entry is, as a sentence."""
  return '; '.join(f'{name}: {entry.label}' for name, entry in registry.items()) + '.'


def _say_networks() -> str:
  by_task = []
  for name, entry in tasks.TASKS.items():
    if offered := tasks.networks_of(name):
      own = '' if isinstance(entry.network, str) else 'its own, '
      by_task.append(f'--task={name} has {own}{", ".join(offered)}')
  return f'{"; ".join(by_task)}; the first is its default. {say_labels(tasks.NETWORKS)} '


@dataclasses.dataclass(frozen=True)
class TaskName:
  """The task."""

  task: str = option(
    SMALL, f'Data set and its model. {say_labels(tasks.TASKS)}', tuple(tasks.TASKS)
  )


@dataclasses.dataclass(frozen=True)
class TaskOptions(TaskName, _TaskOptions, _NetworkOptions):
  """The task and its network; None stands for a default that depends on other choices."""

  data_dir: str | None = option(
    None, f'Where the data are: {say_by_task(lambda entry: entry.data_dir)}.', is_path=True
  )
  model: str | None = option(
    None,
    f'Network. {_say_networks()}Or a function of your own, my_module:build, of tasks on numbers '
    'and images: build(input_shape, num_outputs, seed) returns a Keras model.',
  )


def default_partition(config: Any) -> str:
  """Returns the partition of a config as given, or the task's default one."""
  return config.partition or tasks.TASKS[config.task].default_partition(config)


def defaults(config: Any) -> dict[str, Any]:
  """Returns what options that are None stand for, by name, where they apply."""
  entry, network = tasks.TASKS[config.task], tasks.TASKS[config.task].network
  model = config.model or (network if isinstance(network, str) else None)
  return {
    'model': model,
    **TASK_OPTIONS.defaults((config.task,)),
    **NETWORK_OPTIONS.defaults(name for name in tasks.NETWORKS if name == model),
    **entry.defaults(config),
    **dict.fromkeys(_of_other_networks(config)),
  }


def check(config: Any) -> None:
  """Refuses options that cannot be, and what the task or its network do not fit.

  Args:
    config: a `TrainConfig`, as the user gave it.

  Raises:
    ConfigError: the first of them.
  """
  offered = tasks.networks_of(config.task)
  own = () if isinstance(tasks.TASKS[config.task].network, str) else ('its default',)
  if config.model not in (None, *offered) and not tasks.is_own_network(config.model):
    raise ConfigError(
      f'--model is {config.model}, but --task={config.task} has '
      f'{" or ".join((*own, *offered)) if offered else "one network only"}'
      f'{_OWN_NETWORK if tasks.TASKS[config.task].fits_functions else "."}'
    )
  TASK_OPTIONS.check(config, (config.task,))
  for name in _of_other_networks(config):
    if getattr(config, name) is not None:
      raise ConfigError(f'--{name} is given, but --model={config.model} has no such option.')
  model = defaults(config)['model']
  NETWORK_OPTIONS.check(config, (model if model in tasks.NETWORKS else None,), model)


def _of_other_networks(config: Any) -> list[str]:
  """Returns the options of the task that another network of it has, but not the chosen one."""
  networks = [
    tasks.find_network(config.task, name) for name in (None, *tasks.networks_of(config.task))
  ]
  names = dict.fromkeys(name for network in networks for name in network.task_options)
  chosen = tasks.find_network(config.task, config.model)
  return [name for name in names if name not in chosen.task_options]


def fast(config: Any) -> Mapping[str, Any]:
  """Returns the task, and every option of it and its network, of a small run."""
  entry = tasks.TASKS[config.task]
  task = SMALL if entry.fast is None else config.task
  stays = tasks.is_own_network(config.model) or config.model in tasks.networks_of(task)
  model = config.model if stays else None
  return {
    **TASK_OPTIONS.without(),
    **({} if entry.fast is None else entry.fast(config)),
    **NETWORK_OPTIONS.without(model),
    'task': task,
    'data_dir': None,
    'model': model,
  }


def has_small_data(config: Any) -> bool:
  """Returns whether a small run is of the same task, on small data of its own."""
  return tasks.TASKS[config.task].fast is not None


def fast_is_natural(config: Any) -> bool:
  """Returns whether the data of a small run decide who its clients are."""
  partition = tasks.TASKS[config.task].default_partition(config)
  return has_small_data(config) and PARTITIONS[partition].is_natural
