"""Tests of noise that is drawn from a seed in a query's state."""

import dp_accounting
import numpy as np
import tensorflow as tf
from absl.testing import absltest
from tensorflow.python.framework import config as tf_config  # To undo is not exported.

from tff_lg.aggregators.factories import seeded_noise

_SPECS = (tf.TensorSpec([2, 3]), tf.TensorSpec([4]))


def _draws(num_rounds, seed, stream=seeded_noise.Stream.UPDATES):
  """Returns all numbers of some rounds, flat."""
  generator = seeded_noise.NoiseGenerator(1.0, _SPECS, seed, stream)
  state = generator.initialize()
  draws = []
  for _ in range(num_rounds):
    noise, state = generator.next(state)
    draws += [np.ravel(tensor) for tensor in noise]
  return np.concatenate(draws)


class NoiseGeneratorTest(absltest.TestCase):
  def test_repeats_by_seed(self):
    np.testing.assert_array_equal(_draws(3, seed=7), _draws(3, seed=7))

  def test_rounds_tensors_streams_and_neighbouring_seeds_share_nothing(self):
    draws = [_draws(3, seed) for seed in (7, 8, 9)]
    draws.append(_draws(3, 7, seeded_noise.Stream.COUNT))
    self.assertLen(np.unique(draws), 4 * 3 * 10)

  def test_bits_of_a_seed(self):
    # What a seed means is part of the library: a change here changes every run.
    expected = tf.random.stateless_normal([2, 3], seeded_noise.first_seed(7, 0))
    np.testing.assert_array_equal(_draws(1, seed=7)[:6], np.ravel(expected))
    key = np.random.SeedSequence(7, spawn_key=(0,)).generate_state(1, np.uint64)[0]
    np.testing.assert_array_equal(seeded_noise.first_seed(7, 0), [int(key) // 2, 0])

  def test_without_a_seed_never_repeats_and_keeps_none(self):
    self.assertLen(np.unique([_draws(2, None), _draws(2, None)]), 40)
    generator = seeded_noise.NoiseGenerator(1.0, _SPECS, None)
    _, state = generator.next(generator.initialize())
    np.testing.assert_array_equal(state.seeds, [0, 0])


class QueryTest(absltest.TestCase):
  def test_sum_query_carries_its_seed_on_and_tells_its_event(self):
    query = seeded_noise.GaussianSumQuery(2.0, 3.0, seed=7)
    state = query.initial_global_state()
    sums = (tf.ones([2, 3]), tf.ones([4]))
    result, state, event = query.get_noised_result(sums, state)
    np.testing.assert_allclose(
      np.concatenate([np.ravel(tensor) for tensor in result]), 1 + 3 * _draws(1, 7), rtol=1e-6
    )
    self.assertIsInstance(event, dp_accounting.GaussianDpEvent)
    self.assertAlmostEqual(float(event.noise_multiplier), 1.5)
    second, _, _ = query.get_noised_result(sums, state)
    self.assertLen(np.unique([*np.ravel(result[0]), *np.ravel(second[0])]), 12)

  def test_noise_is_drawn_where_operations_are_deterministic(self):
    # As on GPUs in a run. TensorFlow then refuses every random operation without a seed.
    tf.config.experimental.enable_op_determinism()
    self.addCleanup(tf_config.disable_op_determinism)
    for seed in (7, None):
      query = seeded_noise.adaptive_sum_query(2.0, 1.0, 20.0, seed)
      sample = query.initial_sample_state(tf.zeros([3]))
      noised, _, _ = query.get_noised_result(sample, query.initial_global_state())
      self.assertLen(np.unique(noised), 3)

  def test_adaptive_query_keeps_both_seeds_apart(self):
    query = seeded_noise.AdaptiveClipSumQuery(1.0, 1.0, 0.5, 0.2, 1.0, 4.0, seed=7)
    state = first = query.initial_global_state()
    for _ in range(3):
      sample = query.initial_sample_state((tf.zeros([2]), tf.zeros([3])))
      _, state, _ = query.get_noised_result(sample, state)
    seeds = [
      np.array(
        [
          s.sum_state.noise_seed,
          s.quantile_estimator_state.below_estimate_state.numerator_state.noise_seed,
        ]
      )
      for s in (first, state)
    ]
    # Two tensors a round in the sum, one in the count.
    np.testing.assert_array_equal(seeds[1] - seeds[0], [[6, 6], [3, 3]])
    self.assertNotEqual(seeds[0][0, 0], seeds[0][1, 0])


if __name__ == '__main__':
  absltest.main()
