"""Tests of the user's own arrays and data sets."""

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from tff_lg import data


class _ClassLabel:
  names = ('cat', 'dog')


class _Dataset:
  """The part of `datasets.Dataset` of Hugging Face that is used here."""

  def __init__(self, columns, features=None):
    self._columns = columns
    self.column_names = list(columns)
    self.features = features or {}

  def __len__(self):
    return len(next(iter(self._columns.values())))

  def __getitem__(self, column):
    return self._columns[column]

  def to_pandas(self):
    return pd.DataFrame(self._columns)


def _federate(source):
  return data.partition_clients(
    source, data.partitioners.natural(), validation_fraction=0.1, seed=0
  )


class FromArraysTest(parameterized.TestCase):
  def test_texts_are_encoded_and_clients_may_be_small(self):
    x = np.arange(12).reshape(6, 2)
    y = ['no', 'yes', 'yes', 'yes', 'yes', 'no']
    source = data.from_arrays(x, y, ['a', 'a', 'a', 'one class', 'one class', 'one row'])
    self.assertEqual(source.class_names, ('no', 'yes'))
    clients = {client.client_id: client for client in _federate(source).clients}
    self.assertEqual(set(clients), {'a', 'one class', 'one row'})
    self.assertEqual(clients['one row'].train.y.tolist(), [0])
    self.assertEqual(clients['one class'].train.y.tolist()[0], 1)

  def test_texts_are_numbered_as_their_names_are(self):
    source = data.from_arrays(
      np.zeros((3, 2)), ['no', 'yes', 'no'], class_names=['yes', 'no'], test_fraction=0
    )
    self.assertEqual(source.class_names, ('yes', 'no'))
    self.assertEqual(source.train.y.tolist(), [1, 0, 1])

  def test_test_data_are_taken_as_they_are(self):
    source = data.from_arrays(
      np.zeros((2, 3)), [0, 1], [7, 8], test=(np.ones((3, 3)), [1, 0, 2], [8, 8, 7])
    )
    self.assertEqual(source.class_names, ('0', '1', '2'))
    of_7, of_8 = _federate(source).clients
    self.assertEqual((of_7.test.y.tolist(), of_8.test.y.tolist()), ([2], [1, 0]))

  def test_pandas_is_taken(self):
    x = pd.DataFrame({'age': [1, 2, 3], 'weight': [4.0, 5.0, 6.0]}, index=['r', 's', 't'])
    y, clients = (pd.Series(values, index=x.index) for values in ([0, 1, 1], ['b', 'a', 'b']))
    source = data.from_arrays(x, y, clients, test_fraction=0)
    self.assertEqual(source.train.x.tolist(), [[1, 4], [2, 5], [3, 6]])
    by_name = {client.client_id: client.train.y.tolist() for client in _federate(source).clients}
    self.assertEqual(by_name, {'a': [1], 'b': [0, 1]})

  def test_several_inputs(self):
    x = {'age': [1.0, 2, 3], 'image': np.full((3, 2, 2), 255, np.uint8)}
    test = {'image': np.zeros((1, 2, 2), np.uint8), 'age': [4.0]}
    source = data.from_arrays(x, [0, 1, 1], test=(test, [1]))
    self.assertEqual(dict(source.inputs), {'age': (1,), 'image': (2, 2, 1)})
    np.testing.assert_array_equal(source.train.x[1], [2, 1, 1, 1, 1])
    np.testing.assert_array_equal(source.test.x, [[4, 0, 0, 0, 0]])

  def test_weights_stay_with_their_examples(self):
    weights = np.arange(1, 21) / 2
    source = data.from_arrays(np.arange(1, 21), [0, 1] * 10, ['a', 'b'] * 10, sample_weight=weights)
    for client in _federate(source).clients:
      for part in (client.train, client.validation, client.test):
        np.testing.assert_array_equal(part.weights, part.x[:, 0] / 2)

  def test_client_without_a_weight(self):
    source = data.from_arrays(
      np.ones(6), [0, 1] * 3, ['a', 'a', 'a', 'b', 'b', 'b'], sample_weight=[1, 2, 3, 0, 0, 0]
    )
    with self.assertRaisesRegex(data.DataError, 'The client b has training examples of weight 0 a'):
      _federate(source)

  @parameterized.parameters(
    ([1.0, -1.0], r'weights has -1 in row 1, expected finite numbers >= 0'),
    ([np.nan, 1.0], r'weights has nan in row 0'),
    ([np.inf, 1.0], r'weights has inf in row 0'),
    ([1.0], r'weights is float32 .1., expected 2 numbers'),
    (['a', 'b'], r'weights is <U1 .2., expected 2 numbers'),
  )
  def test_refuses_weights(self, weights, sentence):
    with self.assertRaisesRegex(data.DataError, f'The data: {sentence}'):
      data.from_arrays([[1.0], [1.0]], [0, 1], sample_weight=weights)

  def test_refuses_inputs(self):
    x = {'age': [1.0, 2.0], 'sex': [0.0]}
    with self.assertRaisesRegex(data.DataError, 'the input sex has the shape .1, 1., expected .2'):
      data.from_arrays(x, [0, 1])
    with self.assertRaisesRegex(data.DataError, 'The data: x has no inputs'):
      data.from_arrays({}, [0, 1])
    with self.assertRaisesRegex(data.DataError, 'the inputs age found, expected age, sex'):
      x = {'age': [1.0, 2.0], 'sex': [0.0, 1.0]}
      data.from_arrays(x, [0, 1], test=({'age': [1.0]}, [0]))

  def test_other_objectives(self):
    source = data.from_arrays([1.0, 2, 3], [0.5, 1, 2], objective='regression', test_fraction=0)
    self.assertEqual(source.train.x.shape, (3, 1))
    self.assertEqual(source.train.objective, 'regression')
    labels = np.array([[0, 1], [1, 1]])
    source = data.from_arrays(np.ones((2, 1)), labels, objective='multilabel', test_fraction=0)
    self.assertEqual(source.class_names, ('0', '1'))

  @parameterized.parameters(
    (([[np.nan], [1.0]], [0, 1]), 'x has a value in row 0 that is not a finite float32'),
    (([[np.inf], [1.0]], [0, 1]), 'x has a value in row 0'),
    (([[1.0], [1.0]], [0, -1]), 'label -1 found at position 1'),
    (([[1.0], [1.0]], [0, 10**6]), 'y has the label 1000000, expected at most 9999'),
    (([[1.0], [1.0]], [0, 0]), 'one class found, 0, expected at least two'),
    (([[1.0], [1.0]], [0]), 'y is int64 .1., expected 2 integers'),
    (([[1.0], [1.0]], [0.5, 1.0]), 'y is float64 .2., expected 2 integers'),
    (([[1.0], [1.0]], ['a', None]), 'y has a label that is missing or not a text'),
    (([], []), 'expected numbers'),
    (([[1.0], [1.0, 2.0]], [0, 1]), 'x has rows of .1. and .2., expected one shape'),
    ((['b', 'c'], [0, 1]), 'expected numbers'),
    (([[1.0], [1.0]], [0, 1], ['a', None]), 'clients has None in row 1'),
    (([[1.0], [1.0]], [0, 1], np.array(['a', float('nan')], object)), 'clients has nan in row 1'),
    (([[1.0], [1.0]], [0, 1], np.array(['a', pd.NA], object)), 'clients has <NA> in row 1'),
    (([[1.0], [1.0]], [0, 1], ['a']), 'users is'),
    (([[1.0], [1.0]], [0, 1], [0.5, 1.5]), 'clients has float64'),
    (([[1.0], [1.0]], [0, 1], np.array(['a', ''], object)), "clients has '' in row 1"),
  )
  def test_refuses(self, arrays, sentence):
    with self.assertRaisesRegex(data.DataError, f'The data: .*{sentence}'):
      data.from_arrays(*arrays)

  def test_refuses_an_unknown_objective(self):
    with self.assertRaisesRegex(ValueError, "objective is 'ranking', expected one of classificati"):
      data.from_arrays([[1.0], [2.0]], [0, 1], objective='ranking')

  def test_refuses_test_data_without_clients(self):
    with self.assertRaisesRegex(data.DataError, 'test has 2 arrays, expected 3: x and y and cli'):
      data.from_arrays([[1.0], [2.0]], [0, 1], ['a', 'b'], test=([[1.0]], [0]))


