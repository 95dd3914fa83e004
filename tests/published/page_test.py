"""Tests of the part of a page that shows a table, and of the pages that hold one."""

import json
import pathlib

import attrs
import numpy as np
from absl.testing import absltest

from tff_lg import published
from tff_lg.published import drawing, page
from tff_lg.published import outcome as outcomes
from tff_lg.published.read import from_summary

_DOCS = pathlib.Path(__file__).parents[2] / 'docs'
_READ = from_summary('run', 'key')


def _figure(row, column, **changes):
  return published.Figure(row=row, column=column, read=_READ, **changes)


_TABLE = published.TableEntry(
  name='small',
  label='A small table',
  paper='Somebody 2020, Table 1',
  data='a folder',
  cpu_minutes=1,
  runs=(),
  figures=(
    _figure('alone', 'local test', published=10.0, spread=1.0),
    _figure('together', 'local test', published=20.0),
    _figure('together', 'sent', digits=1),
  ),
  note='What to know.',
)
_OUTCOME = outcomes.Outcome(
  (0, 1), tuple(np.array(each) for each in ([10.0, 12.0], [25.0, 25.0], [1.5, 1.5]))
)
_TEXT = """### A small table

    python -m pipelines.reproduce small --data=<folder> --seeds=0,1 --run_dir=<folder>

Percent; seeds 0 and 1, mean ± standard deviation over seeds. *Paper*: Somebody 2020, Table 1.

|  | local test | *paper* | sent |
|---|---:|---:|---:|
| alone | 11.00 ± 1.41 | *10.00 ± 1.00* |  |
| together | 25.00 ± 0.00 | *20.00* | 1.5 ± 0.0 |

1 of 2 published figures agree within the paper's spread and the 95 % interval over our seeds. Off \
is together, local test: +5.00.

What to know."""


