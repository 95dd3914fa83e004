"""Networks of tasks on numbers and images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tff_lg.tasks import task

if TYPE_CHECKING:
  import tensorflow as tf


def dense(hidden_units: tuple[int, ...], *global_layers: str, **entry: Any) -> task.NetworkEntry:
  """Makes an entry of dense ReLU layers.

  Args:
    hidden_units: of each hidden layer.
    *global_layers: that LG-FedAvg sends.
    **entry: what else the entry has, such as its tasks.
  """

  def build(options: Any, setting: task.NetworkSetting) -> tf.keras.Model:
    from tff_lg import models  # It imports TensorFlow.

    del options
    return models.build_mlp(
      setting.data.test.x.shape[1:],
      setting.data.num_classes,
      hidden_units,
      seed=setting.seed,
      output_activation=setting.output_activation,
    )

  return task.NetworkEntry(
    **{'name': 'mlp', 'label': 'dense ReLU layers', **entry},
    build=build,
    global_layers=lambda options, task_options: global_layers,
  )


def _image_shape(setting: task.NetworkSetting) -> tuple[tuple[int, ...], int]:
  return setting.data.test.x.shape[1:], setting.data.num_classes


def _lenet(options: Any, setting: task.NetworkSetting) -> tf.keras.Model:
  from tff_lg import models

  del options
  return models.build_lenet(*_image_shape(setting), seed=setting.seed)


def _reference_lenet(options: Any, setting: task.NetworkSetting) -> tf.keras.Model:
  from tff_lg import models

  del options
  return models.build_reference_lenet(*_image_shape(setting), seed=setting.seed)


def _resnet18(options: Any, setting: task.NetworkSetting) -> tf.keras.Model:
  from tff_lg import models

  del options
  return models.build_resnet18(*_image_shape(setting), seed=setting.seed)


def _convolutions(options: Any, task_options: Any) -> tuple[str, ...]:
  del options, task_options
  return 'conv_1', 'conv_2'


def _resnet18_body(options: Any, task_options: Any) -> tuple[str, ...]:
  from tff_lg import models

  del options, task_options
  return tuple(models.RESNET18_BODY)


for _entry in (
  task.NetworkEntry(
    name='lenet',
    label='LeNet-5',
    tasks=('cifar10', 'client_files'),
    build=_lenet,
    global_layers=_convolutions,
  ),
  task.NetworkEntry(
    name='reference_lenet',
    label='LeNet-5 on standardised pixels with the smaller initial weights of the LG-FedAvg '
    'reference code',
    tasks=('cifar10',),
    build=_reference_lenet,
    global_layers=_convolutions,
  ),
  task.NetworkEntry(
    name='resnet18',
    label='ResNet-18 with group normalisation',
    tasks=('cifar10',),
    build=_resnet18,
    global_layers=_resnet18_body,
  ),
):
  task.register_network(_entry)
