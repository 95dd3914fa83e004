"""Tests of the options of the user's own table."""

from absl.testing import absltest, parameterized

from tff_lg import config as config_lib
from tff_lg.data import synthetic_patients, table_encoding
from tff_lg.tasks import table


def _resolve(**changes):
  options = {'task': 'table', 'data_dir': 'd.csv', 'label_column': ('ill',), **changes}
  return config_lib.resolve(config_lib.TrainConfig(**options))


class TableOptionsTest(parameterized.TestCase):
  def test_defaults(self):
    config = _resolve(client_column='hospital')
    self.assertEqual((config.partition, config.num_clients), ('natural', None))
    self.assertEqual((config.standardize, config.test_fraction), ('pooled', 0.2))

  def test_without_files_patients_are_generated(self):
    config = _resolve(data_dir=None, label_column=None)
    self.assertEqual((config.client_column, config.label_column), ('hospital', ('readmitted',)))
    self.assertEqual((config.partition, config.num_clients), ('natural', None))
    with self.assertRaisesRegex(config_lib.ConfigError, '--partition is iid, but the generated'):
      _resolve(data_dir=None, label_column=None, partition='iid')

  def test_without_clients_rows_are_spread(self):
    config = _resolve()
    self.assertEqual((config.partition, config.num_clients), ('iid', 100))

  def test_no_fraction_where_a_column_says_it(self):
    self.assertIsNone(_resolve(test_column='part').test_fraction)

  def test_other_tasks_have_none(self):
    self.assertIsNone(config_lib.resolve(config_lib.TrainConfig()).standardize)

  def test_fast_is_on_digits(self):
    config = config_lib.TrainConfig(
      task='table', data_dir='d.csv', label_column=('ill',), client_column='hospital'
    )
    self.assertEqual(config_lib.resolve(config_lib.fast(config)).task, 'digits')

  def test_names_are_those_of_data(self):
    self.assertEqual(table.STANDARDIZATIONS, table_encoding.STANDARDIZATIONS)
    columns = synthetic_patients.CLIENT_COLUMN, (synthetic_patients.LABEL_COLUMN,)
    self.assertEqual(tuple(table.GENERATED.values()), columns)

  @parameterized.parameters(
    ({'data_dir': None}, '--label_column is given, but not --data_dir, a CSV or Parquet'),
    (
      {'data_dir': None, 'label_column': None, 'file_column': 'f'},
      '--file_column is given, but not --data_dir, a CSV or Parquet',
    ),
    ({'label_column': None}, '--task=table needs --label_column'),
    ({'partition': 'natural'}, 'needs --client_column'),
    (
      {'client_column': 'c', 'partition': 'iid'},
      '--client_column is given, but --partition is iid',
    ),
    ({'client_column': 'ill'}, '--label_column and --client_column both name the column ill'),
    ({'label_column': ('ill', 'ill')}, '--label_column and --label_column both name'),
    (
      {'time_column': 't', 'ignored_columns': ('t',)},
      '--ignored_columns and --time_column both name the column t',
    ),
    ({'test_column': 'a', 'time_column': 'b'}, '--test_column and --time_column'),
    ({'weight_column': 'ill'}, '--label_column and --weight_column both name the column ill'),
    ({'input_columns': ('body:age', 'sex')}, '--input_columns has sex, expected input:column'),
    ({'input_columns': ('body:ill',)}, '--input_columns has the column ill, which --label_column'),
    ({'test_column': 'a', 'test_fraction': 0.3}, '--test_fraction is given, but --test_column'),
    ({'label_column': ('ill', 'dead')}, '--label_column is ill,dead, expected one column'),
    (
      {'data_dir': None, 'label_column': None, 'objective': 'regression'},
      '--objective is regression, but the generated table',
    ),
    ({'test_fraction': 1.0}, '--test_fraction is 1.0, expected in'),
    ({'standardize': 'all'}, '--standardize is all, expected one of pooled, clients, none'),
    ({'task': 'arrays'}, '--label_column is given, but --task is arrays'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(config_lib.ConfigError, sentence):
      _resolve(**changes)


if __name__ == '__main__':
  absltest.main()
