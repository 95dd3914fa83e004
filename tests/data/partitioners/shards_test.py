"""Tests of McMahan's shards."""

import doctest
import importlib

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.data import examples, partitioners


def _data(labels) -> examples.Examples:
  return examples.Examples(np.zeros([len(labels), 1], np.float32), np.array(labels, np.int32))


class _InOrder:
  """A generator that shuffles nothing."""

  def permutation(self, values: np.ndarray) -> np.ndarray:
    return values


class ShardsTest(parameterized.TestCase):
  def test_twelve_examples_by_hand(self):
    # By label: 0 3 6 9 | 1 4 7 10 | 2 5 8 11. Six shards of two, two a client.
    data = _data([0, 1, 2] * 4)
    parts = partitioners.shards(3, 2)(data, 3, _InOrder())
    self.assertEqual(
      [part.tolist() for part in parts], [[0, 3, 6, 9], [1, 4, 7, 10], [2, 5, 8, 11]]
    )

  def test_a_shard_may_straddle_classes(self):
    parts = partitioners.shards(2, 1)(_data([0, 0, 0, 0, 1, 1, 2, 2, 2, 2]), 3, _InOrder())
    self.assertEqual([part.tolist() for part in parts], [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]])

  def test_uneven(self):
    parts = partitioners.shards(2, 2)(_data([0] * 7), 1, np.random.default_rng(0))
    self.assertEqual(sum(len(part) for part in parts), 7)
    self.assertContainsSubset([len(part) for part in parts], [3, 4])

  def test_mcmahan_mnist(self):
    data = _data(np.repeat(np.arange(10), 6000))
    parts = partitioners.shards(100, 2)(data, 10, np.random.default_rng(0))
    self.assertEqual({len(part) for part in parts}, {600})
    self.assertLessEqual(max(len(set(data.y[part])) for part in parts), 2)
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(60000))

  @parameterized.parameters((0, 2, 'num_clients: 0'), (3, 0, 'shards_per_client: 0'))
  def test_refuses(self, num_clients, shards_per_client, message):
    with self.assertRaisesRegex(ValueError, f'{message} found, expected a positive integer'):
      partitioners.shards(num_clients, shards_per_client)

  def test_docstring(self):
    module = importlib.import_module('tff_lg.data.partitioners.shards')
    self.assertEqual(doctest.testmod(module, extraglobs={'np': np, 'examples': examples}), (0, 2))


if __name__ == '__main__':
  absltest.main()
