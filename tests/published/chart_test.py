"""Tests of the entries of charts."""

from absl.testing import absltest, parameterized

from tff_lg import published


def _chart(*points):
  return published.ChartEntry(name='c', label='C', x='x', y='y', lines={'one': points})


class ChartTest(parameterized.TestCase):
  @parameterized.parameters(*published.CHARTS)
  def test_points_are_numbers_of_tables(self, name):
    chart = published.CHARTS[name]
    lengths = {len(line) for line in chart.lines.values()}
    self.assertLen(lengths, 1)
    self.assertIn(len(chart.methods), (0, len(chart.lines)))
    for line in chart.lines.values():
      for point in line:
        self.assertEqual(point.figure().row, point.row)

  def test_tables_are_named_once(self):
    tables = published.CHARTS['mnist_by_classes'].tables
    self.assertEqual([table.name for table in tables], ['mnist_lg', 'mnist_classes'])

  def test_paper_is_known_or_not(self):
    lg = published.Point('2', 'mnist_lg', 'LG-FedAvg, 400 + 100 rounds', 'local test')
    not_known = published.Point('3', 'mnist_classes', '3 classes, FedAvg', 'local test')
    without = published.Point('0', 'mood', 'alpha = 0', 'accuracy')
    self.assertFalse(_chart(not_known, without).has_paper)
    self.assertTrue(_chart(not_known, lg).has_paper)


if __name__ == '__main__':
  absltest.main()
