"""Tasks and networks: entries with their options, traits, loaders and builders."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg import data, models

LoadData = Callable[[Any, 'Setting'], 'data.FederatedData']
LoadSource = Callable[[Any, 'Setting'], 'data.Source']


# Of a task that has no other.
DEFAULT_PARTITION = 'classes_per_client'


class Derived(typing.NamedTuple):
  """Something that is computed from the clients' data, unless an option gives it.

  Attributes:
    name: in the summary.
    option: of the task, which gives it; None if none does.
    text: what it is.
  """

  name: str
  option: str | None
  text: str


@attrs.frozen(kw_only=True)
class Setting:
  """The setting that data are loaded for.

  Attributes:
    data_dir: the folder or file with the data; None for those that a task has without.
    seed: of the split and of the partition.
    objective: name of what is predicted of an example.
    validation_fraction: of each client's training examples.
    num_clients: that examples are spread over; None where the data decide it.
    partition: how they are; None where a file names the clients.
    partition_options: of the partition.
    choose_held_out: who is held out, for data whose vocabulary they are not to be in.
    fold: of each client's examples that is for testing, for tasks that make folds.
  """

  data_dir: str | None
  seed: int
  objective: str
  validation_fraction: float
  num_clients: int | None
  partition: str | None
  partition_options: Any
  choose_held_out: data.ChooseHeldOut
  fold: data.Fold | None = None


@attrs.frozen(kw_only=True)
class NetworkSetting:
  """The setting that a network is built for.

  Attributes:
    task_options: options of the task.
    data: the clients' data.
    seed: of the initial weights.
    objective: name of what is predicted of an example.
    output_activation: that the protocol wants of dense networks, None for logits.
  """

  task_options: Any
  data: data.FederatedData
  seed: int
  objective: str
  output_activation: str | None = None


@attrs.frozen(kw_only=True)
class NetworkEntry(entries.Entry):
  """A network; its label is for the help of `--model`. See `register_network`.

  Attributes:
    tasks: names of the tasks that offer it.
    build: (options, setting) -> the Keras model, from features to logits.
    global_layers: (options, the task's options) -> layers that LG-FedAvg sends, unless the user
      names others; by default all but the first third.
    build_original: builds it as a user's function returns it, a model of any Keras.
    wrap: turns it into the model to train, with every weight global and metrics of its own. By
      default the metrics are those of what is predicted.
    prepare: what it makes of the data, if it needs more than they have.
    task_options: of the task, which this network has and another one of the task may not.
    conditioning: `shared` for a network whose global weights know each client, `local` for one
      whose local weights do; None for others.
  """

  tasks: tuple[str, ...] = ()
  build: Callable[[Any, NetworkSetting], tf.keras.Model]
  global_layers: Callable[[Any, Any], tuple[str, ...]] | None = None
  build_original: Callable[[NetworkSetting], Any] | None = None
  wrap: Callable[[tf.keras.Model], models.LocalGlobalModel] | None = None
  prepare: Callable[[data.FederatedData], data.FederatedData] | None = None
  task_options: tuple[str, ...] = ()
  conditioning: str | None = None


def _check_exists(options: Any, data_dir: str | None) -> None:
  from tff_lg.data import first_bytes  # It imports NumPy.

  del options
  if data_dir is not None:
    first_bytes.check_files(data_dir, {})


def _no_defaults(config: Any) -> Mapping[str, Any]:
  del config
  return {}


@attrs.frozen(kw_only=True)
class TaskEntry(entries.Entry):
  """A task: a data set and what is trained on it; its label is for the help. See `register`.

  Attributes:
    network: its only one, or the name of that which `--model` has by default.
    load_source: (options, setting) -> examples, which a partition spreads over clients.
    load_data: (options, setting) -> the clients' data, of a task that spreads them itself.
    data_dir: what `--data_dir` names, for its help.
    partition: the default one; or (config, as given) -> its name.
    partition_note: says which it is, for help texts, where it depends on the config.
    num_clients: by default, where the data do not decide it.
    client_fraction: sampled per round by default where the data decide the clients.
    may_lose_clients: whether a client may get no example and is left out then.
    names_clients: (config) -> whether a file names the clients, instead of a partition.
    objectives: names of what can be predicted of an example, the default first.
    has_own_metrics: whether its models have a metric of their own.
    selection_metric: by which models are chosen by default; None for the main one.
    selection_scope: whose best round counts by default.
    is_embedded: whether the data are part of the package, without files.
    has_embeddings: whether examples are embeddings, which it spreads by more than their labels.
    has_images: whether examples may be images.
    has_numbers: whether examples are numbers, rather than words.
    fits_functions: whether `--model` may name a function of the user's, as examples are features
      with one label.
    fits_reference: whether the protocol of the reference code fits.
    is_own_data: whether `--data_dir` decides which data they are.
    reads_when_needed: whether a client's examples are read only when they are used.
    makes_folds: whether `load_source` splits folds itself, as what it fits to training examples may
      not see others.
    standardizes: whether `load_source` standardises by training examples, which folds do again.
    file_options: options that name its files, instead of `--data_dir`.
    look_at_files: (options, data_dir) -> raises `data.DataError` for files that are missing or
      cannot be its data, before TensorFlow starts.
    augment: of a training batch, (x, seed) -> x.
    derived: what is computed from the clients' data, which a private run tells.
    defaults: (config, as given) -> what options that are None stand for where that depends on
      others; None takes the option's default back.
    fast: (config) -> options of a small run on data that need no file; None for a task whose
      small runs are on digits.
  """

  network: NetworkEntry | str
  load_source: LoadSource | None = None
  load_data: LoadData | None = None
  data_dir: str = ''
  partition: str | Callable[[Any], str] = DEFAULT_PARTITION
  partition_note: str = ''
  num_clients: int = 100
  client_fraction: float = 0.1
  may_lose_clients: bool = False
  names_clients: Callable[[Any], bool] = lambda config: False
  objectives: tuple[str, ...] = ('classification',)
  has_own_metrics: bool = False
  selection_metric: str | None = None
  selection_scope: str = 'client'
  is_embedded: bool = False
  has_embeddings: bool = False
  has_images: bool = True
  has_numbers: bool = True
  fits_functions: bool = True
  fits_reference: bool = True
  is_own_data: bool = False
  reads_when_needed: bool = False
  makes_folds: bool = False
  standardizes: bool = False
  file_options: tuple[str, ...] = ()
  look_at_files: Callable[[Any, str | None], None] = _check_exists
  augment: Callable[[tf.Tensor, tf.Tensor], tf.Tensor] | None = None
  derived: tuple[Derived, ...] = ()
  defaults: Callable[[Any], Mapping[str, Any]] = _no_defaults
  fast: Callable[[Any], Mapping[str, Any]] | None = None

  def default_partition(self, config: Any) -> str:
    """Returns the partition of a config, as given, that names none."""
    return self.partition(config) if callable(self.partition) else self.partition


# What `--task` and `--model` take, with everything that is known about it.
TASKS: entries.Registry[TaskEntry] = entries.Registry('task')
NETWORKS: entries.Registry[NetworkEntry] = entries.Registry('model')
register = TASKS.register
register_network = NETWORKS.register


def networks_of(task: str) -> tuple[str, ...]:
  """Returns the names of the networks that a task offers, the default first if it has a name."""
  names = [name for name, entry in NETWORKS.items() if task in entry.tasks]
  return tuple(sorted(names, key=lambda name: name != TASKS[task].network))


def is_own_network(name: str | None) -> bool:
  """Returns whether `--model` names a function of the user's instead of an entry."""
  return ':' in (name or '')


def _of_function(path: str) -> NetworkEntry:
  """Returns the network that a function of the user's builds, `my_module:build`."""

  def build(options: Any, setting: NetworkSetting) -> tf.keras.Model:
    from tff_lg import models  # It imports TensorFlow.

    del options
    return models.build_imported(path, *arguments(setting), objective=setting.objective)

  def build_original(setting: NetworkSetting) -> Any:
    from tff_lg import models

    return models.build_original(path, *arguments(setting))

  def arguments(setting: NetworkSetting) -> tuple[Any, int, int]:
    shape = setting.data.inputs or setting.data.test.x.shape[1:]
    return shape, setting.data.num_classes, setting.seed

  label = 'a function of your own'
  return NetworkEntry(name=path, label=label, build=build, build_original=build_original)


def find_network(task: str, name: str | None) -> NetworkEntry:
  """Returns a task's network of a name, or of a function's; its default one for None."""
  if name is not None and is_own_network(name):
    return _of_function(name)
  chosen = TASKS[task].network if name is None else name
  return NETWORKS[chosen] if isinstance(chosen, str) else chosen
