"""Batch normalization by safe operations gives what TensorFlow's operations give."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.runtime import testing
from tff_lg.compatibility import tff
from tff_lg.runtime import batch_norm, graphs
from tff_lg.runtime import tff_internals as internals


def _replaced(function, *arguments):
  """Returns what the function gives without its graph's batch normalization, and the graph."""
  concrete = function.get_concrete_function(*map(tf.TensorSpec.from_tensor, arguments))
  graph_def = concrete.graph.as_graph_def()
  batch_norm.replace(graph_def)
  graphs.rename_functions(graph_def)
  wrapped = tf.compat.v1.wrap_function(
    lambda: tf.graph_util.import_graph_def(graph_def, name=''), []
  )
  inputs, outputs = (
    [wrapped.graph.get_tensor_by_name(tensor.name) for tensor in tensors]
    for tensors in (concrete.inputs, concrete.outputs)
  )
  return wrapped.prune(inputs, outputs)(*arguments), graph_def


def _kinds(graph_def):
  nodes = [*graph_def.node]
  for function in graph_def.library.function:
    nodes.extend(function.node_def)
  return {node.op for node in nodes}


def _arguments(channels_first=False, dtype=np.float32):
  rng = np.random.default_rng(0)
  shape = (4, 5, 3, 2) if channels_first else (4, 3, 2, 5)
  activations = [rng.normal(size=shape).astype(dtype) for _ in range(2)]
  of_channels = [rng.uniform(0.5, 1.5, 5).astype(np.float32) for _ in range(4)]
  return list(map(tf.constant, [*activations, *of_channels]))


def _build(version, **options):
  forward = getattr(tf.raw_ops, f'FusedBatchNorm{version}')
  backward = getattr(tf.raw_ops, f'FusedBatchNormGrad{version}')
  averaging = options.pop('exponential_avg_factor', 1.0)

  @tf.function
  def function(x, y_gradient, scale, offset, mean, variance):
    outputs = forward(
      x=x,
      scale=scale,
      offset=offset,
      mean=mean,
      variance=variance,
      exponential_avg_factor=averaging,
      **options,
    )
    saved = {f'reserve_space_{index + 1}': each for index, each in enumerate(outputs[3:])}
    num_equal = 5
    if not options['is_training']:  # Kernels save nothing that means something then.
      saved |= {'reserve_space_1': mean, 'reserve_space_2': variance}
      num_equal = 3
    gradients = backward(y_backprop=y_gradient, x=x, scale=scale, **saved, **options)
    return [*outputs[:num_equal], *gradients[:3]]

  return function


