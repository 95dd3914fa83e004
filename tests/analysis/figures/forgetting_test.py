"""Tests of what the forgetting curves show."""

import pandas as pd
from absl.testing import absltest

from tff_lg.analysis import figures, style
from tff_lg.analysis.figures import forgetting


def _curves():
  normal, new = forgetting.columns()
  rows = [
    # Two runs of FedAvg in one line; LG-FedAvg on another partition.
    ('fedavg', 'iid', 0.0, 0, 0.875, 0.125),
    ('fedavg', 'iid', 0.0, 5, 0.25, 0.5),
    ('fedavg', 'iid', 0.0, 0, 0.625, 0.125),
    ('fedavg', 'iid', 0.0, 5, 0.75, 1.0),
    ('fedavg', 'iid', 0.1, 0, 0.5, 0.125),
    ('fedavg', 'iid', 0.1, 5, 0.5, 0.25),
    ('lg_fedavg', 'classes_per_client=2', 0.0, 0, 1.0, 0.0),
    ('lg_fedavg', 'classes_per_client=2', 0.0, 5, 0.75, 0.5),
  ]
  columns = ['method', 'partition', 'old_clients_share', 'round_num', normal, new]
  return pd.DataFrame(rows, columns=columns)


class ForgettingCurvesTest(absltest.TestCase):
  def test_a_column_a_partition(self):
    figure = figures.forgetting_curves(_curves(), 'rotate90')
    iid, two, iid_new, two_new = figure.axes
    self.assertEqual([a.get_title('left') for a in (iid, two)], ['IID', '2 classes per client'])
    lines = [
      {line.get_label(): line.get_xydata().tolist() for line in axes.get_lines()}
      for axes in (iid, iid_new, two, two_new)
    ]
    self.assertEqual(
      lines,
      [
        {'FedAvg, C = 0': [[0, 75], [5, 50]], 'FedAvg, C = 0.1': [[0, 50], [5, 50]]},
        {'FedAvg, C = 0': [[0, 12.5], [5, 75]], 'FedAvg, C = 0.1': [[0, 12.5], [5, 25]]},
        {'LG-FedAvg, C = 0': [[0, 100], [5, 75]]},
        {'LG-FedAvg, C = 0': [[0, 0], [5, 50]]},
      ],
    )
    self.assertEqual(iid.get_ylabel(), 'accuracy, old devices, normal (%)')
    self.assertEqual(iid_new.get_ylabel(), 'accuracy, new device, rotate90 (%)')
    self.assertEqual(iid_new.get_xlabel(), 'round with the new device')
    (legend,) = figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    self.assertEqual(labels, ['FedAvg, C = 0', 'FedAvg, C = 0.1', 'LG-FedAvg, C = 0'])
    style.png_bytes(figure)

  def test_lines_differ_by_method_and_share(self):
    figure = figures.forgetting_curves(_curves(), 'rotate90')
    some, more = figure.axes[0].get_lines()
    (other,) = figure.axes[1].get_lines()
    self.assertEqual(some.get_color(), more.get_color())
    self.assertNotEqual(some.get_linestyle(), more.get_linestyle())
    self.assertNotEqual(some.get_color(), other.get_color())
    self.assertEqual(some.get_linestyle(), other.get_linestyle())

  def test_band_only_where_there_are_several_runs(self):
    figure = figures.forgetting_curves(_curves(), 'rotate90')
    self.assertEqual([len(axes.collections) for axes in figure.axes], [1, 0, 1, 0])
    band = figure.axes[0].collections[0].get_datalim(figure.axes[0].transData)
    # Standard deviations of 87.5 and 62.5, and of 25 and 75: half the distance times root two.
    self.assertAlmostEqual(band.y1, 75 + 12.5 * 2**0.5)
    self.assertAlmostEqual(band.y0, 50 - 25 * 2**0.5)


if __name__ == '__main__':
  absltest.main()
