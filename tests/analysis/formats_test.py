"""Tests of numbers as text."""

import math

from absl.testing import absltest, parameterized

from tff_lg.analysis import formats


class FormatsTest(parameterized.TestCase):
  @parameterized.parameters((0.98765, '98.77'), (0, '0.00'), (1, '100.00'), (math.nan, '–'))
  def test_percent(self, share, text):
    self.assertEqual(formats.percent(share), text)

  @parameterized.parameters(
    (0.9877, 0.0035, '98.77 ± 0.35'), (0.5, math.nan, '50.00'), (math.nan, 0.1, '–')
  )
  def test_percent_with_std(self, mean, std, text):
    self.assertEqual(formats.percent_with_std(mean, std), text)

  @parameterized.parameters(
    ('local_test/accuracy', '98.77', '98.77 ± 1.00', '+98.77', ' %', 'points'),
    ('macro_f1', '98.77', '98.77 ± 1.00', '+98.77', ' %', 'points'),
    ('local_test/mae', '0.9877', '0.9877 ± 0.01', '+0.9877', '', 'decrease'),
    ('local_test/r2/pooled', '0.9877', '0.9877 ± 0.01', '+0.9877', '', 'increase'),
  )
  def test_values_of_metrics(self, metric, value, with_std, difference, unit, of_difference):
    self.assertEqual(formats.value(metric, 0.9877), value)
    self.assertEqual(formats.value_with_std(metric, 0.9877, 0.01), with_std)
    self.assertEqual(formats.difference(metric, 0.9877), difference)
    self.assertEqual(formats.unit(metric), unit)
    self.assertEqual(formats.difference_unit(metric), of_difference)

  def test_small_differences_of_metrics(self):
    self.assertEqual(formats.difference('mae', -1234.5678), '−1,235')
    self.assertEqual([formats.difference('mae', x) for x in (0.0, math.nan)], ['0', '–'])

  @parameterized.parameters(
    ('accuracy', 0.0123, '+1.23 points'),
    ('mae', 0.0123, 'a decrease of +0.0123'),
    ('mae', -0.5, 'a decrease of −0.5'),
    ('r2', 0.5, 'an increase of +0.5'),
  )
  def test_differences_in_sentences(self, metric, difference, text):
    self.assertEqual(formats.difference_with_unit(metric, difference), text)

  @parameterized.parameters(
    ('local_test/mae/mean_over_clients', 'local test MAE, mean over clients'),
    ('local_test/macro_f1', 'local test macro F1 (%)'),
    ('validation/r2', 'validation R²'),
  )
  def test_labels_of_metrics(self, metric, label):
    self.assertEqual(formats.metric_label(metric), label)

  @parameterized.parameters(
    (0.0123, '+1.23'), (-0.0123, '−1.23'), (0, '0.00'), (-0.00001, '0.00'), (math.nan, '–')
  )
  def test_points(self, difference, text):
    self.assertEqual(formats.points(difference), text)

  @parameterized.parameters(
    (0, '0'), (633226, '633,226'), (9_999_999, '9,999,999'), (2.86e10, '2.86e10'), (math.nan, '–')
  )
  def test_count(self, number, text):
    self.assertEqual(formats.count(number), text)

  @parameterized.parameters(
    (0, '0 B'), (999, '999 B'), (1000, '1.0 kB'), (1.144e11, '114.4 GB'), (2e15, '2,000.0 TB')
  )
  def test_num_bytes(self, number, text):
    self.assertEqual(formats.num_bytes(number), text)

  def test_byte_unit_of_nothing(self):
    self.assertEqual(formats.byte_unit(0), ('B', 1))

  @parameterized.parameters(
    (1.23456, '1.235'),
    (6.31e-5, '6.31e-05'),
    (5321.44, '5,321'),
    (math.inf, '∞'),
    (-math.inf, '−∞'),
    (math.nan, '–'),
  )
  def test_significant(self, number, text):
    self.assertEqual(formats.significant(number), text)

  def test_fixed(self):
    self.assertEqual(formats.fixed(1234.567, 1), '1,234.6')
    self.assertEqual(formats.fixed(math.nan, 1), '–')

  @parameterized.parameters((8.26, '8.3 s'), (245, '4 min 05 s'), (7620, '2 h 07 min'))
  def test_seconds(self, number, text):
    self.assertEqual(formats.seconds(number), text)

  @parameterized.parameters(
    ('local_test/accuracy/mean_over_clients', 'local test accuracy, mean over clients (%)'),
    ('pooled_test/auc', 'pooled test AUC'),
    (
      'rounds_to/0.97/local_test/accuracy/pooled',
      'rounds to 0.97 local test accuracy pooled',
    ),
    ('accuracy_of_nothing', 'accuracy of nothing'),
  )
  def test_metric_label(self, metric, text):
    self.assertEqual(formats.metric_label(metric), text)

  @parameterized.parameters(
    ('test/accuracy', 0.5, 0.01, '50.00 ± 1.00'),
    ('rounds_to/0.97/test/accuracy', 12.5, 0.25, '12.5 ± 0.2'),
    ('fedsgd/rounds_to/0.97/test/accuracy', math.nan, math.nan, '–'),
    ('auc', 0.99812, 0.0004, '0.9981 ± 0.0004'),
    ('auc', 0.99812, math.nan, '0.9981'),
    ('auc', math.nan, math.nan, '–'),
    ('distance', 1784.42, 3.21, '1784.4 ± 3.2'),
    ('bytes', 2.86e10, 1e8, '2.860e+10 ± 1.0e+08'),
  )
  def test_metric_with_std(self, metric, mean, std, text):
    self.assertEqual(formats.metric_with_std(metric, mean, std), text)


if __name__ == '__main__':
  absltest.main()
