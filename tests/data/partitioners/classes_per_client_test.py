"""Tests of the LG-FedAvg partition."""

import doctest
import importlib

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.data import examples, partitioners


def _data(labels) -> examples.Examples:
  return examples.Examples(np.zeros([len(labels), 1], np.float32), np.array(labels, np.int32))


class _InOrder:
  """A generator that shuffles nothing but the labels, into a given order."""

  def __init__(self, dealt_label: list[int]):
    self._dealt_label = np.array(dealt_label)

  def permutation(self, values: np.ndarray | int) -> np.ndarray:
    if isinstance(values, int):  # Ties between the classes: in their order.
      return np.arange(values)
    same = np.array_equal(np.sort(values), np.sort(self._dealt_label))
    return self._dealt_label if same else values


class ClassesPerClientTest(parameterized.TestCase):
  def test_twelve_examples_by_hand(self):
    # Shards of class 0: 0 3, 6 9; of class 1: 1 4, 7 10; of class 2: 2 5, 8 11.
    partitioner = partitioners.classes_per_client(3, 2)
    parts = partitioner(_data([0, 1, 2] * 4), 3, _InOrder([1, 0, 2, 2, 0, 1]))
    self.assertEqual(
      [part.tolist() for part in parts],
      [[0, 1, 3, 4], [2, 5, 8, 11], [6, 7, 9, 10]],  # The second client has class 2 twice.
    )

  def test_the_first_shards_take_what_is_left_over(self):
    # Five examples of class 0 in two shards: 0 1 2, 3 4.
    parts = partitioners.classes_per_client(2, 2)(
      _data([0, 0, 0, 0, 0, 1, 1]), 2, _InOrder([0, 1, 1, 0])
    )
    self.assertEqual([part.tolist() for part in parts], [[0, 1, 2, 5], [3, 4, 6]])

  def test_one_class_twice_in_9_5_percent(self):
    data = _data(np.repeat(np.arange(10), 200))
    partitioner = partitioners.classes_per_client(100, 2)
    twice = 0
    rng = np.random.default_rng(0)
    for _ in range(100):
      parts = partitioner(data, 10, rng)
      num_classes = [len(set(data.y[part])) for part in parts]
      self.assertContainsSubset(num_classes, [1, 2])
      self.assertEqual({len(part) for part in parts}, {20})
      twice += num_classes.count(1)
    # 19/199 = 9.55 % of 10,000 clients; the standard deviation is at most 30.
    self.assertBetween(twice, 955 - 60, 955 + 60)

  @parameterized.parameters(1, 2, 3, 5, 10)
  def test_at_most(self, classes_per_client):
    data = _data(np.arange(3000) % 10)
    partitioner = partitioners.classes_per_client(20, classes_per_client)
    parts = partitioner(data, 10, np.random.default_rng(0))
    self.assertLessEqual(max(len(set(data.y[part])) for part in parts), classes_per_client)
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(3000))

  def test_indivisible_shards_are_dealt_as_evenly_as_possible(self):
    # Ten shards for four classes of twelve: two classes in three shards of 4, two in two of 6.
    parts = partitioners.classes_per_client(10, 1)(
      _data(np.arange(48) % 4), 4, np.random.default_rng(0)
    )
    self.assertCountEqual([len(part) for part in parts], [4] * 6 + [6] * 4)

  def test_classes_without_examples_do_not_count(self):
    parts = partitioners.classes_per_client(2, 1)(_data([1, 1, 3]), 5, np.random.default_rng(0))
    self.assertCountEqual([part.tolist() for part in parts], [[0, 1], [2]])

  def test_refuses_fewer_shards_than_classes(self):
    with self.assertRaisesRegex(
      ValueError, r'classes_per_client: 4 \* 2 found, expected at least 10, the number of classes'
    ):
      partitioners.classes_per_client(4, 2)(_data(np.arange(10)), 10, np.random.default_rng(0))

  @parameterized.parameters((0, 2, 'num_clients: 0'), (3, -2, 'classes_per_client: -2'))
  def test_refuses(self, num_clients, classes_per_client, message):
    with self.assertRaisesRegex(ValueError, f'{message} found, expected a positive integer'):
      partitioners.classes_per_client(num_clients, classes_per_client)

  def test_docstring(self):
    module = importlib.import_module('tff_lg.data.partitioners.classes_per_client')
    self.assertEqual(doctest.testmod(module, extraglobs={'np': np, 'examples': examples}), (0, 2))


if __name__ == '__main__':
  absltest.main()
