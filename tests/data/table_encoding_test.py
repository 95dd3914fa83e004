"""Tests of how columns become features."""

import decimal
import json

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from tff_lg.data import examples, table_encoding

_NAN = float('nan')
_TABLE = pd.DataFrame(
  {
    'age': [1.0, 3.0, _NAN, 5.0],
    'country': ['b', 'a', None, 'b'],
    'zip': [7, 7, 8, 9],
    'old': [False, False, True, True],
    'since': pd.to_datetime(['1970-01-03'] * 4),
  }
)


def _fit(**options):
  return table_encoding.fit(_TABLE, ('no', 'yes'), category_columns=('zip',), **options)


class TableEncodingTest(parameterized.TestCase):
  def test_features_by_hand(self):
    encoding = _fit()
    self.assertEqual(
      encoding.feature_names,
      ('age', 'age is missing', 'country=', 'country=a', 'country=b')
      + ('zip=7', 'zip=8', 'zip=9', 'old', 'since'),
    )
    deviation = np.sqrt(8 / 3)  # Of 1, 3, 5; a date that never changes is only centred.
    expected = [
      [-2 / deviation, 0, 0, 0, 1, 1, 0, 0, -1, 0],
      [0, 0, 0, 1, 0, 1, 0, 0, -1, 0],
      [0, 1, 1, 0, 0, 0, 1, 0, 1, 0],
      [2 / deviation, 0, 0, 0, 1, 0, 0, 1, 1, 0],
    ]
    features = encoding.encode(_TABLE)
    self.assertEqual(features.dtype, np.float32)
    np.testing.assert_allclose(features, expected, rtol=1e-6)

  def test_names_of_numbers_among_text(self):
    names = table_encoding.to_names(pd.Series([1, 2.0, 2.5, 'ICU', None, True], dtype=object))
    self.assertEqual(names.tolist(), ['1', '2', '2.5', 'ICU', '', 'True'])

  def test_new_rows(self):
    row = pd.DataFrame(
      {'age': [3.0], 'country': ['new'], 'zip': [7], 'old': [True], 'since': ['1970-01-04']}
    )
    row['since'] = pd.to_datetime(row['since'])
    np.testing.assert_allclose(_fit().encode(row), [[0, 0, 0, 0, 0, 1, 0, 0, 1, 1]])

  def test_decimals_and_durations_are_numbers(self):
    prices = [decimal.Decimal('1.5'), decimal.Decimal('2.5'), None]
    table = pd.DataFrame({'price': prices, 'stay': pd.to_timedelta(['36h', '12h', None])})
    encoding = table_encoding.fit(table, ('no', 'yes'), standardize='none')
    names = ('price', 'price is missing', 'stay', 'stay is missing')
    self.assertEqual(encoding.feature_names, names)
    # Durations are in days.
    expected = [[1.5, 0, 1.5, 0], [2.5, 0, 0.5, 0], [0, 1, 0, 1]]
    np.testing.assert_allclose(encoding.encode(table), expected)

  def test_as_they_are(self):
    encoding = _fit(standardize='none')
    np.testing.assert_allclose(encoding.encode(_TABLE)[:, 0], [1, 3, 0, 5])

  def test_each_client_by_its_own_rows(self):
    table = pd.DataFrame({'x': [1.0, 3.0, 10.0, 10.0, _NAN]})
    clients = np.array(['a', 'a', 'b', 'b', 'c'], object)
    encoding = table_encoding.fit(table, ('0', '1'), standardize='clients', clients=clients)
    pooled = table['x'].std(ddof=0)
    rows = pd.DataFrame({'x': [2.0, 4.0, 10.0 + pooled, 6.0, 6.0]})
    features = encoding.encode(rows, ['a', 'a', 'b', 'c', 'new'])
    # b's numbers are equal and c has none: pooled deviations, and means for c and newcomers.
    np.testing.assert_allclose(features[:, 0], [0, 2, 1, 0, 0], atol=1e-6)

  def test_json(self):
    encoding = _fit(standardize='clients', clients=np.array(['a', 'a', 'b', 'b'], object))
    values = json.loads(json.dumps(encoding.to_json()))
    self.assertEqual(table_encoding.TableEncoding.from_json(values), encoding)

  @parameterized.parameters(
    ({'x': [1.0, float('inf')]}, 'Column x has inf in row 2, expected finite numbers'),
    ({'x': [1e300, 1.0]}, 'Column x has 1e.300 in row 1'),
    ({}, 'no columns left as features'),
    ({'x': [f'name {k}' for k in range(1001)]}, 'Column x has 1001 different values'),
  )
  def test_refuses(self, columns, sentence):
    with self.assertRaisesRegex(examples.DataError, sentence):
      table_encoding.fit(pd.DataFrame(columns), ('0', '1'))

  def test_refuses_rows_of_another_table(self):
    with self.assertRaisesRegex(examples.DataError, 'Columns country, zip not found'):
      _fit().encode(_TABLE.drop(columns=['country', 'zip']))
    with self.assertRaisesRegex(examples.DataError, 'Column age: .*expected numbers'):
      _fit().encode(_TABLE.assign(age='many'))

  def test_refuses_an_unknown_standardization(self):
    with self.assertRaisesRegex(ValueError, "standardize is 'all', expected one of pooled"):
      _fit(standardize='all')


if __name__ == '__main__':
  absltest.main()
