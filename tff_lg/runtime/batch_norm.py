"""Batch normalization by operations that several threads can run at a time.

TensorFlow's oneDNN kernels of `FusedBatchNorm` and of its gradient store the number of channels and
the place of the means. All threads that run a node share its kernel. If the channels differ from
call to call, one thread writes past the end of another's memory. Keras' `LayerNormalization` passes
a batch's rows as channels, and a client's last batch has fewer.

Here each such operation becomes a call of a function of elementwise operations and means. On the
rows of a layer normalization these are about twice as fast as oneDNN's.
"""

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Sequence

import tensorflow as tf
from tensorflow.core.framework import function_pb2

from tff_lg.compatibility import tff
from tff_lg.runtime import graphs

_PREFIX = 'FusedBatchNorm'
_FORWARD = (_PREFIX, f'{_PREFIX}V2', f'{_PREFIX}V3')
_GRADIENTS = (f'{_PREFIX}Grad', f'{_PREFIX}GradV2', f'{_PREFIX}GradV3')


@dataclasses.dataclass(frozen=True)
class _Normalization:
  """The parameters of an operation.

  Attributes:
    op: its kind.
    dtype: of the activations.
    statistics_dtype: of means and variances.
    epsilon: added to variances.
    averaging_factor: share of the batch in the means and variances that are given out.
    channels_first: whether the layout is NCHW.
    is_training: whether the batch's own means and variances are used.
  """

  op: str
  dtype: tf.DType
  statistics_dtype: tf.DType
  epsilon: float
  averaging_factor: float
  channels_first: bool
  is_training: bool

  @property
  def axes(self) -> list[int]:
    """All but the channels' axis."""
    return [0, 2, 3] if self.channels_first else [0, 1, 2]

  def spread(self, of_channels: tf.Tensor) -> tf.Tensor:
    """Returns a vector of the channels so that it broadcasts against activations."""
    return tf.reshape(of_channels, [-1, 1, 1]) if self.channels_first else of_channels

  def size(self, x: tf.Tensor) -> tf.Tensor:
    """Returns how many numbers a channel has."""
    shape = tf.shape(x)
    return tf.cast(tf.reduce_prod(tf.gather(shape, self.axes)), self.statistics_dtype)


def replace_in(
  block: tff.framework.ComputationBuildingBlock,
) -> tff.framework.ComputationBuildingBlock:
  """Replaces batch normalization in all TensorFlow parts of a computation."""
  return tff.framework.transform_postorder(block, _replace_in_part)[0]


def _replace_in_part(
  part: tff.framework.ComputationBuildingBlock,
) -> tuple[tff.framework.ComputationBuildingBlock, bool]:
  if not isinstance(part, tff.framework.CompiledComputation):
    return part, False
  # Most graphs have none: to look at the bytes is much faster than to parse them.
  if _PREFIX.encode() not in part.proto.tensorflow.graph_def.value:
    return part, False
  graph_def = tf.compat.v1.GraphDef()
  part.proto.tensorflow.graph_def.Unpack(graph_def)
  replace(graph_def)
  return graphs.replace_in(part, graph_def), True


def replace(graph_def: tf.compat.v1.GraphDef) -> None:
  """Replaces batch normalization, and its gradient, by calls of safe functions, in place.

  Three-dimensional batch normalization stays: oneDNN has no kernel for it.

  Args:
    graph_def: a graph with its function library.
  """
  nodes = graphs.nodes_to_call(graph_def, _is_unsafe)
  known = {function.signature.name for function in graph_def.library.function}
  for node in nodes:
    function = _build_function(_describe(node))
    if function.signature.name not in known:
      known.add(function.signature.name)
      graph_def.library.function.append(function)
    graphs.call_instead(node, function)


def _is_unsafe(node: tf.compat.v1.NodeDef) -> bool:
  return node.op in _FORWARD + _GRADIENTS and len(_data_format(node)) == len('NHWC')


def _data_format(node: tf.compat.v1.NodeDef) -> str:
  return node.attr['data_format'].s.decode() or 'NHWC'


