"""Tests of the partition by gamma-similarity."""

import doctest
import importlib

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.data import examples, partitioners


def _data(labels) -> examples.Examples:
  return examples.Examples(np.zeros([len(labels), 1], np.float32), np.array(labels, np.int32))


class _Unshuffled:
  """A generator that shuffles nothing."""

  def permutation(self, number: int) -> np.ndarray:
    return np.arange(number)


class SimilarityTest(parameterized.TestCase):
  def test_ten_examples_by_hand(self):
    # Half of them, 0 to 4, are dealt; 5 to 9 have labels 0, 1, 0, 1, 0: sorted 5, 7, 9, 6, 8.
    parts = partitioners.similarity(2, 0.5)(_data([1, 0] * 5), 2, _Unshuffled())
    self.assertEqual([part.tolist() for part in parts], [[0, 1, 2, 5, 7, 9], [3, 4, 6, 8]])

  @parameterized.parameters((0.0, 1, 2), (1.0, 9, 10))
  def test_every_example_has_one_client(self, gamma, least, most):
    data = _data(np.arange(1000) % 10)
    parts = partitioners.similarity(20, gamma)(data, 10, np.random.default_rng(0))
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(1000))
    for part in parts:
      self.assertLen(part, 50)
      self.assertBetween(len(np.unique(data.y[part])), least, most)

  def test_refuses(self):
    for gamma in (-0.1, 1.1, float('nan')):
      with self.assertRaisesRegex(ValueError, f'gamma: {gamma} found, expected a number in'):
        partitioners.similarity(2, gamma)
    with self.assertRaisesRegex(ValueError, 'num_clients'):
      partitioners.similarity(0, 0.5)

  def test_example(self):
    module = importlib.import_module('tff_lg.data.partitioners.similarity')
    self.assertEqual(doctest.testmod(module, extraglobs={'np': np, 'examples': examples}).failed, 0)


if __name__ == '__main__':
  absltest.main()
