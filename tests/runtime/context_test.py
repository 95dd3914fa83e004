"""The contexts: numbers of clients, computations as arguments, programs that await."""

import asyncio

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.runtime import testing
from tff_lg import runtime
from tff_lg.compatibility import tff

_INTS = tff.FederatedType(np.int32, tff.CLIENTS)


def setUpModule():
  global _STOCK, _OURS
  _STOCK, _OURS = testing.contexts(default_num_clients=3)


@tff.tensorflow.computation(np.int32)
def _double(x):
  return 2 * x


@tff.federated_computation(_INTS)
def _double_all(values):
  return tff.federated_map(_double, values)


@tff.federated_computation(_INTS, _INTS)
def _sums(first, second):
  return tff.federated_sum(first), tff.federated_sum(second)


@tff.federated_computation
def _count_clients():
  return tff.federated_sum(tff.federated_value(1, tff.CLIENTS))


class CardinalityTest(parameterized.TestCase):
  def test_default_number_of_clients(self):
    testing.assert_same_on_both(_STOCK, _OURS, _count_clients)
    with testing.installed(_OURS):
      self.assertEqual(_count_clients(), 3)

  def test_argument_decides(self):
    for count in (0, 1, 5):
      testing.assert_same_on_both(_STOCK, _OURS, _sums, [1] * count, [2] * count)

  def test_no_client(self):
    with testing.installed(_OURS):
      self.assertEqual(_double_all([]), [])

  def test_different_numbers_of_clients(self):
    for context in (_STOCK, _OURS):
      with testing.installed(context), self.assertRaisesRegex(ValueError, 'Conflicting'):
        _sums([1, 2], [1])

  @parameterized.parameters({'default_num_clients': -1}, {'clients_per_device': 0})
  def test_numbers_out_of_range(self, **options):
    (name,) = options
    with self.assertRaisesRegex(ValueError, f'{name} is .*, expected'):
      runtime.create_local_execution_context(**options)


class FunctionalArgumentsTest(absltest.TestCase):
  def test_computation_as_argument(self):
    @tff.federated_computation(tff.FunctionType(np.int32, np.int32), _INTS)
    def apply(function, values):
      return tff.federated_map(function, values)

    negate = tff.tensorflow.computation(lambda x: -x, np.int32)
    composed = tff.federated_computation(lambda x: negate(_double(x)), np.int32)
    for function in (_double, negate, composed):
      testing.assert_same_on_both(_STOCK, _OURS, apply, function, [1, 2])
    with testing.installed(_OURS), self.assertRaises(TypeError):
      apply(tff.tensorflow.computation(lambda x: x, np.float32), [1])


class SetContextTest(absltest.TestCase):
  def test_becomes_the_default(self):
    self.addCleanup(tff.test.set_no_default_context)
    runtime.set_local_execution_context(default_num_clients=2)
    self.assertEqual((_count_clients(), _double(3)), (2, 6))


class AsyncTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self._context = runtime.AsyncLocalExecutionContext(_OURS)

  def test_several_at_a_time(self):
    async def run():
      with testing.installed(self._context):
        return await asyncio.gather(*(_double_all([n, n + 1]) for n in range(8)))

    self.assertEqual(asyncio.run(run()), [[2 * n, 2 * n + 2] for n in range(8)])

  def test_of_a_program(self):
    context = tff.program.NativeFederatedContext(self._context)

    async def run():
      total, _ = _sums([1, 5], [1, 1])
      return await tff.program.materialize_value((total, _double(4)))

    async def run_in_context():
      with testing.installed(context):
        return await run()

    self.assertEqual(asyncio.run(run_in_context()), (6, 8))

  def test_cancelled(self):
    @tff.tensorflow.computation(np.int64)
    def forever(n):
      return tf.while_loop(lambda i: i < n, lambda i: i + 1, [np.int64(0)])[0]

    computation = tff.federated_computation(
      lambda counts: tff.federated_map(forever, counts), tff.FederatedType(np.int64, tff.CLIENTS)
    )

    async def run():
      with testing.installed(self._context):
        await computation([1, 1])
        await asyncio.wait_for(computation([2**62, 2**62]), 0.1)

    # Were it not ended, the event loop would wait for its thread.
    with self.assertRaises(asyncio.TimeoutError):
      asyncio.run(run())
    with testing.installed(_OURS):
      self.assertEqual(computation([1, 2]), [1, 2])


if __name__ == '__main__':
  absltest.main()
