"""Tasks on data sets that `data.load_source` knows by name."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import data, metrics
from tff_lg.tasks import networks, shared, task

if TYPE_CHECKING:
  import tensorflow as tf


def _source(name: str) -> task.LoadSource:
  def load(options: Any, setting: task.Setting) -> data.Source:
    del options
    return data.load_source(name, setting.data_dir, setting.seed)

  return load


def _load_arrays(options: Any, setting: task.Setting) -> data.Source:
  del options
  return data.load_source('arrays', setting.data_dir, setting.seed, setting.objective)


def _check_arrays(config: Any) -> Iterator[str]:
  if config.data_dir is None:
    yield '--task=arrays needs --data_dir, the folder with train.npz.'


def _partition_of_arrays(config: Any) -> str:
  """Returns `natural` where the arrays say whose each example is."""
  from tff_lg.data import arrays  # It imports NumPy.

  has_users = config.data_dir is not None and arrays.has_users(config.data_dir)
  return 'natural' if has_users else task.DEFAULT_PARTITION


def _load_pfllib(options: Any, setting: task.Setting) -> data.Source:
  del options
  return data.load_pfllib(str(setting.data_dir))


def _check_pfllib(config: Any) -> Iterator[str]:
  if config.data_dir is None:
    yield '--task=pfllib needs --data_dir, the folder with train and test.'


def _look_at_pfllib(options: Any, data_dir: str | None) -> None:
  from tff_lg.data import first_bytes, pfllib  # They import NumPy.

  del options
  if data_dir is not None:
    first_bytes.check_files(data_dir, {'train/*.npz': 'npz', 'test/*.npz': 'npz'})
    pfllib.find_files(data_dir)


def _look_for(name: str, in_folder: Mapping[str, str]) -> Callable[[Any, str | None], None]:
  def look(options: Any, data_dir: str | None) -> None:
    from tff_lg.data import first_bytes  # It imports NumPy.

    del options
    if data_dir is None:
      return
    first_bytes.check_files(data_dir, in_folder)
    folder = os.path.expanduser(data_dir)
    if os.path.isdir(folder):
      importlib.import_module(f'tff_lg.data.{name}').find_files(folder)

  return look


def _crop_and_flip(images: tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
  from tff_lg.learning import augmentation  # It imports TensorFlow.

  return augmentation.crop_and_flip(images, seed)


# The objectives of tasks whose files may have any labels.
ANY_LABELS = tuple(metrics.OBJECTIVES)
_OFFICIAL = 'the folder with the official files (Keras downloads them without it)'
MLP = networks.dense()


@attrs.frozen(kw_only=True)
class _Diabetes:
  """Options of the task `diabetes`."""

  hidden_units: tuple[int, ...] = shared.hidden_units((32, 32))


@attrs.frozen(kw_only=True)
class _Mnist:
  """Options of the task `mnist`."""

  hidden_units: tuple[int, ...] = shared.hidden_units((512, 256, 256, 128))


for _entry in (
  task.TaskEntry(
    name='digits',
    label="scikit-learn's 1,797 handwritten digits",
    options=networks.DenseOptions,
    network=MLP,
    load_source=_source('digits'),
    is_embedded=True,
  ),
  task.TaskEntry(
    name='diabetes',
    label="scikit-learn's 442 patients, a number to predict",
    options=_Diabetes,
    network=MLP,
    load_source=_source('diabetes'),
    partition='natural',
    client_fraction=1.0,
    objectives=('regression',),
    is_embedded=True,
    has_images=False,
    standardizes=True,
  ),
  task.TaskEntry(
    name='mnist',
    label='MNIST',
    options=_Mnist,
    network=MLP,
    load_source=_source('mnist'),
    look_at_files=_look_for('mnist', {'*-idx?-ubyte': 'idx', '*-idx?-ubyte.gz': 'idx'}),
    data_dir=_OFFICIAL,
  ),
  task.TaskEntry(
    name='cifar10',
    label='CIFAR-10',
    network='lenet',
    load_source=_source('cifar10'),
    look_at_files=_look_for('cifar10', {'**/data_batch_?': 'pickle', '**/test_batch': 'pickle'}),
    data_dir=_OFFICIAL,
    augment=_crop_and_flip,
  ),
  task.TaskEntry(
    name='arrays',
    label='your own arrays',
    options=networks.DenseOptions,
    network=MLP,
    load_source=_load_arrays,
    look_at_files=_look_for('arrays', {'train.npz': 'npz', 'test.npz': 'npz'}),
    data_dir='a folder with train.npz',
    partition=_partition_of_arrays,
    partition_note=f'natural (with users in train.npz, else {task.DEFAULT_PARTITION})',
    objectives=ANY_LABELS,
    is_own_data=True,
    contradictions=_check_arrays,
  ),
  task.TaskEntry(
    name='pfllib',
    label='folders of PFLlib, with a file per client',
    options=networks.DenseOptions,
    network=MLP,
    load_source=_load_pfllib,
    look_at_files=_look_at_pfllib,
    data_dir='a folder of PFLlib, with train/*.npz and test/*.npz,',
    partition='natural',
    is_own_data=True,
    contradictions=_check_pfllib,
  ),
):
  task.register(_entry)