def _describe(node: tf.compat.v1.NodeDef) -> _Normalization:
  attributes = node.attr
  dtype = tf.as_dtype(attributes['T'].type)
  averaging = attributes.get('exponential_avg_factor')
  return _Normalization(
    op=node.op,
    dtype=dtype,
    statistics_dtype=tf.as_dtype(attributes['U'].type) if 'U' in attributes else dtype,
    epsilon=attributes['epsilon'].f if 'epsilon' in attributes else 1e-4,
    averaging_factor=1.0 if averaging is None else averaging.f,
    channels_first=_data_format(node) == 'NCHW',
    is_training=attributes['is_training'].b if 'is_training' in attributes else True,
  )


@functools.lru_cache(256)
def _build_function(normalization: _Normalization) -> function_pb2.FunctionDef:
  """Builds the function that takes and gives what the operation does."""
  of_channels = tf.TensorSpec([None], normalization.statistics_dtype)
  activations = tf.TensorSpec([None] * 4, normalization.dtype)
  if normalization.op in _FORWARD:
    compute: Callable = _normalize
    specs = [activations] + [of_channels] * 4
  else:
    compute = _gradients
    specs = [activations, activations] + [of_channels] * 3
    if normalization.op.endswith('V3'):
      specs.append(tf.TensorSpec(None, normalization.statistics_dtype))

  def function(*tensors: tf.Tensor) -> Sequence[tf.Tensor]:
    return compute(normalization, *tensors)

  concrete = tf.function(function, autograph=False).get_concrete_function(*specs)
  function_def = function_pb2.FunctionDef()
  function_def.CopyFrom(concrete.function_def)
  # TensorFlow numbers functions in the order in which a process makes them.
  digest = hashlib.sha256(repr(normalization).encode()).hexdigest()[:16]
  function_def.signature.name = f'batch_norm_{digest}'
  return function_def


def _normalize(
  normalization: _Normalization,
  x: tf.Tensor,
  scale: tf.Tensor,
  offset: tf.Tensor,
  known_mean: tf.Tensor,
  known_variance: tf.Tensor,
) -> list[tf.Tensor]:
  """Returns the outputs of `FusedBatchNorm`."""
  spread = normalization.spread
  x = tf.cast(x, normalization.statistics_dtype)
  if normalization.is_training:
    mean = tf.reduce_mean(x, normalization.axes)
    centred = x - spread(mean)
    variance = tf.reduce_mean(tf.square(centred), normalization.axes)
    size = normalization.size(x)
    unbiased = variance * (size / tf.maximum(size - 1, 1))
    given_out = [mean, unbiased]
    share = normalization.averaging_factor
    if share != 1.0:
      given_out = [
        (1 - share) * known + share * of_batch
        for known, of_batch in zip((known_mean, known_variance), given_out, strict=True)
      ]
  else:
    mean, variance = given_out = [known_mean, known_variance]
    centred = x - spread(mean)
  factor = scale * tf.math.rsqrt(variance + normalization.epsilon)
  y = tf.cast(centred * spread(factor) + spread(offset), normalization.dtype)
  outputs = [y, *given_out, mean, variance]
  if normalization.op.endswith('V3'):
    outputs.append(tf.zeros([0], normalization.statistics_dtype))
  return list(map(tf.identity, outputs))


def _gradients(
  normalization: _Normalization,
  y_gradient: tf.Tensor,
  x: tf.Tensor,
  scale: tf.Tensor,
  mean: tf.Tensor,
  variance: tf.Tensor,
  *unused: tf.Tensor,
) -> list[tf.Tensor]:
  """Returns the outputs of `FusedBatchNormGrad`."""
  del unused
  spread, axes = normalization.spread, normalization.axes
  x, y_gradient = (tf.cast(each, normalization.statistics_dtype) for each in (x, y_gradient))
  inverse = tf.math.rsqrt(variance + normalization.epsilon)
  centred = x - spread(mean)
  offset_gradient = tf.reduce_sum(y_gradient, axes)
  scale_gradient = tf.reduce_sum(y_gradient * centred, axes) * inverse
  through = y_gradient
  if normalization.is_training:
    size = normalization.size(x)
    through -= spread(offset_gradient / size)
    through -= centred * spread(scale_gradient * inverse / size)
  x_gradient = tf.cast(through * spread(scale * inverse), normalization.dtype)
  nothing = tf.zeros([0], normalization.statistics_dtype)
  return [x_gradient, scale_gradient, offset_gradient, nothing, tf.identity(nothing)]
