"""Building blocks evaluate as their semantics say."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg.compatibility import tff
from tff_lg.runtime import interpreter, workers

_INT = tff.TensorType(np.int32)


def setUpModule():
  global _RUN
  _RUN = interpreter.Run(2, workers.WorkerPool(('cpu:0',), 1))


def _evaluate(block, frame=None):
  return interpreter.build(block)(frame or {}, _RUN)


def _number(value):
  return tff.framework.Literal(np.int32(value), _INT)


class InterpreterTest(absltest.TestCase):
  def test_literal(self):
    self.assertEqual(_evaluate(_number(3)).numpy(), 3)

  def test_reference_takes_from_the_frame(self):
    self.assertEqual(_evaluate(tff.framework.Reference('x', _INT), {'x': 5}), 5)

  def test_struct_and_selections(self):
    struct = tff.framework.Struct([('b', _number(1)), ('a', _number(2))])
    self.assertEqual(tuple(tensor.numpy() for tensor in _evaluate(struct)), (1, 2))
    for selection, expected in (({'name': 'a'}, 2), ({'index': 0}, 1)):
      block = tff.framework.Selection(struct, **selection)
      self.assertEqual(_evaluate(block).numpy(), expected)

  def test_call_of_a_lambda(self):
    first = tff.framework.Lambda('x', _INT, tff.framework.Reference('x', _INT))
    self.assertEqual(_evaluate(tff.framework.Call(first, _number(4))).numpy(), 4)

  def test_lambda_without_parameter(self):
    self.assertEqual(_evaluate(tff.framework.Lambda(None, None, _number(4)))(None).numpy(), 4)

  def test_lambda_keeps_the_names_that_it_sees(self):
    block = tff.framework.Lambda('x', _INT, tff.framework.Reference('y', _INT))
    self.assertEqual(_evaluate(block, {'x': 1, 'y': 2})(3), 2)

  def test_block_binds_in_order_and_hides_outer_names(self):
    block = tff.framework.Block(
      [('x', _number(1)), ('y', tff.framework.Reference('x', _INT)), ('x', _number(2))],
      tff.framework.Struct(
        [tff.framework.Reference('x', _INT), tff.framework.Reference('y', _INT)]
      ),
    )
    frame = {'x': 7}
    self.assertEqual(tuple(tensor.numpy() for tensor in _evaluate(block, frame)), (2, 1))
    self.assertEqual(frame, {'x': 7})

  def test_compiled_computation_takes_and_gives_nested_structures(self):
    computation = tff.tensorflow.computation(
      lambda x, y: ((y, x[0]), [x[1]]), [(np.int32, np.int32), np.int32]
    ).to_building_block()
    (first, second), (third,) = _evaluate(computation)(
      ((tf.constant(1), tf.constant(2)), tf.constant(3))
    )
    self.assertEqual((first.numpy(), second.numpy(), third.numpy()), (3, 1, 2))

  def test_unknown_intrinsic(self):
    block = tff.framework.Intrinsic('no_such_thing', tff.FunctionType(_INT, _INT))
    with self.assertRaisesRegex(NotImplementedError, 'no intrinsic no_such_thing'):
      interpreter.build(block)

  def test_unknown_block(self):
    block = tff.framework.Placement(tff.CLIENTS)
    with self.assertRaisesRegex(NotImplementedError, 'has no Placement'):
      interpreter.build(block)


if __name__ == '__main__':
  absltest.main()
