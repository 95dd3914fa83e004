"""Tests of the final metrics of a run of any pipeline."""

import math
import pathlib

from absl.testing import absltest

from tff_lg.analysis.final_metrics import FinalMetrics
from tff_lg.analysis.readers import RunFolderError


class FinalMetricsTest(absltest.TestCase):
  def test_numbers_of_a_summary_alone(self):
    folder = pathlib.Path(self.create_tempdir().full_path)
    (folder / 'summary.json').write_text('{"a/b": 0.5, "c": null, "d": "text"}')
    run = FinalMetrics.load(str(folder))
    self.assertEqual(run.value('a/b'), 0.5)
    for name in ('c', 'd', 'e'):
      self.assertTrue(math.isnan(run.value(name)), name)

  def test_refuses_a_folder_without_summary(self):
    with self.assertRaisesRegex(RunFolderError, 'summary.json'):
      FinalMetrics.load(self.create_tempdir().full_path)


if __name__ == '__main__':
  absltest.main()
