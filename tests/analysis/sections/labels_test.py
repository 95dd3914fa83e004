"""Tests of the section on the clients' data."""

import pandas as pd
from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis.sections import labels


class LabelsTest(absltest.TestCase):
  def test_one_figure(self):
    counts = pd.DataFrame([[1, 2]], index=['a'], columns=['0', '1'])
    section = labels.build_labels(testing.make_run(label_counts=counts))
    self.assertEqual([figure.name for figure in section.illustrations], ['label_counts'])

  def test_not_recorded(self):
    self.assertIsNone(labels.build_labels(testing.make_run()))
    self.assertIsNone(labels.build_labels(testing.make_run(label_counts=pd.DataFrame())))


if __name__ == '__main__':
  absltest.main()
