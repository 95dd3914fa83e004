"""Tests of what comes of a program."""

import os

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
  def _run(self, each):
    [outcome] = measure.run([each], runtimes.RUNTIMES['local'])
    return outcome

  def test_passes_with_seconds_of_two_calls(self):
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

  def _run_apart(self, run, num_programs):
    self.enter_context(absltest.mock.patch.object(measure, 'run', run))
    return measure.run_apart([_program(_sum)] * num_programs, runtimes.RUNTIMES['local'])

  def test_process_of_its_own(self):
    first, second = self._run_apart(lambda *_: [os.getpid()] * 2, 2)
    self.assertEqual(first, second)
    self.assertNotEqual(first, os.getpid())

  def test_crash_is_the_outcome_of_all_that_are_left(self):
    def run(*_):
      yield 'passed'
      os._exit(3)

    crashed = measure.Outcome('the process ended with exit code 3')
    self.assertEqual(self._run_apart(run, 3), ['passed', crashed, crashed])


if __name__ == '__main__':
  absltest.main()
