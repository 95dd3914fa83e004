"""Tests of columns that look like names of rows or copies of the label."""

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from tff_lg.data import table, table_encoding, table_suspects

_ROWS = 60
_RNG = np.random.default_rng(0)
_ILL = np.arange(_ROWS) % 3 == 0
_COST = _RNG.random(_ROWS)


def _find(labels, num_rows=_ROWS, **columns):
  features = pd.DataFrame(columns)[:num_rows]
  encoding = table_encoding.fit(features, ('no', 'yes'))
  return table_suspects.find_suspects(features, labels[:num_rows], encoding)


class FindSuspectsTest(parameterized.TestCase):
  @parameterized.named_parameters(
    ('text', _ILL, np.where(_ILL, 'sick', 'well')),
    ('number', _ILL, 3 - 2 * _ILL),
    ('missing if well', _ILL, np.where(_ILL, 'ward 2', None)),
    ('finer than the label', _ILL, np.arange(_ROWS) % 6),
    ('several labels', np.stack([np.arange(_ROWS) % 2, _ILL], axis=1), _ILL),
    ('a number in another unit', _COST, 1000 * _COST + 7),
  )
  def test_copy_of_the_label(self, labels, column):
    (sentence,) = _find(labels, age=_RNG.random(_ROWS), code=column)
    self.assertEqual(
      sentence,
      'Column code determines the label of every training row, as a copy of it would; if so, use '
      '--ignored_columns=code.',
    )

  def test_names_of_rows(self):
    (sentence,) = _find(_ILL, patient=[f'p{row // 2 if row < 40 else row}' for row in range(_ROWS)])
    self.assertIn('Column patient has 40 values in 60 training rows, as names', sentence)

  @parameterized.named_parameters(
    ('one row apart', _ILL ^ (np.arange(_ROWS) == 7)),
    ('related', np.arange(_ROWS) % 4),
    ('numbers that all differ', np.where(_ILL, 1, 2) + _COST),
    ('text that repeats itself', [f't{row // 2}' for row in range(_ROWS)]),
    ('constant', np.ones(_ROWS)),
    ('missing', np.full(_ROWS, np.nan)),
  )
  def test_says_nothing_of(self, column):
    self.assertEmpty(_find(_ILL, other=column))

  def test_says_nothing_of_few_rows_or_one_label(self):
    self.assertLen(_find(_ILL, 50, copy=_ILL), 1)
    self.assertEmpty(_find(_ILL, 49, copy=_ILL))
    self.assertEmpty(_find(np.zeros(_ROWS, int), copy=_ILL))

  @parameterized.named_parameters(
    ('copies', {'dose': _COST}, 10, '10 of 12 test rows equal a training row, with its label, as'),
    ('one copy', {'dose': _COST, 'ward': _ILL}, 1, '1 of 12 test rows equal'),
    ('rounded', {name: np.round(_RNG.random(_ROWS), 1) for name in 'abcde'}, 1, '1 of 12 test'),
    ('text', {'note': np.array([f'n{row}' for row in range(_ROWS)])}, 1, '1 of 12 test rows'),
    ('no copies', {'dose': _COST}, 0, ''),
    ('equal by chance', {'age': np.arange(_ROWS) % 40, 'ward': _ILL}, 1, ''),
    ('few values', {'ward': np.arange(_ROWS) % 6}, 10, ''),
  )
  def test_copies(self, columns, num_copies, expected):
    columns = {name: values.copy() for name, values in columns.items()}
    labels = _ILL.copy()
    for values in (*columns.values(), labels):
      values[48 : 48 + num_copies] = values[:num_copies]
    found = table_suspects.find_copies(pd.DataFrame(columns), labels, np.arange(_ROWS) >= 48)
    self.assertLen(found, bool(expected))
    self.assertStartsWith(''.join(found), expected)

  def test_copies_have_the_same_label(self):
    features, is_test = pd.DataFrame({'dose': np.tile(_COST, 2)}), np.arange(2 * _ROWS) >= _ROWS
    self.assertEmpty(table_suspects.find_copies(features, is_test, is_test))
    labels = np.tile(_COST, 2)[:, np.newaxis] > [0.3, 0.6]
    self.assertLen(table_suspects.find_copies(features, labels, is_test), 1)

  def test_table_warns_of_copies(self):
    rows = pd.DataFrame({'dose': np.tile(_COST, 2), 'ill': np.tile(_ILL, 2)})
    with self.assertLogs(level='WARNING') as logs:
      table.load_table(rows, 'ill')
    self.assertLen(logs.output, 1)
    self.assertIn('test rows equal a training row', logs.output[0])
    with self.assertNoLogs(level='WARNING'):
      table.load_table(rows.drop_duplicates(), 'ill')

  def test_table_warns(self):
    rows = pd.DataFrame({'age': _COST, 'copy': _ILL, 'ill': _ILL})
    with self.assertLogs(level='WARNING') as logs:
      table.load_table(rows, 'ill', test_fraction=0.1)
    self.assertLen(logs.output, 1)
    self.assertIn('Column copy determines the label', logs.output[0])
    with self.assertNoLogs(level='WARNING'):
      table.load_table(rows, 'ill', test_fraction=0.1, ignored_columns=['copy'])


if __name__ == '__main__':
  absltest.main()
