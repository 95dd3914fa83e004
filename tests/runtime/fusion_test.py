"""Local processing between communications becomes one TensorFlow function a placement."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.runtime import two_stages
from tff_lg import runtime
from tff_lg.compatibility import tff
from tff_lg.runtime import calls, fusion, groups, interpreter
from tff_lg.runtime import tff_internals as internals


class FusedFunctionTest(absltest.TestCase):
  def _fused(self, computation):
    plan = groups.plan(internals.compile_computation(computation).result)
    group = next(part for part in plan if isinstance(part, groups.Group))
    return fusion.FusedFunction(
      fusion.Program(group, lambda block: interpreter.build(block)({}, None))
    )

  def test_values_worked_out_by_hand(self):
    # 2: more = 3, sum 5, product 6.
    fused = self._fused(two_stages.in_two_stages)
    tensors = [tf.constant(2.0)] * len(fused.program.arguments)
    self.assertTrue(fused.calls_tensorflow(tensors))
    flat = [float(x) for x in calls.flat(fused(tensors))]
    self.assertLen(flat, 2)
    self.assertCountEqual(flat, [5.0, 6.0])

  def test_what_only_passes_through_is_the_same_tensor(self):
    @tff.federated_computation(two_stages.FLOATS, two_stages.FLOATS)
    def swap(first, second):
      both = tff.federated_zip((second, first))
      return tff.federated_map(tff.federated_computation(lambda x: x[0]), both)

    fused = self._fused(swap)
    values = [tf.constant(float(index)) for index, _ in enumerate(fused.program.arguments)]
    self.assertFalse(fused.calls_tensorflow(values))
    [result] = fused(values)
    self.assertIn(id(result), [id(value) for value in values])

  def test_sequences_and_strings(self):
    count = tff.tensorflow.computation(
      lambda data, word: (data.reduce(np.int64(0), lambda n, _: n + 1), word + '!'),
      (tff.SequenceType(np.float32), np.str_),
    )
    double = tff.tensorflow.computation(lambda x, word: (2 * x, word), (np.int64, np.str_))

    @tff.federated_computation(
      tff.FederatedType(tff.SequenceType(np.float32), tff.CLIENTS),
      tff.FederatedType(np.str_, tff.CLIENTS),
    )
    def compute(data, words):
      return tff.federated_map(double, tff.federated_map(count, (data, words)))

    context = runtime.create_local_execution_context()
    data = [tf.data.Dataset.range(n).map(lambda x: tf.cast(x, tf.float32)) for n in (3, 0)]
    self.assertEqual(context.invoke(compute, (data, ['a', 'b'])), [(6, b'a!'), (0, b'b!')])


class InvokeTest(absltest.TestCase):
  def test_two_clients(self):
    # Clients 1, 2: sums 3, 5; products 2, 6; total 8; above 9; shared 10; then 2+10+1, 6+10+1.
    context = runtime.create_local_execution_context()
    at_clients, values, above = context.invoke(two_stages.in_two_stages, [1.0, 2.0])
    self.assertEqual(at_clients, [13.0, 17.0])
    self.assertEqual(values, [1.0, 2.0])
    self.assertEqual(above, 9.0)

  def test_no_clients(self):
    context = runtime.create_local_execution_context()
    at_clients, values, above = context.invoke(two_stages.in_two_stages, [])
    self.assertEqual((at_clients, values, above), ([], [], 1.0))

  def test_a_failing_step_names_its_client(self):
    @tff.tensorflow.computation(np.float32)
    def check(x):
      with tf.control_dependencies([tf.debugging.assert_less(x, 2.5, message='too large')]):
        return tf.identity(x)

    @tff.federated_computation(two_stages.FLOATS)
    def compute(values):
      return tff.federated_map(two_stages.add_one, tff.federated_map(check, values))

    with self.assertRaisesRegex(
      runtime.ClientComputationError, r'federated_map failed at client 2: .*too large'
    ):
      runtime.create_local_execution_context().invoke(compute, [1.0, 2.0, 3.0])


if __name__ == '__main__':
  absltest.main()
