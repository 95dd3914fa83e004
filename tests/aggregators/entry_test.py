"""Tests of the entries of aggregators: what all of them have in common, and their table."""

import pathlib
import re

from absl.testing import absltest

from tff_lg import aggregators

_PAGE = pathlib.Path(__file__).parents[2] / 'docs/AGGREGATION.md'
_AGGREGATORS = aggregators.AGGREGATORS
_SETTING = aggregators.Setting(clients_per_round=5, seed=0, budget=None)


def _with(trait):
  return {name for name, entry in _AGGREGATORS.items() if getattr(entry, trait)}


class EntryTest(absltest.TestCase):
  def test_traits(self):
    self.assertEqual(_with('is_mean'), {'mean', 'norm_bounded_mean', 'secure_mean'})
    self.assertEqual(_with('is_private'), {'dp_mean'})
    self.assertEqual(_with('needs_cohort_size'), {'krum', 'multi_krum', 'secure_mean'})
    self.assertEqual(_with('cohort_options'), {'krum', 'multi_krum'})
    self.assertEqual(set(_AGGREGATORS) - _with('takes_weights'), {'krum', 'dp_mean'})
    self.assertEqual(set(_AGGREGATORS) - _with('fits_zeroing'), {'dp_mean', 'secure_mean'})

  def test_noise_needs_a_budget(self):
    entry = _AGGREGATORS['dp_mean']
    with self.assertRaisesRegex(ValueError, 'dp_mean needs the budget'):
      entry.build(entry.options(), _SETTING)

  def test_attackers_that_the_cohort_survives(self):
    decide = _AGGREGATORS['krum'].cohort_options['num_byzantine']
    self.assertEqual([decide(None, 3), decide(None, 10), decide(1, 10)], [0, 3, 1])
    for given, cohort in ((None, 2), (4, 10), (-1, 10)):
      with self.assertRaisesRegex(ValueError, f'--clients_per_round is {cohort} and'):
        decide(given, cohort)

  def test_table_of_the_page_has_their_rows(self):
    page = _PAGE.read_text(encoding='utf-8')
    table = page[: page.index('## An aggregator of your own')]
    self.assertCountEqual(re.findall('^\\| `([a-z_]+)` ', table, re.M), _AGGREGATORS)
    for name, entry in _AGGREGATORS.items():
      self.assertIn(f'\n| `{name}` | {entry.does} | {entry.survives} |', page)
      for option in entry.option_names():
        self.assertIn(f'--{option}', page)


if __name__ == '__main__':
  absltest.main()