class PageTest(absltest.TestCase):
  def test_rendered(self):
    self.assertEqual(page.render(_TABLE, _OUTCOME), _TEXT)

  def test_command_without_seeds_is_of_those_of_the_table(self):
    text = page.render(attrs.evolve(_TABLE, seeds=(0, 1)), _OUTCOME)
    self.assertEqual(text, _TEXT.replace(' --seeds=0,1', ''))

  def test_quick_runs_are_not_compared(self):
    text = page.render(_TABLE, _OUTCOME, is_compared=False)
    self.assertNotIn('agree', text)
    self.assertIn('quick runs', text)

  def test_many_figures_that_are_off_are_a_list(self):
    figures = tuple(_figure(str(number), 'c', published=1.0) for number in range(3))
    table = attrs.evolve(_TABLE, figures=figures)
    found = page.to_table(table, outcomes.Outcome((0,), (np.array([1.5]),) * 3))
    self.assertStartsWith(found.notes[0], '0 of 3 published figures agree')
    self.assertStartsWith(found.notes[1], 'Off are:\n\n- 0, c: +0.50\n- 1, c: +0.50\n')

  def test_contrasts_are_paired_by_seed(self):
    table = attrs.evolve(_TABLE, contrasts=(('together', 'alone'),))
    # 15 and 13: their mean's standard error is 1, and Student's 0.975 quantile is 12.706.
    text = (
      'Differences, paired by seed, with 95 % intervals:\n\n'
      '- together, minus alone; local test: +14.00 (+1.29 to +26.71)'
    )
    self.assertEqual(page.to_table(table, _OUTCOME).notes[1:], (text,))
    one_seed = outcomes.Outcome((0,), tuple(values[:1] for values in _OUTCOME.values))
    (note,) = page.to_table(table, one_seed).notes
    self.assertIn("agree within the paper's spread. One seed has no interval. Off is", note)
    not_known = outcomes.Outcome((0, 1), (np.array([np.nan, 1]), *_OUTCOME.values[1:]))
    self.assertNotIn('paired', page.render(table, not_known))

  def test_contrast_that_is_the_same_in_two_columns_stands_once(self):
    figures = [_figure(row, each) for each in ('accuracy', 'gain') for row in ('alone', 'together')]
    table = attrs.evolve(_TABLE, figures=tuple(figures), contrasts=(('together', 'alone'),))
    values = ([10.0, 12.0], [25.0, 25.0], [1.0, 3.0], [16.0, 16.0])
    (note,) = page.to_table(table, outcomes.Outcome((0, 1), tuple(map(np.array, values)))).notes
    self.assertEndsWith(
      note, '\n- together, minus alone; accuracy and gain: +14.00 (+1.29 to +26.71)'
    )

  def test_rows_of_contrasts_share_a_column(self):
    for table in published.TABLES.values():
      columns = {}
      for figure in table.figures:
        columns.setdefault(figure.row, set()).add(figure.column)
      for row, other in table.contrasts:
        with self.subTest(table.name, row=row):
          self.assertNotEmpty(columns[row] & columns[other])

  def test_numbers_that_are_not_known(self):
    figures = (_figure('r', 'c', published=published.NOT_KNOWN), _figure('s', 'c'))
    table = published.TableEntry(name='t', label='T', cpu_minutes=1, runs=(), figures=figures)
    found = page.to_table(table, outcomes.Outcome((0,), (np.array([1.0]), np.array([np.nan]))))
    self.assertEqual(found.rows, (('r', '1.00', '*not known*'), ('s', '–', '')))
    self.assertEqual(found.notes, ())

  def test_number_that_some_seeds_lack(self):
    figures = (_figure('r', 'c'), _figure('s', 'c'))
    table = published.TableEntry(name='t', label='T', cpu_minutes=1, runs=(), figures=figures)
    values = np.array([[1.0, np.nan, 3.0], [np.nan, 2.0, np.nan]])
    found = page.to_table(table, outcomes.Outcome((0, 1, 2), tuple(values)))
    self.assertEqual(found.rows, (('r', '2.00 ± 1.41 (2 of 3)'), ('s', '2.00 (1 of 3)')))
    (note,) = found.notes
    self.assertStartsWith(note, 'Brackets count the seeds that have the number')

  def test_list_of_tables_that_have_not_been_run(self):
    text = page.render_missing({'digits_lg': (0, 1, 2), 'mnist_fedavg': (1, 7)})
    self.assertNotIn('digits_lg', text)
    label = published.TABLES['mnist_fedavg'].label
    self.assertIn(f'| `mnist_fedavg`: {label} | McMahan et al. 2017 | 2 of 3 | 0.3 |', text)
    self.assertIn('| Liang et al. 2020 | 10 of 10 |', text)
    every = {name: range(10) for name in published.TABLES}
    self.assertIn('0 tables have not been run', page.render_missing(every))

  def test_block_is_added_at_the_end_and_then_replaced(self):
    first = page.replace_block('# Title\n\ntext\n', 'small', 'one')
    self.assertEqual(first, '# Title\n\ntext\n\n<!-- begin small -->\none\n<!-- end small -->\n')
    text = page.replace_block(f'{first}\nmore\n', 'small', r'two \1')
    self.assertIn('<!-- begin small -->\ntwo \\1\n<!-- end small -->\n\nmore\n', text)
    self.assertNotIn('one', text)

  def test_record_writes_the_file_and_the_page(self):
    folder = pathlib.Path(self.create_tempdir().full_path)
    with self.assertRaises(FileNotFoundError):
      page.record(str(folder), _TABLE, _OUTCOME, 'flags')
    self.assertFalse((folder / 'results').exists())
    (folder / 'RESULTS.md').write_text('# Results\n')
    page.record(str(folder), _TABLE, _OUTCOME, 'flags')
    stored = json.loads((folder / 'results/small.json').read_text())
    self.assertEqual(stored, {**_OUTCOME.to_json(_TABLE), 'settings': 'flags'})
    text = (folder / 'RESULTS.md').read_text()
    self.assertIn(_TEXT, text)
    self.assertIn('| `digits_lg`: ', text)

  def test_rewrite_has_all_stored_tables(self):
    folder = pathlib.Path(self.create_tempdir().full_path)
    table = published.TABLES['digits_lg']
    outcome = outcomes.Outcome((0, 1, 2), (np.ones(3),) * len(table.figures))
    (folder / 'RESULTS.md').write_text('<!-- begin digits_lg -->\nold\n<!-- end digits_lg -->\n')
    (folder / 'results').mkdir()
    path = folder / 'results/digits_lg.json'
    path.write_text(json.dumps(outcome.to_json(table)))
    page.rewrite(str(folder))
    text = (folder / 'RESULTS.md').read_text()
    self.assertStartsWith(text, f'<!-- begin digits_lg -->\n{page.render(table, outcome)}\n<!--')
    self.assertNotIn('| `digits_lg`: ', text)
    self.assertIn('| `mnist_lg`: ', text)
    self.assertFalse((folder / 'images').exists())
    path.write_text('{}')
    with self.assertRaisesRegex(ValueError, r'digits_lg.json is damaged'):
      page.rewrite(str(folder))

  def test_charts_are_drawn_of_what_is_stored(self):
    folder = pathlib.Path(self.create_tempdir().full_path)
    (folder / 'RESULTS.md').write_text('# Results\n')
    table = published.TABLES['mood']
    outcome = outcomes.Outcome((0, 1), (np.ones(2),) * len(table.figures))
    page.record(str(folder), table, outcome, 'flags')
    self.assertEqual([each.name for each in (folder / 'images').iterdir()], ['mood_by_share.png'])
    self.assertStartsWith((folder / 'images/mood_by_share.png').read_bytes(), b'\x89PNG')
    self.assertIn('](images/mood_by_share.png)', (folder / 'RESULTS.md').read_text())

  def test_record_keeps_other_seeds_of_the_same_settings(self):
    folder = pathlib.Path(self.create_tempdir().full_path)
    (folder / 'RESULTS.md').touch()
    page.record(str(folder), _TABLE, _OUTCOME, 'flags')
    again = outcomes.Outcome((1, 5), tuple(np.array(each) for each in ([8, 9], [7, 6], [5, 4])))
    page.record(str(folder), _TABLE, again, 'flags')
    path = folder / 'results/small.json'
    stored = json.loads(path.read_text())
    self.assertEqual(stored['seeds'], [0, 1, 5])
    self.assertEqual(stored['values']['alone'], {'local test': [10, 8, 9]})
    self.assertEqual(stored['values']['together'], {'local test': [25, 7, 6], 'sent': [1.5, 5, 4]})
    self.assertIn('seeds 0, 1 and 5, mean', (folder / 'RESULTS.md').read_text())
    page.record(str(folder), _TABLE, again, 'others')
    self.assertEqual(json.loads(path.read_text())['seeds'], [1, 5])
    path.write_text('{"seeds": [1], "settings": "others"}')
    with self.assertRaisesRegex(ValueError, r'small.json is damaged .*: delete it, and record all'):
      page.record(str(folder), _TABLE, again, 'others')

  def test_results_page_has_what_is_stored(self):
    text = (_DOCS / 'RESULTS.md').read_text(encoding='utf-8')
    paths = sorted((_DOCS / 'results').glob('*.json'))
    self.assertNotEmpty(paths)
    for path in paths:
      with self.subTest(path.stem):
        table = published.TABLES[path.stem]
        outcome = outcomes.Outcome.from_json(json.loads(path.read_text()), table)
        self.assertEqual(page.replace_block(text, path.stem, page.render(table, outcome)), text)
    missing = page.render_missing({path.stem: page.stored_seeds(str(path)) for path in paths})
    self.assertIn(f'<!-- begin tables_not_run -->\n{missing}\n<!-- end', text)

  def test_results_page_has_charts(self):
    text = (_DOCS / 'RESULTS.md').read_text(encoding='utf-8')
    for name, chart in published.CHARTS.items():
      with self.subTest(name):
        stored = page.load_all(str(_DOCS), chart.tables)
        block = f'chart_{name}'
        self.assertEqual(page.replace_block(text, block, drawing.render(chart, stored)), text)


if __name__ == '__main__':
  absltest.main()
