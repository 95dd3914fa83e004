"""Tests that docs/OPTIMIZATION.md has every optimiser and schedule with its options."""

import pathlib
import re

import attrs
from absl.testing import absltest

from tff_lg import optimizers

_PAGE = pathlib.Path(__file__).parents[2] / 'docs' / 'OPTIMIZATION.md'


def _rows():
  """Returns the cells of each row of the page's tables, by the name in its first cell."""
  text = _PAGE.read_text(encoding='utf-8')
  rows = [
    [cell.strip() for cell in row.split('|')] for row in re.findall(r'^\| (`.*) \|$', text, re.M)
  ]
  return {re.match('`([a-z]+)`', cells[0])[1]: cells for cells in rows}


class OptimizationPageTest(absltest.TestCase):
  def test_optimizers(self):
    rows = _rows()
    self.assertContainsSubset(optimizers.OPTIMIZERS, rows)
    for name, entry in optimizers.OPTIMIZERS.items():
      _, options, rates = rows[name]
      inherited = rows['adam'][1] if 'those of `adam`' in options else ''
      listed = dict(re.findall(r'`(\w+)`:? ([\d.e-]+\d)', f'{inherited}, {options}'))
      for field in attrs.fields(entry.options):
        default = entry.defaults.get('client', {}).get(field.name, field.default)
        if field.name not in listed:  # Those of all optimisers, below the table.
          self.assertFalse(default, (name, field.name))
          self.assertIn(f'`{field.name}`', _PAGE.read_text(encoding='utf-8'))
          continue
        self.assertEqual(float(listed[field.name]), default, (name, field.name))
      self.assertEqual(
        [float(rate) for rate in rates.split(', ')],
        [entry.learning_rate['client'], entry.learning_rate['server']],
      )

  def test_schedules(self):
    rows = _rows()
    self.assertEqual(set(rows), {*optimizers.OPTIMIZERS, *optimizers.SCHEDULES})
    for name, entry in optimizers.SCHEDULES.items():
      for field in attrs.fields(entry.options):
        self.assertIn(f'`{field.name}`', rows[name][2])


if __name__ == '__main__':
  absltest.main()
