"""Tests of the neighbours' vote of kNN-Per, by hand on a line."""

import numpy as np
import threadpoolctl
from absl.testing import absltest

from tff_lg.adaptation import knn_per

# Three training examples on a line, the last two of one class.
_TRAIN = np.array([[0.0], [1.0], [3.0]], np.float32)
_LABELS = np.array([2, 0, 0])


def _votes(at, neighbours, train=_TRAIN):
  return knn_per.neighbour_votes(train, _LABELS, np.float32([[at]]), 3, neighbours)[:, 0]


class NeighbourVotesTest(absltest.TestCase):
  def test_a_neighbour_counts_by_its_distance(self):
    found = _votes(0.25, (1, 2, 3))
    near, middle, far = np.exp([-0.25, -0.75, -2.75])
    np.testing.assert_allclose(found[0], [0, 0, 1])
    np.testing.assert_allclose(found[1], np.array([middle, 0, near]) / (near + middle), rtol=1e-6)
    total = near + middle + far
    np.testing.assert_allclose(found[2], np.array([middle + far, 0, near]) / total, rtol=1e-6)

  def test_all_vote_where_there_are_fewer(self):
    np.testing.assert_array_equal(*_votes(0.25, (3, 10)))

  def test_neighbours_far_away_still_vote(self):
    np.testing.assert_allclose(_votes(1e4, (1,))[0], [1, 0, 0])
    np.testing.assert_allclose(_votes(1e4, (2,))[0].sum(), 1)

  def test_no_example(self):
    found = knn_per.neighbour_votes(_TRAIN, _LABELS, np.zeros((0, 1), np.float32), 3, (1,))
    self.assertEqual(found.shape, (1, 0, 3))

  def test_same_distances_and_other_numbers_of_threads(self):
    rng = np.random.default_rng(0)
    train, at = (rng.integers(2, size=(n, 50)).astype(np.float32) for n in (600, 40))
    labels = rng.integers(10, size=600)
    found = []
    for num_threads in (1, 2, 4):
      with threadpoolctl.threadpool_limits(num_threads):
        found.append(knn_per.neighbour_votes(train, labels, at, 10, (10,)))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


if __name__ == '__main__':
  absltest.main()