class ReplaceTest(parameterized.TestCase):
  @parameterized.product(
    version=['', 'V2', 'V3'],
    data_format=['NHWC', 'NCHW'],
    options=[
      {'is_training': True},
      {'is_training': True, 'exponential_avg_factor': 0.3},
      {'is_training': False},
    ],
  )
  def test_same_as_tensorflow_s(self, version, data_format, options):
    function = _build(version, data_format=data_format, epsilon=0.01, **options)
    arguments = _arguments(data_format == 'NCHW')
    found, graph_def = _replaced(function, *arguments)
    self.assertNoCommonElements(
      {f'FusedBatchNorm{version}', f'FusedBatchNormGrad{version}'}, _kinds(graph_def)
    )
    try:
      expected = function(*arguments)
    except tf.errors.InvalidArgumentError as error:  # Only oneDNN has such a kernel.
      self.assertRegex(str(error), 'is_training=False only support NHWC')
      self.skipTest('TensorFlow has no such kernel for this processor.')
    for mine, theirs in zip(found, expected, strict=True):
      np.testing.assert_allclose(mine, theirs, atol=1e-5)

  def test_half_precision(self):
    function = _build('V3', data_format='NHWC', is_training=True)
    arguments = _arguments(dtype=np.float16)
    for mine, theirs in zip(_replaced(function, *arguments)[0], function(*arguments), strict=True):
      self.assertEqual(mine.dtype, theirs.dtype)
      np.testing.assert_allclose(mine, theirs, atol=2e-3)

  def test_by_hand(self):
    @tf.function
    def function(x):
      return tf.raw_ops.FusedBatchNormV3(
        x=x, scale=[2.0], offset=[10.0], mean=[], variance=[], epsilon=1.0, is_training=True
      )[:3]

    # Mean 3, variance 8: (x - 3) / 3 * 2 + 10; the variance given out is 8 * 2.
    x = tf.reshape(3 + np.float32([-1, 1]) * np.sqrt(8, dtype=np.float32), [2, 1, 1, 1])
    (y, mean, variance), _ = _replaced(function, x)
    np.testing.assert_allclose(y[:, 0, 0, 0], 10 + np.array([-1, 1]) * np.sqrt(8) * 2 / 3, 1e-6)
    np.testing.assert_allclose([mean[0], variance[0]], [3, 16], 1e-6)

  def test_no_row(self):
    @tf.function
    def function(x):
      of_rows = tf.zeros(tf.shape(x)[1])
      return tf.raw_ops.FusedBatchNormV3(
        x=x, scale=of_rows, offset=of_rows, mean=[], variance=[], data_format='NCHW'
      )[0]

    [found], _ = _replaced(function, tf.zeros([1, 0, 4, 1]))
    self.assertEqual(found.shape, [1, 0, 4, 1])

  def test_in_functions_of_the_library(self):
    @tf.function
    def function(x):
      def normalize(x):
        outputs = tf.raw_ops.FusedBatchNormV3(
          x=x, scale=[1.0], offset=[0.0], mean=[], variance=[], epsilon=1.0, is_training=True
        )
        return outputs.batch_mean, outputs.y

      return tf.map_fn(normalize, x, fn_output_signature=(tf.float32, tf.float32))

    x = tf.constant(np.random.default_rng(0).normal(size=(3, 2, 2, 2, 1)), tf.float32)
    found, graph_def = _replaced(function, x)
    self.assertNotIn('FusedBatchNormV3', _kinds(graph_def))
    for mine, theirs in zip(found, function(x), strict=True):
      np.testing.assert_allclose(mine, theirs, atol=1e-6)

  def test_three_dimensional_normalization_stays(self):
    @tf.function
    def function(x):
      return tf.raw_ops.FusedBatchNormV3(
        x=x, scale=[1.0], offset=[0.0], mean=[], variance=[], data_format='NDHWC'
      )[0]

    graph_def = function.get_concrete_function(tf.zeros([2, 1, 2, 2, 1])).graph.as_graph_def()
    before = graph_def.SerializeToString(deterministic=True)
    batch_norm.replace(graph_def)
    self.assertEqual(graph_def.SerializeToString(deterministic=True), before)


@tff.tensorflow.computation(tff.TensorType(np.float32, [None, 4]))
def _normalized_gradient(x):
  norm = tf.keras.layers.LayerNormalization()
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = norm(x)
    loss = tf.reduce_sum(y**3)
  return y, tape.gradient(loss, x)


class ReplaceInTest(absltest.TestCase):
  def test_a_computation_runs_without_fused_operations_on_both_runtimes(self):
    stock, ours = testing.contexts()
    safe = internals.create_worker_context()
    x = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    for context in (ours, safe):
      with testing.installed(stock):
        theirs = _normalized_gradient(x)
      with testing.installed(context):
        testing.assert_same(_normalized_gradient(x), theirs)
    with testing.installed(ours):
      kinds = testing.devices_of_operations(lambda: _normalized_gradient(x + 1))
    self.assertFalse([kind for kind in kinds if 'BatchNorm' in kind])

  def test_a_computation_without_batch_normalization_stays(self):
    computation = tff.tensorflow.computation(lambda x: x + 1, np.int32)
    block = computation.to_building_block()
    self.assertIs(batch_norm.replace_in(block), block)


if __name__ == '__main__':
  absltest.main()
