"""Tests of what comes of a program."""

import numpy as np
from absl.testing import absltest

from benchmarks.tff_programs import measure, program, runtimes
from tff_lg.compatibility import tff


def _program(build, expected=3):
  return program.Program('tff', 'name', build, expected, 0.0)


def _sum():
  computation = tff.federated_computation(
    tff.federated_sum, tff.FederatedType(np.int32, tff.CLIENTS)
  )
  return lambda: computation([1, 2])


class MeasureTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self._contexts = {'local': runtimes.RUNTIMES['local']()}

  def _run(self, each):
    return measure.run(each, self._contexts)['local']

  def test_passes_with_seconds_of_two_calls(self):
    measure.warm_up(self._contexts['local'])
    outcome = self._run(_program(_sum))
    self.assertEqual(outcome.reason, '')
    self.assertGreater(outcome.first, 0.0)

  def test_reason_of_a_wrong_value(self):
    outcome = self._run(_program(_sum, expected=4))
    # NumPy 2 prints the types of scalars.
    self.assertRegex(outcome.reason, r'^AssertionError: the result is .*3\)?, expected 4$')

  def test_reason_of_a_program_that_cannot_be_built(self):
    def build():
      raise ValueError('two\nlines ' + 'x' * 200)

    outcome = self._run(_program(build))
    self.assertEqual(outcome.reason, f'ValueError: two lines {"x" * 150}…')


if __name__ == '__main__':
  absltest.main()
