"""ResNet-18 with group normalisation, for images of 32 x 32."""

import collections
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from tff_lg.compatibility import resnet_models

# `tff.simulation.models` does not export it.
from tff_lg.models import group_norm

RESNET18_BODY = ('stem', 'stage_1', 'stage_2', 'stage_3', 'stage_4', 'final')
_BLOCKS_PER_STAGE = 2
_SHORT_NAMES = {'Conv2D': 'conv', 'GroupNormalization': 'norm'}


def build_resnet18(
  input_shape: Sequence[int] = (32, 32, 3), num_classes: int = 10, *, seed: int = 0
) -> tf.keras.Model:
  """Builds TFF's ResNet-18 with group normalisation, in its usual form for CIFAR-10.

  The stem is a 3 x 3 convolution of stride 1 without max-pooling. Four stages of two
  basic blocks, normalisation first, have 64, 128, 256 and 512 channels. Each but the first
  halves height and width. There are 11,173,962 weights for 32 x 32 x 3 inputs and 10
  classes, and 0.56e9 multiplications per image. TFF's own network never halves them after
  the stem, which with this stem is 21 times the work.

  `--global_layers` sees the layers `RESNET18_BODY` and `output`: a stage is global as a
  whole. Keras's regularisers, 1e-4 in TFF's network, are left out: functional models
  of TFF ignore them.

  Args:
    input_shape: height, width and channels of an image.
    num_classes: size of the output, logits.
    seed: of the initial weights, He-normal in convolutions and N(0, 0.01^2) in `output`;
      the same seed, the same weights.

  Returns:
    An uncompiled Keras model from float32 [batch, *input_shape] to float32
    [batch, num_classes].

  He et al. 2016, Identity Mappings in Deep Residual Networks. Layers as in He et al. 2015,
  Deep Residual Learning; 32 groups as in Wu and He 2018. Yu et al. 2020.
  """
  network = resnet_models.create_resnet(
    tuple(input_shape),
    num_classes,
    residual_block=resnet_models.ResidualBlock.BASIC,
    repetitions=[_BLOCKS_PER_STAGE] * 4,
    initial_strides=(1, 1),
    initial_kernel_size=(3, 3),
    initial_max_pooling=False,
    norm_layer=resnet_models.NormLayer.GROUP_NORM,
  )
  names = _names_by_stage(network)
  seeds = {layer.name: seed + index for index, layer in enumerate(network.layers)}

  def clone(layer: tf.keras.layers.Layer) -> tf.keras.layers.Layer:
    config = {**layer.get_config(), 'name': names[layer.name]}
    if 'kernel_initializer' in config:
      initializer = config['kernel_initializer']
      options = {**initializer['config'], 'seed': seeds[layer.name]}
      config |= {
        'kernel_initializer': {**initializer, 'config': options},
        'kernel_regularizer': None,
        'bias_regularizer': None,
      }
    if isinstance(layer, tf.keras.layers.Conv2D) and _opens_stage(layer):
      config['strides'] = (2, 2)
    if isinstance(layer, tf.keras.layers.Dense):
      config['activation'] = 'linear'
    is_norm = isinstance(layer, tf.keras.layers.GroupNormalization)
    kind: Any = group_norm.GroupNormalization if is_norm else type(layer)
    return kind.from_config(config)

  cloned = tf.keras.models.clone_model(network, clone_function=clone)
  return tf.keras.Model(cloned.inputs, cloned.outputs, name='resnet18')


def _opens_stage(convolution: tf.keras.layers.Conv2D) -> bool:
  """Returns whether it doubles the channels, as a stage's first convolution and its shortcut do."""
  return convolution.filters == 2 * convolution.input_shape[-1]


def _names_by_stage(network: tf.keras.Model) -> dict[str, str]:
  """Returns names such as `stage_1/block_2/conv_1`, by the names that Keras counted up.

  A block ends in its addition; the stem is all that comes before the first block.
  """
  ends = [i + 1 for i, layer in enumerate(network.layers) if isinstance(layer, tf.keras.layers.Add)]
  starts = [0, 4, *ends, len(network.layers) - 1]
  blocks = [
    f'{stage}/block_{block + 1}'
    for stage in RESNET18_BODY[1:-1]
    for block in range(_BLOCKS_PER_STAGE)
  ]
  names = {network.layers[-1].name: 'output'}
  for part, start, end in zip(['stem', *blocks, 'final'], starts[:-1], starts[1:], strict=True):
    counts: collections.Counter[str] = collections.Counter()
    for layer in network.layers[start:end]:
      kind = _SHORT_NAMES.get(type(layer).__name__, type(layer).__name__.lower())
      counts[kind] += 1
      names[layer.name] = f'{part}/{kind}_{counts[kind]}'
  return names
