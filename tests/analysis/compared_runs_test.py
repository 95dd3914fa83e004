"""Tests that runs on the same split are put side by side, and others refused."""

import math

import pandas as pd
from absl.testing import absltest, parameterized

from tests.analysis import testing
from tff_lg.analysis import compared_runs
from tff_lg.analysis.run_folder import RunFolderError

_RULE = 'only runs on the same split can be compared.'


def _run(path='runs/x', **changes):
  clients = testing.make_run().clients.assign(num_train=[10, 20], num_test=[4, 4])
  counts = pd.DataFrame({'cat': [3, 10], 'dog': [7, 10]}, index=clients.index)
  return testing.make_run(**{'path': path, 'clients': clients, 'label_counts': counts, **changes})


class CompareRunsTest(absltest.TestCase):
  def test_side_by_side(self):
    other = _run('runs/y', clients=_run().clients.assign(**{'local_test/accuracy': [0.6, 0.4]}))
    compared = compared_runs.compare_runs(_run(), [other])
    self.assertEqual(
      compared.accuracy.to_dict('list'), {'LG-FedAvg (x)': [0.9, 0.5], 'LG-FedAvg (y)': [0.6, 0.4]}
    )
    self.assertEqual(compared.own.to_list(), [0.8, 0.7])
    self.assertEqual(compared.num_left_out, 0)

  def test_clients_that_are_known_everywhere(self):
    clients = _run().clients
    unknown = _run('runs/y', clients=clients.assign(**{'local_test/accuracy': [math.nan, 0.4]}))
    malicious = _run('runs/y', clients=clients.assign(is_malicious=[1.0, 0.0]))
    for other in (unknown, malicious):
      compared = compared_runs.compare_runs(_run(), [other])
      self.assertEqual(compared.accuracy.index.to_list(), ['b'])
      self.assertEqual(compared.own.to_dict(), {'b': 0.7})
      self.assertEqual(compared.num_left_out, 1)

  def test_no_baseline(self):
    run = _run(clients=_run().clients.drop(columns='local_only/local_test/accuracy'))
    compared = compared_runs.compare_runs(run, [_run('runs/y')])
    self.assertIsNone(compared.own)
    self.assertLen(compared.accuracy, 2)

  def test_metric(self):
    metric = 'participant_test/accuracy'
    clients = _run().clients.assign(**{metric: [0.1, 0.2], f'local_only/{metric}': [0.3, 0.4]})
    compared = compared_runs.compare_runs(_run(clients=clients), [], metric)
    self.assertEqual(compared.accuracy.to_dict('list'), {'LG-FedAvg': [0.1, 0.2]})
    self.assertEqual(compared.own.to_list(), [0.3, 0.4])

  def test_missing_metric(self):
    with self.assertRaisesRegex(
      RunFolderError, 'runs/x/clients.parquet: there is no column participant_test/accuracy, by'
    ):
      compared_runs.compare_runs(_run(), [], 'participant_test/accuracy')

  def test_named_twice(self):
    with self.assertRaisesRegex(RunFolderError, '^runs/../runs/x/: the run is named twice, expec'):
      compared_runs.compare_runs(_run(), [_run('runs/../runs/x/')])


class LabelsTest(parameterized.TestCase):
  @parameterized.parameters(
    ({'method': 'fedavg'}, {'method': 'fedsgd'}, ['FedAvg', 'FedSGD']),
    (
      {'hparams': {'aggregator': 'mean'}},
      {'hparams': {'aggregator': 'dp_mean'}},
      ['LG-FedAvg', 'LG-FedAvg, DP mean'],
    ),
    (
      {'path': 'a/one'},
      {'path': 'a/two/'},
      ['LG-FedAvg (one)', 'LG-FedAvg (two)'],
    ),
    ({'path': 'a/x'}, {'path': 'b/x'}, ['LG-FedAvg (a/x)', 'LG-FedAvg (b/x)']),
  )
  def test_short_and_different(self, first, second, expected):
    runs = [_run(**{'path': 'runs/x', **first}), _run(**{'path': 'runs/y', **second})]
    self.assertEqual(list(compared_runs.compare_runs(runs[0], runs[1:]).accuracy), expected)


class SameSplitTest(absltest.TestCase):
  def _refuses(self, other, sentence):
    with self.assertRaises(RunFolderError) as raised:
      compared_runs.compare_runs(_run(), [other])
    self.assertEqual(str(raised.exception), f'{sentence}; {_RULE}')

  def test_client_ids(self):
    one = _run('runs/y', clients=_run().clients.iloc[:1])
    self._refuses(one, 'runs/y: there is no client b, which runs/x has')
    more = _run('runs/y', clients=_run().clients.rename(index={'b': 'c'}))
    self._refuses(more, 'runs/y: there is no client b, which runs/x has')
    with self.assertRaisesRegex(RunFolderError, 'runs/y: there is no client b, which runs/x has'):
      compared_runs.check_same_split(one, _run())

  def test_sizes(self):
    for column in ('num_train', 'num_test'):
      other = _run('runs/y', clients=_run().clients.assign(**{column: [10000, 4]}))
      mine = _run().clients.loc['a', column]
      self._refuses(other, f'runs/y: {column} of client a is 10,000, which is {mine} in runs/x')

  def test_label_counts(self):
    counts = pd.DataFrame({'cat': [4, 10], 'dog': [6, 10]}, index=_run().clients.index)
    self._refuses(
      _run('runs/y', label_counts=counts),
      'runs/y/label_counts.csv: the counts are not those of runs/x',
    )

  def test_order_does_not_matter(self):
    run = _run()
    other = _run(
      'runs/y', clients=run.clients.iloc[::-1], label_counts=run.label_counts.iloc[::-1, ::-1]
    )
    compared = compared_runs.compare_runs(run, [other])
    self.assertEqual(compared.accuracy.loc['a'].to_list(), [0.9, 0.9])

  def test_values_that_one_run_has_not_recorded(self):
    compared_runs.check_same_split(_run(), testing.make_run())


if __name__ == '__main__':
  absltest.main()
