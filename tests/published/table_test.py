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
    names = [run.name for run in table.runs]
    self.assertLen(set(names), len(names))
    for run in table.runs:
      data = 'folder' if table.data else None
      flags = published.arguments_of(run, 'pipelines/configs', data, 1)
      config = config_flags.parse(flags)
      self.assertEqual(config.seed, 1 + run.seed_offset)
      self.assertGreaterEqual(config.rounds, 10)  # Of which --quick runs a tenth.

  @parameterized.parameters(*published.TABLES)
  def test_figures_read_runs_of_the_table(self, name):
    table = published.TABLES[name]
    asked = set()

    class Runs(dict):
      def __missing__(self, run):
        asked.add(run)
        raise LookupError(run)

    for figure in table.figures:
      with self.assertRaises(LookupError):
        figure.read(Runs())
    self.assertContainsSubset(asked, {run.name for run in table.runs})

  def test_arguments_have_places(self):
    run = published.Run(name='a', flags=('--a={data}', '--b={seed}'), seed_offset=100)
    found = published.arguments_of(run, 'configs', 'x.npz', 2)
    self.assertEqual(found, ['--a=x.npz', '--b=2', '--seed=102'])

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
