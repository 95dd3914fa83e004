"""Tests of outcomes: what is read from runs, and what agrees with a paper, by hand."""

import math
import types

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from tff_lg.published import outcome as outcomes
from tff_lg.published import read, table


def _run(accuracy, **baselines):
  """Makes a finished run, as far as tables read it."""
  summary = {'local_test/accuracy/mean_over_clients': accuracy, 'rounds_to': 8.0 * accuracy}
  metrics = pd.DataFrame(
    {
      'method': ['fedavg', 'fedavg', 'fedavg', 'lg_fedavg'],
      'validation/accuracy/mean_over_clients': [0.1, 0.6, math.nan, 0.9],
      'local_test/accuracy/mean_over_clients': [0.3, 0.2, 0.5, 0.7],
    }
  )
  return types.SimpleNamespace(
    metrics=metrics, baselines=baselines, value=lambda name: summary.get(name, math.nan)
  )


_ACCURACY = 'local_test/accuracy/mean_over_clients'
_RUNS = {'one': _run(0.5, local_only=_run(0.25)), 'two': _run(0.125)}


def _figure(**changes):
  of_run = read.from_summary('one', _ACCURACY)
  return table.Figure(**{'row': 'r', 'column': 'c', 'read': of_run, **changes})


class ReadTest(parameterized.TestCase):
  @parameterized.parameters(
    (read.from_summary('one', _ACCURACY), 50.0),
    (read.from_summary('one', _ACCURACY, baseline='local_only'), 25.0),
    (read.from_summary('two', 'rounds_to', 1), 1.0),
    # The best evaluated round of FedAvg on validation data is the second.
    (read.from_best_round('one', 'fedavg', _ACCURACY), 20.0),
    (
      read.quotient(read.from_summary('one', 'rounds_to'), read.from_summary('two', 'rounds_to')),
      4,
    ),
  )
  def test_number(self, reader, expected):
    self.assertAlmostEqual(reader(_RUNS), expected)

  def test_number_that_a_run_does_not_have(self):
    self.assertTrue(math.isnan(read.from_summary('one', 'no_such')(_RUNS)))


class OutcomeTest(parameterized.TestCase):
  def test_values_by_seed_and_back_from_json(self):
    entry = table.TableEntry(
      name='t',
      label='T',
      cpu_minutes=1,
      runs=(),
      figures=(_figure(), _figure(column='d', read=read.from_summary('two', _ACCURACY))),
    )
    found = outcomes.measure(entry, {3: _RUNS, 5: {'one': _run(0.25), 'two': _run(1.0)}})
    self.assertEqual(found.seeds, (3, 5))
    np.testing.assert_allclose(found.values, [[50, 25], [12.5, 100]])
    stored = found.to_json(entry)
    self.assertEqual(
      stored, {'table': 't', 'seeds': [3, 5], 'values': {'r': {'c': [50, 25], 'd': [12.5, 100]}}}
    )
    again = outcomes.Outcome.from_json(stored, entry)
    np.testing.assert_array_equal(again.values, found.values)
    del stored['values']['r']['d']
    with self.assertRaisesRegex(ValueError, "The outcome of t has no 'd': measure it again."):
      outcomes.Outcome.from_json(stored, entry)

  @parameterized.parameters(
    # One seed: the paper's spread alone.
    ((11.0,), 1.0, 1.0, True),
    ((11.5,), 1.0, 1.0, False),
    # Values 9 and 13: a standard error of 2, 12.71 of which make the 95 % interval.
    ((9.0, 13.0), 0.0, 12.706205 * 2, True),
    ((10.9, 11.1), 0.5, 0.5 + 12.706205 * 0.1, True),
  )
  def test_verdict(self, values, spread, allowed, agrees):
    found = outcomes.judge(_figure(published=10.0, spread=spread), values)
    self.assertAlmostEqual(found.difference, np.mean(values) - 10)
    self.assertAlmostEqual(found.allowed, allowed, places=4)
    self.assertEqual(found.agrees, agrees)

  def test_no_verdict_without_both_numbers(self):
    self.assertIsNone(outcomes.judge(_figure(), (1.0,)))
    self.assertIsNone(outcomes.judge(_figure(published=1.0), (math.nan,)))


if __name__ == '__main__':
  absltest.main()
