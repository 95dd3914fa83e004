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
    know_f = {'krum', 'multi_krum', 'minimum_diameter', 'mean_around_median', 'monna', 'bulyan'}
    self.assertEqual(_with('needs_cohort_size'), {*know_f, 'secure_mean'})
    self.assertEqual(_with('cohort_options'), know_f)
    without_weights = {'krum', 'dp_mean', 'mean_around_median', 'bulyan'}
    self.assertEqual(set(_AGGREGATORS) - _with('takes_weights'), without_weights)
    self.assertEqual(set(_AGGREGATORS) - _with('rule'), {'dp_mean', 'secure_mean'})
    self.assertEqual(set(_AGGREGATORS) - _with('fits_zeroing'), {'dp_mean', 'secure_mean'})

  def test_noise_needs_a_budget(self):
    entry = _AGGREGATORS['dp_mean']
    with self.assertRaisesRegex(ValueError, 'dp_mean needs a privacy budget'):
      entry.build(entry.options(), _SETTING)

  def test_attackers_that_the_cohort_survives(self):
    decide = _AGGREGATORS['krum'].cohort_options['num_byzantine']
    self.assertEqual([decide(None, 3), decide(None, 10), decide(1, 10)], [0, 3, 1])
    for given, cohort in ((None, 2), (4, 10), (-1, 10)):
      with self.assertRaisesRegex(ValueError, f'--clients_per_round is {cohort} and'):
        decide(given, cohort)
    bulyan = _AGGREGATORS['bulyan'].cohort_options['num_byzantine']
    self.assertEqual([bulyan(None, 10), bulyan(None, 11), bulyan(1, 11)], [1, 2, 1])
    with self.assertRaisesRegex(ValueError, r'^survives f malicious clients of 4 f \+ 3 or more'):
      bulyan(3, 11)
    subsets = _AGGREGATORS['minimum_diameter'].cohort_options['num_byzantine']
    self.assertEqual(subsets(None, 11), 5)
    with self.assertRaisesRegex(ValueError, 'compares subsets .* is 10 of 30 clients: 30,045,015'):
      subsets(10, 30)

  def test_table_of_the_page_has_their_rows(self):
    page = _PAGE.read_text(encoding='utf-8')
    table = page[: page.index('### Pre-aggregation')]
    self.assertCountEqual(re.findall('^\\| `([a-z_]+)` ', table, re.M), _AGGREGATORS)
    for name, entry in _AGGREGATORS.items():
      self.assertIn(f'\n| `{name}` | {entry.does} | {entry.survives} |', page)
      for option in entry.option_names():
        self.assertIn(f'--{option}', page)

  def test_table_of_mechanisms_has_their_rows(self):
    page = _PAGE.read_text(encoding='utf-8').replace('`', '')
    for name, entry in aggregators.MECHANISMS.items():
      self.assertIn(f'\n| {name} | {entry.does} ', page)
      for option in entry.own_options:
        self.assertIn(option, _AGGREGATORS['dp_mean'].option_names())

  def test_table_of_pre_aggregators_has_their_rows(self):
    page = _PAGE.read_text(encoding='utf-8')
    for name, entry in aggregators.PRE_AGGREGATORS.items():
      self.assertIn(f'\n| `{name}` | {entry.does} |', page)
      for option in entry.option_names():
        self.assertIn(f'--{aggregators.PRE_AGGREGATION_PREFIX}{option}', page)


if __name__ == '__main__':
  absltest.main()
