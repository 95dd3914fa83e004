"""Tests of the entries of published tables."""

import subprocess
import sys

from absl.testing import absltest, parameterized

from pipelines import config_flags
from tff_lg import published


class TableTest(parameterized.TestCase):
  @parameterized.parameters(*published.TABLES)
  def test_runs_have_flags_that_can_be(self, name):
    table = published.TABLES[name]
    data = ['--data_dir=folder'] if table.data else []
    names = [run.name for run in table.runs]
    self.assertLen(set(names), len(names))
    for run in table.runs:
      flags = [flag.replace('{configs}', 'pipelines/configs') for flag in run.flags]
      config = config_flags.parse([*flags, *data, '--seed=1'])
      self.assertEqual(config.seed, 1)

  @parameterized.parameters(*published.TABLES)
  def test_each_figure_has_a_place_of_its_own(self, name):
    places = [(figure.row, figure.column) for figure in published.TABLES[name].figures]
    self.assertLen(set(places), len(places))

  def test_list_has_time_and_data(self):
    text = published.describe_tables()
    self.assertIn('digits_lg: LG-FedAvg on digits, two classes per device (1 CPU minutes p', text)
    self.assertIn('--data is the folder with the four idx files', text)

  def test_entries_are_light(self):
    code = 'import sys, tff_lg.published; sys.exit("pandas" in sys.modules)'
    self.assertEqual(subprocess.run([sys.executable, '-c', code], check=False).returncode, 0)


if __name__ == '__main__':
  absltest.main()
