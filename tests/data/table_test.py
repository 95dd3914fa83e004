"""Tests of the user's own table."""

import numpy as np
import pandas as pd
import pyarrow as pa
from absl.testing import absltest, parameterized

from tff_lg.data import examples, table

_NAN = float('nan')


def _table(**columns):
  return pd.DataFrame(
    {
      'hospital': ['b', 'a', 'b', 'a', 'b', 'a'],
      'age': [1, 2, 3, 4, 5, 6],
      'ill': ['yes', 'no', 'yes', 'no', 'yes', 'no'],
      **columns,
    }
  )


def _load(frame, **options):
  return table.load_table(frame, 'ill', 'hospital', **options)


class TableTest(parameterized.TestCase):
  def test_column_says_what_is_for_testing(self):
    frame = _table(part=['train', 'Test', 'train', 'train', 'test', 'train'])
    source = _load(frame, test_column='part', standardize='none')
    np.testing.assert_array_equal(source.train.x, [[1], [3], [4], [6]])
    np.testing.assert_array_equal(source.test.x, [[2], [5]])
    self.assertEqual(source.train.users.tolist(), ['b', 'b', 'a', 'a'])
    self.assertEqual(source.class_names, ('no', 'yes'))
    np.testing.assert_array_equal(source.train.y, [1, 1, 0, 0])

  @parameterized.parameters(
    ([True, False] * 3,), ([1, 0] * 3,), ([1.0, 0.0] * 3,), (['TRUE', 'false'] * 3,)
  )
  def test_flags(self, part):
    source = _load(_table(part=part), test_column='part', standardize='none')
    np.testing.assert_array_equal(source.test.x, [[1], [3], [5]])

  @parameterized.parameters(
    ([6, 5, 4, 3, 2, 1],), (['2020-06-01', '2020-05-01', '2020-04-01', '2020-03-01', '2019', '1'],)
  )
  def test_last_of_each_client(self, when):
    when = [f'20{value:02d}-01-01' for value in (6, 5, 4, 3, 2, 1)] if when[-1] == '1' else when
    source = _load(_table(when=when), time_column='when', test_fraction=0.3, standardize='none')
    np.testing.assert_array_equal(source.test.x, [[1], [2]])

  def test_weights_and_inputs(self):
    frame = _table(kilos=[7, 8, 9, 10, 11, 12], town=['x', 'y'] * 3, count=[1, 2, 3, 4, 5, 6])
    source = _load(
      frame,
      weight_column='count',
      inputs={'body': ['kilos', 'age'], 'place': ['town']},
      test_fraction=0.0,
      standardize='none',
    )
    self.assertEqual(source.inputs, {'body': (2,), 'place': (2,)})
    np.testing.assert_array_equal(source.train.x[0], [7, 1, 1, 0])
    np.testing.assert_array_equal(source.train.weights, [1, 2, 3, 4, 5, 6])

  @parameterized.parameters(
    ([1, 2, 3, -4, 5, 6], 'column count has -4 in row 4, expected finite numbers >= 0'),
    ([1, 2, 3, 4, 5, _NAN], 'column count has nan in row 6'),
  )
  def test_refuses_weights(self, count, sentence):
    with self.assertRaisesRegex(examples.DataError, sentence):
      _load(_table(count=count), weight_column='count')

  @parameterized.parameters(
    (
      {'body': ['age', 'size']},
      'an input has the column size, which is not a feature; these are a',
    ),
    ({'body': ['age'], 'more': ['age', 'kilos']}, '2 inputs have the column age, expected one'),
    ({'body': ['age']}, '0 inputs have the column kilos, expected one'),
  )
  def test_refuses_inputs(self, inputs, sentence):
    with self.assertRaisesRegex(examples.DataError, sentence):
      _load(_table(kilos=[1, 2, 3, 4, 5, 6]), inputs=inputs)

  def test_at_random_in_each_client_and_class(self):
    frame = pd.DataFrame(
      {'hospital': np.repeat(['a', 'b'], 20), 'age': np.arange(40), 'ill': np.tile([0, 1], 20)}
    )
    source = _load(frame, test_fraction=0.2, standardize='none')
    found = sorted(zip(source.test.users.tolist(), source.test.y.tolist(), strict=True))
    self.assertEqual(found, sorted([('a', 0), ('a', 1), ('b', 0), ('b', 1)] * 2))
    again = _load(frame, test_fraction=0.2, standardize='none')
    np.testing.assert_array_equal(source.test.x, again.test.x)
    other = _load(frame, test_fraction=0.2, standardize='none', seed=1)
    self.assertFalse(np.array_equal(source.test.x, other.test.x))

  def test_encoding_is_of_training_rows(self):
    frame = _table(part=[0, 0, 0, 0, 1, 1])
    source = _load(frame, test_column='part')
    (column,) = source.encoding.columns
    self.assertEqual((column.mean, column.deviation), (2.5, np.sqrt(1.25)))
    np.testing.assert_allclose(source.test.x[:, 0], np.array([2.5, 3.5]) / np.sqrt(1.25))

  def test_numbers_as_classes_and_clients_in_an_arrow_table(self):
    frame = _table(hospital=[7.0, 8.0] * 3, ill=[10, 9, 10, 9, 10, 9])
    source = _load(pa.Table.from_pandas(frame), test_fraction=0.0)
    self.assertEqual(source.class_names, ('9', '10'))
    self.assertEqual(set(source.train.users.tolist()), {'7', '8'})
    self.assertLen(source.test, 0)

  def test_numbers_to_predict(self):
    frame = _table(cost=[10.0, 20.0, 30.0, 40.0, 50.0, 60.0], part=[0, 0, 0, 0, 1, 1])
    options = {'objective': 'regression', 'test_column': 'part', 'ignored_columns': ('ill',)}
    source = table.load_table(frame, 'cost', 'hospital', **options)
    self.assertEqual(source.train.objective, 'regression')
    self.assertEqual((source.num_classes, source.class_names), (1, ('cost',)))
    self.assertEqual(source.encoding.label, (25.0, np.sqrt(125)))
    np.testing.assert_allclose(source.test.y, np.array([25, 35]) / np.sqrt(125), rtol=1e-6)
    raw = table.load_table(frame, 'cost', 'hospital', standardize='none', **options)
    np.testing.assert_array_equal(raw.test.y, [50, 60])
    again = type(raw.encoding).from_json(source.encoding.to_json())
    self.assertEqual(again, source.encoding)

  def test_several_labels(self):
    frame = _table(fever=[1, 0] * 3, cough=['true', 'true', 'false'] * 2, part=[0, 0, 0, 0, 1, 1])
    source = table.load_table(
      frame,
      ('fever', 'cough'),
      'hospital',
      objective='multilabel',
      test_column='part',
      ignored_columns=('ill',),
    )
    self.assertEqual(source.class_names, ('fever', 'cough'))
    np.testing.assert_array_equal(source.test.y, [[1, 1], [0, 0]])

  @parameterized.parameters(
    ('cost', 'regression', {'cost': [1, 2, _NAN, 4, 5, 6]}, 'cost is missing in row 3'),
    ('cost', 'regression', {'cost': ['much'] * 6}, 'Column cost: .*expected numbers'),
    (('a',), 'multilabel', {'a': [0, 1, 2] * 2}, "column a: '2' found, expected one of true"),
  )
  def test_refuses_labels(self, column, objective, columns, sentence):
    with self.assertRaisesRegex(examples.DataError, sentence):
      table.load_table(_table(**columns), column, 'hospital', objective=objective)
    with self.assertRaisesRegex(ValueError, "objective is 'ranking', expected one of"):
      _load(_table(), objective='ranking')

  def test_without_clients(self):
    source = table.load_table(_table(), 'ill', ignored_columns=('hospital',))
    self.assertIsNone(source.train.users)
    self.assertLen(source.train, 5)

  def test_a_client_with_one_row_keeps_it_for_training(self):
    frame = _table(hospital=['b', 'a', 'b', 'c', 'b', 'a'], when=range(6))
    for options in ({}, {'time_column': 'when'}):
      self.assertIn('c', _load(frame, **options).train.users.tolist())

  @parameterized.parameters(
    ({'hospital': ['a', None] * 3}, {}, 'hospital is missing in row 2 .3 such rows.'),
    ({'ill': ['no', 'yes', 'no', None, 'no', 'no']}, {}, 'ill is missing in row 4'),
    ({'ill': ['no'] * 6}, {}, 'one class found, no, expected at least two'),
    ({'ill': [0.5, 1.0] * 3}, {}, '0.5 found, expected classes: names or whole numbers'),
    ({}, {'ignored_columns': ('weight',)}, 'column weight not found; it has hospital, age, ill'),
    (
      {'part': ['maybe', 'test'] * 3},
      {'test_column': 'part'},
      "'maybe' found, expected one of test, train, true",
    ),
    ({'part': [1] * 6}, {'test_column': 'part'}, 'every row is for testing'),
    ({'when': ['soon'] * 6}, {'time_column': 'when'}, 'when has values that are not dates'),
    ({'when': [1, 2, _NAN, 4, 5, 6]}, {'time_column': 'when'}, 'when is missing in row 3'),
    ({}, {'ignored_columns': ('age',)}, 'no columns left as features'),
  )
  def test_refuses(self, columns, options, sentence):
    with self.assertRaisesRegex(examples.DataError, sentence):
      _load(_table(**columns), **options)

  def test_names_the_row_of_an_infinite_number(self):
    frame = _table(age=[1, 2, 3, 4, float('inf'), 6], part=['test', 'train'] * 3)
    with self.assertRaisesRegex(examples.DataError, 'The table: Column age has inf in row 5, exp'):
      _load(frame, test_column='part')
    self.assertLen(_load(frame, test_column='part', category_columns=('age',)).test, 3)

  def test_refuses_a_column_with_two_roles(self):
    with self.assertRaisesRegex(examples.DataError, 'column ill is given twice'):
      table.load_table(_table(), 'ill', 'ill')

  def test_refuses_other_types(self):
    with self.assertRaisesRegex(
      examples.DataError, 'The table is a dict, expected one of pandas or'
    ):
      table.load_table({'age': [1]}, 'age')

  def test_files_are_clients_or_say_what_is_for_testing(self):
    folder = self.create_tempdir()
    folder.create_file('train.csv', 'age,ill\n1,yes\n2,no\n')
    folder.create_file('test.csv', 'age,ill\n3,yes\n')
    options = {'test_fraction': 0.0, 'standardize': 'none', 'file_column': 'part'}
    found = table.load_table(folder.full_path, 'ill', 'part', **options)
    self.assertEqual(found.train.users.tolist(), ['test', 'train', 'train'])
    found = table.load_table(folder.full_path, 'ill', test_column='part', **options)
    self.assertEqual((found.train.x.tolist(), found.test.x.tolist()), ([[1.0], [2.0]], [[3.0]]))
    with self.assertRaisesRegex(
      examples.DataError, "file_column is 'part' for a DataFrame, expected the path of files"
    ):
      table.load_table(_table(), 'ill', file_column='part')

  def test_names_the_file_of_a_row(self):
    folder = self.create_tempdir()
    folder.create_file('North.csv', 'age,ill\n1,yes\n2,no\n')
    folder.create_file('South.csv', 'age,ill\n3,yes\n1e999,\n')
    for label, objective, sentence in (
      (
        'ill',
        'classification',
        r'ill is missing in row 2 of South.csv \(1 such rows\), expected',
      ),
      ('age', 'regression', 'age has inf in row 2 of South.csv, expected finite numbers'),
    ):
      with self.assertRaisesRegex(examples.DataError, sentence):
        table.load_table(folder.full_path, label, objective=objective)

  def test_refuses_no_rows_and_names_twice(self):
    with self.assertRaisesRegex(examples.DataError, 'no rows'):
      _load(_table()[:0])
    frame = _table().set_axis(['hospital', 'ill', 'ill'], axis=1)
    with self.assertRaisesRegex(examples.DataError, 'The table: 2 columns ill found'):
      _load(frame)


if __name__ == '__main__':
  absltest.main()
