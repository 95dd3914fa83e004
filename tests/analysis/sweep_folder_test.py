"""Tests of what is read from a sweep folder."""

import json
import math
import os

from absl.testing import absltest

from tests.analysis import sweep_testing
from tff_lg import files
from tff_lg.analysis import RunFolderError, SweepResults, sweep_folder


class SweepResultsTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    sweep_testing.write_sweep(self.folder)

  def test_trials(self):
    results = SweepResults.load(self.folder)
    self.assertEqual(
      dict(results.axes), {'shuffled_share': ('0', '0.5'), 'model': ('dense', 'cgau')}
    )
    self.assertEqual(results.num_missing, 12 - 7)
    self.assertLen(results.trials, 7)
    # No text but the axes; an axis keeps its value although a number is called as it.
    self.assertEqual(
      list(results.trials), ['shuffled_share', 'model', 'seed', sweep_testing.METRIC, 'loss']
    )
    row = results.trials.loc['shuffled_share=0__model=dense__seed=1']
    self.assertEqual(list(row[:4]), ['0', 'dense', 1, 0.9])
    self.assertTrue(math.isnan(row['loss']))

  def test_points(self):
    points = SweepResults.load(self.folder).points(sweep_testing.METRIC)
    self.assertEqual(list(points), ['shuffled_share', 'model', 'mean', 'std', 'n'])
    self.assertEqual(
      points[['shuffled_share', 'model', 'n']].to_numpy().tolist(),
      [['0', 'dense', 3], ['0', 'cgau', 1], ['0.5', 'dense', 3]],
    )
    for mean, expected in zip(points['mean'], (0.9, 0.7, 0.8), strict=True):
      self.assertAlmostEqual(mean, expected)
    self.assertAlmostEqual(points['std'][0], 0.1)
    self.assertTrue(math.isnan(points['std'][1]))
    self.assertAlmostEqual(points['std'][2], 0.0)

  def _finish(self, model, numbers):
    summary = f'trials/shuffled_share=0.5__model={model}__seed=0/summary.json'
    files.write_atomically(os.path.join(self.folder, summary), json.dumps(numbers))

  def test_the_main_metric_on_local_test_data(self):
    name = 'local_test/{}/mean_over_clients'
    self.assertEqual(SweepResults.load(self.folder).local_test_mean, name.format('accuracy'))
    self._finish('cgau', {name.format(metric): 1.0 for metric in ('loss', 'auc', 'mae', 'rmse')})
    self.assertEqual(SweepResults.load(self.folder).local_test_mean, name.format('mae'))

  def test_a_metric_that_no_trial_of_a_point_has(self):
    self._finish('cgau', {'loss': 1.0})
    points = SweepResults.load(self.folder).points(sweep_testing.METRIC)
    self.assertEqual(
      points[['shuffled_share', 'model', 'n']].to_numpy().tolist(),
      [['0', 'dense', 3], ['0', 'cgau', 1], ['0.5', 'dense', 3], ['0.5', 'cgau', 0]],
    )
    self.assertTrue(math.isnan(points['mean'][3]))

  def test_a_goal_that_a_trial_reached(self):
    metric = 'rounds_to/0.97/local_test/accuracy/pooled'
    self._finish('cgau', {metric: 12.5})
    points = SweepResults.load(self.folder).points(metric)
    self.assertEqual(list(points['n']), [0, 0, 0, 1])
    self.assertEqual(points['mean'][3], 12.5)

  def test_a_goal_that_no_trial_reached(self):
    sweep_testing.write_sweep(self.folder, {'goal_accuracy': [0.97]})
    results = SweepResults.load(self.folder)
    points = results.points('rounds_to/0.97/local_test/accuracy/pooled')
    self.assertEqual(list(points['n']), [0, 0, 0])
    self.assertTrue(points['mean'].isna().all())
    with self.assertRaisesRegex(RunFolderError, r'rounds_to/0\.98.* no trial .* rounds_to/0\.97'):
      results.points('rounds_to/0.98/local_test/accuracy/pooled')

  def test_unknown_metric(self):
    with self.assertRaisesRegex(RunFolderError, '--metric is pooled_test/acu.*pooled_test/auc'):
      SweepResults.load(self.folder).points('pooled_test/acu')

  def test_an_axis_is_not_a_metric(self):
    with self.assertRaisesRegex(RunFolderError, 'no trial in .* has it'):
      SweepResults.load(self.folder).points('seed')

  def test_no_trial(self):
    definition = {
      'axes': {'p': ['0']},
      'trials': {'p=0__seed=0': {'values': {'p': '0'}, 'seed': 0}},
    }
    files.write_atomically(os.path.join(self.folder, 'sweep.json'), json.dumps(definition))
    results = SweepResults.load(self.folder)
    self.assertEqual((len(results.trials), results.num_missing), (0, 1))
    with self.assertRaisesRegex(RunFolderError, 'no trial is complete'):
      results.points('loss')

  def test_damaged_files_are_named(self):
    summary = 'trials/shuffled_share=0__model=dense__seed=0/summary.json'
    for name, content in ((summary, '{'), ('sweep.json', '{}'), ('sweep.json', '[]')):
      files.write_atomically(os.path.join(self.folder, name), content)
      with self.assertRaisesRegex(RunFolderError, name):
        SweepResults.load(self.folder)

  def test_missing_folder(self):
    with self.assertRaisesRegex(RunFolderError, 'sweep.json: the file is missing'):
      SweepResults.load(self.folder + '/nowhere')


class AsNumbersTest(absltest.TestCase):
  def test_numbers(self):
    self.assertEqual(sweep_folder.as_numbers(('0', '1e-3')), (0.0, 0.001))
    for values in (('0', 'a'), ('nan', '1'), ('inf',)):
      self.assertIsNone(sweep_folder.as_numbers(values))


if __name__ == '__main__':
  absltest.main()
