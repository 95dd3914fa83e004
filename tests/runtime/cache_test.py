"""Tests of the cache of traced computations, which has a bound."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg import runtime
from tff_lg.compatibility import tff
from tff_lg.runtime import cache


def _adder(number):
  return tff.tensorflow.computation(lambda x: x + number, np.int32)


class ComputationCacheTest(absltest.TestCase):
  def test_made_once_by_content(self):
    made = []
    finished = []
    kept = cache.ComputationCache(
      lambda computation: made.append(computation) or len(made),
      lambda computation, number: finished.append(computation) or number,
    )
    first, same, other = _adder(1), _adder(1), _adder(2)
    self.assertEqual([kept(first), kept(first), kept(same), kept(other)], [1, 1, 1, 2])
    self.assertEqual(made, [first, other])
    self.assertLen(finished, 3)

  def test_least_recently_used_is_dropped(self):
    made = []
    kept = cache.ComputationCache(
      lambda computation: made.append(computation), lambda _, result: result, capacity=2
    )
    computations = [_adder(number) for number in range(3)]
    for index in (0, 1, 0, 2, 2, 1, 0):
      kept(computations[index])
      self.assertLessEqual(len(kept), 2)
    self.assertEqual(made, [computations[index] for index in (0, 1, 2, 0)])


class ContextTest(absltest.TestCase):
  def test_invocations_do_not_grow_the_caches(self):
    context = runtime.create_local_execution_context()
    add_one = _adder(1)
    context.invoke(add_one, 0)
    size, imported = len(context._compile), cache._import.cache_info().currsize
    for number in range(1000):
      self.assertEqual(context.invoke(add_one, number), number + 1)
    self.assertEqual(len(context._compile), size)
    self.assertEqual(cache._import.cache_info().currsize, imported)

  def test_many_computations_stay_within_the_capacity(self):
    context = runtime.create_local_execution_context()
    context._compile = cache.ComputationCache(context._compile, lambda _, result: result, 10)
    for number in range(50):
      self.assertEqual(context.invoke(_adder(number), 1), number + 1)
    self.assertLen(context._compile, 10)
    info = cache._import.cache_info()
    self.assertLessEqual(info.currsize, info.maxsize)

  def test_imported_parts_are_shared_by_computations(self):
    context = runtime.create_local_execution_context()
    before = cache._import.cache_info().currsize
    part = tff.tensorflow.computation(lambda x: tf.math.floormod(x, 12345), np.int32)
    for placement in (tff.CLIENTS, tff.SERVER):
      whole = tff.federated_computation(
        lambda x: tff.federated_map(part, x), tff.FederatedType(np.int32, placement)
      )
      context.invoke(whole, [1] if placement is tff.CLIENTS else 1)
    self.assertEqual(cache._import.cache_info().currsize, before + 1)


if __name__ == '__main__':
  absltest.main()