class FromDatasetsTest(parameterized.TestCase):
  def test_partitions_of_flower(self):
    # Images as lists of rows; grey ones get a channel.
    image = np.full((2, 2), 255, np.uint8)
    sets = [
      _Dataset({'image': [image] * n, 'label': [0, 1] * (n // 2)}, {'label': _ClassLabel()})
      for n in (4, 10)
    ]
    source = data.from_datasets(sets)
    self.assertEqual(source.class_names, ('cat', 'dog'))
    self.assertEqual(source.train.x.shape[1:], (2, 2, 1))
    self.assertEqual(source.train.x.max(), 1)
    self.assertEqual([c.client_id for c in _federate(source).clients], ['client_0', 'client_1'])

  def test_named_clients_with_test_data(self):
    def dataset(value, labels):
      return _Dataset({'f': [[float(value), 1.0]] * len(labels), 'y': labels})

    train = {'north': dataset(1, ['a', 'b']), 'south': dataset(2, ['a'])}
    source = data.from_datasets(train, x='f', y='y', test={'north': dataset(3, ['b'])})
    north, south = _federate(source).clients
    self.assertEqual((north.client_id, north.test.y.tolist()), ('north', [1]))
    self.assertEqual(south.train.x.tolist(), [[2, 1]])

  def test_one_number_per_row(self):
    sets = [_Dataset({'age': [30.0, 40.0, 50.0], 'ill': [0, 1, 0]}) for _ in range(2)]
    source = data.from_datasets(sets, x='age', y='ill', test_fraction=0)
    self.assertEqual(source.train.x.tolist(), [[30], [40], [50]] * 2)
    self.assertEmpty(source.inputs)

  def test_column_for_each_of_several_inputs(self):
    columns = {'age': [30.0, 40.0], 'scan': [[[1.0, 2.0]], [[3.0, 4.0]]], 'ill': [0, 1]}
    sets = {'north': _Dataset(columns), 'south': _Dataset(columns)}
    source = data.from_datasets(sets, x=('scan', 'age'), y='ill', test=sets)
    self.assertEqual(source.inputs, {'scan': (1, 2), 'age': (1,)})
    self.assertEqual(source.train.x.tolist(), [[1, 2, 30], [3, 4, 40]] * 2)
    self.assertEqual(source.test.x.tolist(), source.train.x.tolist())
    with self.assertRaisesRegex(data.DataError, 'north: column weight not found; it has age, scan'):
      data.from_datasets(sets, x=('age', 'weight'), y='ill')

  def test_a_data_set_is_a_table(self):
    dataset = _Dataset({'who': ['a', 'a', 'b', 'b'], 'age': [1, 2, 3, 4], 'ill': [0, 1, 0, 1]})
    source = data.load_table(dataset, 'ill', 'who')
    self.assertEqual(set(source.train.users), {'a', 'b'})

  @parameterized.parameters(
    ([], 'The data sets have no rows'),
    ([_Dataset({'image': [], 'label': []})], 'The data sets have no rows'),
    (
      {'north': _Dataset({'img': [[1.0]], 'label': [0]})},
      'The data set of north: column image not found; it has img, label',
    ),
    (
      [_Dataset({'image': [[1.0] * n], 'label': [0]}) for n in (1, 2)],
      'image has rows of .1. and .2., expected one shape',
    ),
  )
  def test_refuses(self, datasets, sentence):
    with self.assertRaisesRegex(data.DataError, sentence):
      data.from_datasets(datasets)


if __name__ == '__main__':
  absltest.main()
