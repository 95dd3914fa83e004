"""Tests of what a program is compared with."""

import collections

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from benchmarks.tff_programs import program


def _check(found, expected):
  program.Program('tff', 'name', lambda: None, expected, 1e-5).check(found)


class ProgramTest(parameterized.TestCase):
  @parameterized.parameters(
    (1.0 + 1e-6, 1.0),
    (np.float32([1, 2]), [1.0, 2.0]),
    ([b'a', 'b'], ['a', 'b']),
    (collections.OrderedDict(b=(1, [2.0]), a='x'), {'b': (1, [2.0]), 'a': 'x'}),
    ([], []),
    (True, True),
  )
  def test_same(self, found, expected):
    _check(found, expected)

  def test_elements_of_a_data_set(self):
    _check(tf.data.Dataset.range(3), [0, 1, 2])

  @parameterized.parameters(
    (1.001, 1.0, 'the result is 1.001, expected 1.0'),
    (np.float32([1]), [1.0, 2.0], r'the result is array\(\[1.\].*expected \[1.0, 2.0\]'),
    ((1, 2), (1, 2, 3), 'the result has 2 parts, expected 3'),
    ({'a': (1, 'x')}, {'a': (1, 'y')}, r"the result\['a'\]\[1\] is 'x', expected 'y'"),
    ({'a': 1, 'b': 2}, {'b': 2, 'a': 1}, r"expected names \['b', 'a'\]"),
    (3, {'a': 3}, r"expected names \['a'\]"),
  )
  def test_different(self, found, expected, message):
    with self.assertRaisesRegex(AssertionError, message):
      _check(found, expected)

  def test_programs_keep_their_order(self):
    programs = program.Programs('tff.some')

    @programs.add(1)
    def first():
      return lambda: 1

    programs.add(2, atol=0.5, name='other')(first)
    found = [(each.module, each.name, each.build()(), each.atol) for each in programs]
    self.assertEqual(found, [('tff.some', 'first', 1, 1e-5), ('tff.some', 'other', 1, 0.5)])


if __name__ == '__main__':
  absltest.main()
