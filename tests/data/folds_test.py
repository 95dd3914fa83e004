"""Tests of cross-validation within clients."""

import numpy as np
import pandas as pd
from absl.testing import absltest
from sklearn import model_selection

from tff_lg import data
from tff_lg.data import splits


def _federated(sizes):
  """Makes clients whose examples are numbered through, two classes in turn."""
  ends = np.cumsum((0, *sizes))
  clients, tests = [], []
  for number, (start, end) in enumerate(zip(ends, ends[1:], strict=False)):
    x = np.arange(start, end, dtype=np.float32)[:, None]
    of_client = data.Examples(x, (np.arange(start, end) % 2).astype(np.int32))
    parts = np.array_split(np.arange(end - start), 3)
    clients.append(data.ClientExamples(f'c{number}', *map(of_client.take, parts)))
    tests.append(clients[-1].test)
  return data.FederatedData(tuple(clients), data.concatenate(tests), 2, ('even', 'odd'))


class DealFoldsTest(absltest.TestCase):
  def test_sizes_are_those_of_scikit_learn(self):
    labels = np.array([0] * 11 + [1] * 7 + [2] * 6)
    dealt = splits.deal_folds(labels, None, 5, np.random.default_rng(0))
    parts = model_selection.StratifiedKFold(5).split(labels[:, None], labels)
    for fold, (_, test) in enumerate(parts):
      np.testing.assert_array_equal(
        np.bincount(labels[dealt == fold], minlength=3), np.bincount(labels[test], minlength=3)
      )

  def test_few_examples_are_all_dealt_but_not_a_single_one(self):
    dealt = splits.deal_folds(
      np.zeros(6, np.int32), np.array([0, 1, 1, 2, 2, 2]), 5, np.random.default_rng(0)
    )
    self.assertEqual(dealt[0], -1)
    self.assertEqual(sorted(dealt[1:3]), [0, 1])
    self.assertEqual(sorted(dealt[3:]), [0, 1, 2])


class TakeFoldTest(absltest.TestCase):
  def test_each_example_is_tested_once_and_never_trained_on_then(self):
    before = _federated((1, 4, 11))
    tested = []
    for number in range(3):
      after = data.take_fold(before, data.Fold(number, 3), validation_fraction=0.25, seed=5)
      self.assertEqual([client.client_id for client in after.clients], ['c0', 'c1', 'c2'])
      for was, client in zip(before.clients, after.clients, strict=True):
        parts = [part.x[:, 0] for part in (client.train, client.validation, client.test)]
        everything = np.concatenate(
          [part.x[:, 0] for part in (was.train, was.validation, was.test)]
        )
        np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.sort(everything))
      tested.append(np.concatenate([client.test.x[:, 0] for client in after.clients]))
      np.testing.assert_array_equal(after.test.x[:, 0], tested[-1])
    # All but the only example of the first client.
    np.testing.assert_array_equal(np.sort(np.concatenate(tested)), np.arange(1, 16))

  def test_depends_on_the_seed(self):
    first, same, other = (
      data.take_fold(_federated((20,)), data.Fold(0, 4), validation_fraction=0, seed=seed).test.x
      for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, same)
    self.assertFalse(np.array_equal(first, other))


class StandardizedTest(absltest.TestCase):
  def test_patients_are_standardised_without_those_for_testing(self):
    before = data.partition_clients(
      data.load_source('diabetes'), data.partitioners.natural(), validation_fraction=0.2, seed=0
    )
    after = data.take_fold(
      before, data.Fold(1, 3), validation_fraction=0.2, seed=0, standardizes=True
    )
    kept = data.concatenate([part for c in after.clients for part in (c.train, c.validation)])
    for values in (kept.x, kept.y):
      np.testing.assert_allclose(values.mean(axis=0), 0, atol=1e-5)
      np.testing.assert_allclose(values.std(axis=0), 1, atol=1e-5)
    self.assertGreater(abs(after.test.y.mean()), 1e-3)
    # All examples are changed alike.
    same = data.take_fold(before, data.Fold(1, 3), validation_fraction=0.2, seed=0)
    slope, start = np.polyfit(same.clients[2].train.y, after.clients[2].train.y, 1)
    np.testing.assert_allclose(after.test.y, slope * same.test.y + start, atol=1e-4)


class TableTest(absltest.TestCase):
  def test_what_is_fitted_sees_no_row_for_testing(self):
    frame = pd.DataFrame({'who': list('aaaabbbb'), 'age': range(8), 'ill': [0, 1] * 4})
    tested = []
    for number in range(2):
      source = data.load_table(frame, 'ill', 'who', fold=data.Fold(number, 2), seed=1)
      self.assertAlmostEqual(float(source.train.x.mean()), 0, places=6)
      self.assertAlmostEqual(float(source.train.x.std()), 1, places=6)
      self.assertEqual(sorted(source.test.users), list('aabb'))
      all_rows = source.encoding.encode(frame[['age']])[:, 0]
      tested += [int(np.flatnonzero(all_rows == x)[0]) for x in source.test.x[:, 0]]
    self.assertEqual(sorted(tested), list(range(8)))


if __name__ == '__main__':
  absltest.main()
