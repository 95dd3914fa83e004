"""Tests of the entries of published tables."""

import subprocess
import sys

from absl.testing import absltest, parameterized

from pipelines import table_runs
from tff_lg import published


def _run(name, *flags, **changes):
  return published.Run(name=name, flags=flags, **changes)


class TableTest(parameterized.TestCase):
  @parameterized.parameters(*published.TABLES)
  def test_runs_have_flags_that_can_be(self, name):
    table = published.TABLES[name]
    names = [run.name for run in table.runs]
    self.assertLen(set(names), len(names))
    folders = {name: f'runs/{name}' for name in names}
    for run in table.runs:
      data = 'folder' if table.data else None
      flags = published.arguments_of(run, 'pipelines/configs', data, 1, folders)
      config = table_runs.PIPELINES[run.pipeline].config_from_arguments(flags)
      self.assertEqual(config.seed, 1 + run.seed_offset)
      # Of which --quick runs a tenth; a single round stays one.
      length = getattr(config, 'rounds', None) or config.epochs
      self.assertTrue(length == 1 or length >= 10, length)

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

  def test_figure_of_a_row_and_column(self):
    table = published.TABLES['cifar10_lg']
    self.assertEqual(table.figure('MTL', 'local test').published, 89.68)
    with self.assertRaisesRegex(ValueError, "cifar10_lg has no 'new' of 'MTL', expected one"):
      table.figure('MTL', 'new')

  def test_arguments_have_places(self):
    run = published.Run(name='a', flags=('--a={data}', '--b={seed}'), seed_offset=100)
    found = published.arguments_of(run, 'configs', 'x.npz', 2)
    self.assertEqual(found, ['--a=x.npz', '--b=2', '--seed=102'])

  def test_run_that_starts_from_others_has_their_folders_and_data(self):
    run = _run('c', '--from={run:a},{run:b}', '--own={run:a}')
    self.assertEqual(run.sources, ('a', 'b'))
    found = published.arguments_of(run, 'configs', 'mnist', 3, {'a': 'x/a', 'b': 'x/b'})
    self.assertEqual(found, ['--from=x/a,x/b', '--own=x/a', '--seed=3'])

  def test_steps(self):
    runs = (
      _run('a'),
      _run('b'),
      _run('of_a', '--from_run={run:a}', pipeline='new_device'),
      _run('adapted', '--from_run={run:b}', pipeline='adapt'),
      _run('again', '--from_run={run:b}', '--local_only_from={run:adapted}', pipeline='adapt'),
    )
    names = [[run.name for run in step] for step in published.steps(runs)]
    self.assertEqual(names, [['a', 'b'], ['adapted'], ['of_a'], ['again']])

  @parameterized.parameters('a', 'later', 'no_such')
  def test_a_run_starts_from_one_before_it(self, name):
    runs = (_run('a', f'--from_run={{run:{name}}}'), _run('later'))
    with self.assertRaisesRegex(ValueError, f'a starts from {name}, expected a run listed before'):
      published.steps(runs)

  @parameterized.parameters(*published.TABLES)
  def test_each_figure_has_a_place_of_its_own(self, name):
    places = [(figure.row, figure.column) for figure in published.TABLES[name].figures]
    self.assertLen(set(places), len(places))

  def test_order_is_by_paper_and_then_by_time(self):
    by_paper = published.by_paper()
    self.assertEqual(list(by_paper), sorted(by_paper))
    self.assertEqual(by_paper[''][0].name, 'digits_mixing')
    for authors, tables in by_paper.items():
      self.assertRegex(authors, r'^$| \d{4}$')
      minutes = [table.total_minutes for table in tables]
      self.assertEqual(minutes, sorted(minutes))
    self.assertLen([each for tables in by_paper.values() for each in tables], len(published.TABLES))

  def test_list_has_time_and_data(self):
    text = published.describe_tables()
    self.assertStartsWith(text, 'Tables of ours:\n  digits_mixing: ')
    self.assertIn('\nMcMahan et al. 2017:\n  mnist_mixing: ', text)
    self.assertIn('digits_lg: LG-FedAvg on digits, two classes per device (1 CPU minutes p', text)
    self.assertIn('--data is the folder with the four idx files', text)

  def test_entries_are_light(self):
    code = 'import sys, tff_lg.published; sys.exit("pandas" in sys.modules)'
    self.assertEqual(subprocess.run([sys.executable, '-c', code], check=False).returncode, 0)


if __name__ == '__main__':
  absltest.main()
