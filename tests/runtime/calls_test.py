"""Tests of calls: accumulating in the graph is accumulating one by one."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg.compatibility import tff
from tff_lg.runtime import calls

_PAIR = tff.to_type((np.float32, np.int32))


def _call(log=None):
  """Calls (total, count), (value, ones) -> (2 * total + value, count + ones)."""

  def function(tensors):
    if log is not None:
      log.append(len(tensors))
    total, count, value, ones = tensors
    return [2 * total + value, count + ones]

  return calls.TensorFlowCall(function, _PAIR)


class TensorFlowCallTest(absltest.TestCase):
  def test_packs_by_type(self):
    total, count = _call()(((tf.constant(1.0), tf.constant(2)), (tf.constant(3.0), tf.constant(4))))
    self.assertEqual((float(total), int(count)), (5.0, 6))

  def test_no_parameter_and_empty_result(self):
    call = calls.TensorFlowCall(lambda tensors: list(tensors), tff.to_type(()))
    self.assertEqual(call(None), ())

  def test_accumulates_in_order_over_chunks(self):
    members = [(tf.constant(float(i)), tf.constant(1)) for i in range(23)]
    total, count = _call().accumulate((tf.constant(1.0), tf.constant(0)), members)
    expected = 1.0
    for i in range(23):
      expected = 2 * expected + i
    self.assertEqual((float(total), int(count)), (expected, 23))

  def test_traces_a_chunk_of_a_size_once(self):
    log = []
    call = _call(log)
    members = [(tf.constant(1.0), tf.constant(1))] * 23
    for _ in range(3):
      call.accumulate((tf.constant(0.0), tf.constant(0)), members)
    self.assertEqual(log, [4] * 13)  # once ten members, once the last three

  def test_no_members(self):
    start = (tf.constant(1.0), tf.constant(0))
    self.assertEqual(_call().accumulate(start, []), start)


if __name__ == '__main__':
  absltest.main()
