"""Tests of the Dirichlet partition."""

import doctest
import importlib

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.data import examples, partitioners


def _data(labels) -> examples.Examples:
  return examples.Examples(np.zeros([len(labels), 1], np.float32), np.array(labels, np.int32))


class _Fixed:
  """A generator that shuffles nothing and draws given proportions."""

  def __init__(self, *proportions: list[float]):
    self._proportions = iter(proportions)

  def permutation(self, values: np.ndarray) -> np.ndarray:
    return values

  def dirichlet(self, alpha: np.ndarray) -> np.ndarray:
    np.testing.assert_array_equal(alpha, [0.9] * 3)
    return np.array(next(self._proportions))


class DirichletTest(parameterized.TestCase):
  def test_twelve_examples_by_hand(self):
    # Class 0: 0 2 4 6 8 10, cut at 1.5 -> 2 and 4.5 -> 4; class 1: 1 3 5 7 9 11, cut at 3 and 3.
    partitioner = partitioners.dirichlet(3, 0.9)
    parts = partitioner(_data([0, 1] * 6), 2, _Fixed([0.25, 0.5, 0.25], [0.5, 0, 0.5]))
    self.assertEqual(
      [part.tolist() for part in parts], [[0, 1, 2, 3, 5], [4, 6], [7, 8, 9, 10, 11]]
    )

  @parameterized.parameters(1e-6, 0.01, 0.9, 1e6)
  def test_uses_every_example(self, alpha):
    data = _data(np.arange(1000) % 10)
    parts = partitioners.dirichlet(30, alpha)(data, 10, np.random.default_rng(0))
    self.assertLen(parts, 30)
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(1000))

  def test_large_alpha_is_even_small_alpha_is_not(self):
    data = _data(np.arange(1000) % 10)
    even = partitioners.dirichlet(10, 1e6)(data, 10, np.random.default_rng(0))
    self.assertBetween(min(len(part) for part in even), 95, 105)
    uneven = partitioners.dirichlet(10, 1e-3)(data, 10, np.random.default_rng(0))
    held = sum(len(set(data.y[part])) for part in uneven)
    self.assertLess(held, 15)  # Nearly every class is with one client; evenly it would be 100.

  @parameterized.parameters(0, -1, float('inf'), float('nan'))
  def test_refuses_alpha(self, alpha):
    with self.assertRaisesRegex(ValueError, f'alpha: {alpha} found, expected a positive number'):
      partitioners.dirichlet(3, alpha)

  def test_refuses_num_clients(self):
    with self.assertRaisesRegex(ValueError, 'num_clients: 0 found, expected a positive integer'):
      partitioners.dirichlet(0, 1)

  def test_docstring(self):
    module = importlib.import_module('tff_lg.data.partitioners.dirichlet')
    self.assertEqual(doctest.testmod(module, extraglobs={'np': np, 'examples': examples}), (0, 2))


if __name__ == '__main__':
  absltest.main()
