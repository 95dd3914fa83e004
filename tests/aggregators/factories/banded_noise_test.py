"""Tests of the banded query: its noise over rounds against a matrix solved by NumPy."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg.aggregators import bands as bands_lib
from tff_lg.aggregators.factories import banded_noise, seeded_noise

_SPECS = (tf.TensorSpec([2, 3]), tf.TensorSpec([]))


def _noise(query, num_rounds):
  """Returns the noise of rounds in which nobody takes part, [num_rounds, 7]."""
  state, rounds = query.initial_global_state(), []
  for _ in range(num_rounds):
    zeros = tf.nest.map_structure(lambda spec: tf.zeros(spec.shape), _SPECS)
    result, state, _ = query.get_noised_result(zeros, state)
    rounds.append(np.concatenate([np.ravel(leaf) for leaf in result]))
  return np.array(rounds)


def _banded(bands, noise_multiplier=1.5, seed=3):
  return banded_noise.BandedSumQuery(2.0, noise_multiplier, bands, _SPECS, seed)


def _independent(num_rounds, seed=3):
  return _noise(seeded_noise.GaussianSumQuery(2.0, 3.0, seed), num_rounds)


class BandedSumQueryTest(parameterized.TestCase):
  @parameterized.parameters(2, 3, 4, 9)
  def test_solves_the_banded_matrix_for_the_same_draws(self, bands):
    coefficients = bands_lib.square_root_bands(bands)
    matrix = np.zeros((8, 8))
    for row in range(8):
      for column in range(max(row - bands + 1, 0), row + 1):
        matrix[row, column] = coefficients[row - column]
    expected = np.linalg.solve(matrix, _independent(8))
    np.testing.assert_allclose(_noise(_banded(bands), 8), expected, rtol=2e-5, atol=2e-5)

  def test_one_band_has_the_bits_of_independent_noise(self):
    np.testing.assert_array_equal(_noise(_banded(1), 3), _independent(3))

  def test_later_rounds_take_noise_away(self):
    totals = np.concatenate([_noise(_banded(4, seed=s), 8).sum(axis=0) for s in range(40)])
    independent = np.concatenate([_independent(8, seed=s).sum(axis=0) for s in range(40)])
    self.assertLess(totals.std(), 0.7 * independent.std())

  def test_clips_and_keeps_the_sum(self):
    query = _banded(3, noise_multiplier=0.0)
    state = query.initial_global_state()
    record = (tf.ones([2, 3]), tf.constant(np.sqrt(10.0), tf.float32))  # Of norm 4.
    clipped = query.preprocess_record(query.derive_sample_params(state), record)
    result, _, _ = query.get_noised_result(clipped, state)
    np.testing.assert_allclose(result[0], np.full((2, 3), 0.5), rtol=1e-6)
    np.testing.assert_allclose(result[1], np.sqrt(10) / 2, rtol=1e-6)


if __name__ == '__main__':
  absltest.main()
