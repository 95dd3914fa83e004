"""Tests of when a run first reached an accuracy, by hand."""

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.run_folder import goals

_ACCURACY = 'local_test/accuracy/pooled'


class FirstReachedTest(parameterized.TestCase):
  @parameterized.parameters(
    # Half way and a tenth of the way between two evaluated rounds.
    ((0.2, 0.4, 0.8), 0.6, 25.0),
    ((0.2, 0.4, 0.8), 0.44, 21.0),
    # On an evaluated round; the first of equals.
    ((0.2, 0.4, 0.8), 0.4, 20.0),
    ((0.4, 0.4, 0.8), 0.4, 10.0),
    ((0.2, 0.8, 0.8), 0.8, 20.0),
    # A fall does not count: the best so far is .4, .4, .8.
    ((0.4, 0.2, 0.8), 0.6, 25.0),
    ((0.2, 0.8, 0.1), 0.5, 15.0),
    # Reached before the first evaluation: nothing to interpolate from.
    ((0.2, 0.4, 0.8), 0.1, 10.0),
    ((0.2, 0.4, 0.8), 0.81, None),
  )
  def test_rounds(self, accuracies, goal, expected):
    reached = goals.first_reached(np.array(accuracies), goal, np.array([10, 20, 30]))
    if expected is None:
      self.assertIsNone(reached)
    else:
      self.assertAlmostEqual(reached, expected)

  def test_only_one_evaluation(self):
    self.assertEqual(goals.first_reached(np.array([0.5]), 0.5, np.array([7])), 7)
    self.assertIsNone(goals.first_reached(np.array([0.5]), 0.6, np.array([7])))


class SummarizeGoalsTest(absltest.TestCase):
  def _summarize(self, text, *wanted, metric='accuracy'):
    folder = self.create_tempdir()
    folder.create_file('metrics.csv', text)
    return goals.summarize_goals(folder.full_path, wanted, metric)

  def test_an_error_reaches_a_goal_from_above(self):
    name = 'local_test/mae/pooled'
    columns = 'round_num,communication/parameters_total,communication/bytes_total'
    text = f'{columns},{name}\n1,1,4,0.9\n2,2,8,0.5\n'
    found = self._summarize(text, 0.7, 0.1, metric='mae')
    self.assertAlmostEqual(found.pop(f'rounds_to/0.7/{name}'), 1.5)
    self.assertCountEqual(found, [f'parameters_to/0.7/{name}', f'bytes_to/0.7/{name}'])

  def test_rounds_without_evaluation_are_passed_over(self):
    summary = self._summarize(
      f'round_num,method,communication/parameters_total,communication/bytes_total,{_ACCURACY}\n'
      '1,fedavg,10,40,\n'
      '2,fedavg,20,80,0.5\n'
      '3,lg_fedavg,21,84,\n'
      '4,lg_fedavg,22,88,0.9\n',
      0.8,
      0.95,
    )
    self.assertEqual(
      {name: round(count, 9) for name, count in summary.items()},
      {
        f'rounds_to/0.8/{_ACCURACY}': 3.5,
        f'parameters_to/0.8/{_ACCURACY}': 21.5,
        f'bytes_to/0.8/{_ACCURACY}': 86.0,
      },
    )

  def test_no_goal_or_no_test_data(self):
    self.assertEqual(self._summarize(f'round_num,{_ACCURACY}\n1,0.5\n'), {})
    self.assertEqual(self._summarize('round_num,train/loss\n1,0.5\n', 0.5), {})


if __name__ == '__main__':
  absltest.main()
