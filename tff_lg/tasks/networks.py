"""Networks of tasks on numbers and images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from tff_lg.tasks import shared, task

if TYPE_CHECKING:
  import tensorflow as tf

# Of small images, arrays, tables and features.
SMALL_UNITS = (64, 64, 32)


@attrs.frozen(kw_only=True)
class DenseOptions:
  """Options of a task whose network is of dense layers."""

  hidden_units: tuple[int, ...] = shared.hidden_units(SMALL_UNITS)


def dense(**entry: Any) -> task.NetworkEntry:
  """Makes an entry of dense ReLU layers, of `hidden_units` of the task's options.

  LG-FedAvg sends the output and the later half of the hidden layers, as Liang et al. do.

  Args:
    **entry: what else the entry has, such as its tasks.
  """
  return task.NetworkEntry(
    **{'name': 'mlp', 'label': 'dense ReLU layers', **entry},
    build=_dense,
    global_layers=_later_half,
    task_options=('hidden_units',),
  )


def _dense(options: Any, setting: task.NetworkSetting) -> tf.keras.Model:
  from tff_lg import models  # It imports TensorFlow.

  del options
  return models.build_mlp(
    setting.data.test.x.shape[1:],
    setting.data.num_classes,
    setting.task_options.hidden_units,
    seed=setting.seed,
    output_activation=setting.output_activation,
  )


def _later_half(options: Any, task_options: Any) -> tuple[str, ...]:
  del options
  number = len(task_options.hidden_units)
  return (*(f'hidden_{each}' for each in range(number // 2 + 1, number + 1)), 'output')


def _of_images(name: str, **entry: Any) -> task.NetworkEntry:
  """Makes an entry of `models.build_<name>`, a function of an image's shape and of classes.

  Args:
    name: of the network.
    **entry: what else the entry has, such as its tasks.
  """

  def build(options: Any, setting: task.NetworkSetting) -> tf.keras.Model:
    from tff_lg import models

    del options
    build_model = getattr(models, f'build_{name}')
    return build_model(setting.data.test.x.shape[1:], setting.data.num_classes, seed=setting.seed)

  return task.NetworkEntry(name=name, build=build, **entry)


def _convolutions(options: Any, task_options: Any) -> tuple[str, ...]:
  del options, task_options
  return 'conv_1', 'conv_2'


def _normalized_convolutions(options: Any, task_options: Any) -> tuple[str, ...]:
  del options, task_options
  return 'conv_1', 'conv_1_norm', 'conv_2', 'conv_2_norm'


def _after_convolutions(options: Any, task_options: Any) -> tuple[str, ...]:
  del options, task_options
  return 'fc_1', 'output'


def _resnet18_body(options: Any, task_options: Any) -> tuple[str, ...]:
  from tff_lg import models

  del options, task_options
  return tuple(models.RESNET18_BODY)


for _entry in (
  _of_images(
    name='lenet',
    label='LeNet-5',
    tasks=('cifar10', 'client_files', 'images'),
    global_layers=_convolutions,
  ),
  _of_images(
    name='reference_lenet',
    label='LeNet-5 on standardised pixels with the smaller initial weights of the LG-FedAvg '
    'reference code',
    tasks=('cifar10',),
    global_layers=_convolutions,
  ),
  _of_images(
    name='group_norm_lenet',
    label='LeNet-5 with group normalisation before each ReLU',
    tasks=('cifar10', 'images'),
    global_layers=_normalized_convolutions,
  ),
  _of_images(
    name='cnn',
    label='two convolutions and a dense layer, as in the FedAvg paper',
    tasks=('digits', 'mnist', 'images'),
    global_layers=_after_convolutions,
  ),
  _of_images(
    name='resnet18',
    label='ResNet-18 with group normalisation',
    tasks=('cifar10', 'images'),
    global_layers=_resnet18_body,
  ),
):
  task.register_network(_entry)
