"""Tests of what accuracy against bytes shows."""

from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis import figures, style


class AccuracyAgainstBytesTest(absltest.TestCase):
  def test_curves(self):
    run = testing.make_run(baselines={'local_only': testing.make_local_only()})
    (axes,) = figures.accuracy_against_bytes(run).axes
    local_only, method = axes.get_lines()
    self.assertEqual(method.get_xydata().tolist(), [[20, 50], [30, 70]])
    self.assertEqual(method.get_label(), 'LG-FedAvg')
    # Final, chosen by validation: not the last of the curve, which is .7.
    self.assertEqual(local_only.get_ydata(), [75, 75])
    self.assertEqual(local_only.get_label(), 'Local only (sends nothing)')

  def test_unit(self):
    metrics = testing.make_run().metrics.assign(**{'communication/bytes_total': [1e6, 2e6, 3e6]})
    (axes,) = figures.accuracy_against_bytes(testing.make_run(metrics=metrics)).axes
    self.assertEqual(axes.get_xlabel(), 'communicated by all clients, up and down (MB)')
    self.assertEqual(axes.get_ylabel(), 'local test accuracy,\nmean over clients (%)')
    self.assertEqual(axes.get_lines()[0].get_xdata().tolist(), [2, 3])

  def test_nothing_recorded(self):
    run = testing.make_run(metrics=testing.make_run().metrics[['train/loss']])
    figure = figures.accuracy_against_bytes(run)
    self.assertEmpty(figure.axes[0].get_lines())
    style.png_bytes(figure)


if __name__ == '__main__':
  absltest.main()
