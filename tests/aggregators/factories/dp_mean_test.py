"""Tests of the differentially private mean: clip, noise, seeds, adaptation, tree."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing as learning_testing
from tff_lg import aggregators, learning, simulation
from tff_lg.compatibility import tff

_TYPE = tff.to_type((tff.TensorType(np.float32, [2, 2]), tff.TensorType(np.float32, [3])))
_BANDED = {'mechanism': 'banded', 'bands': 3}
_WIDE = tff.to_type((tff.TensorType(np.float32, [40000]),))


def setUpModule():
  simulation.set_execution_context()


def _factory(**changes):
  settings = {
    'noise_multiplier': 0.0,
    'clip_norm': 1.0,
    'clients_per_round': 4,
    'seed': 7,
  } | changes
  return aggregators.dp_mean(**settings)


def _updates(*norms):
  """Returns updates of the given L2 norms, in different directions."""
  generator = np.random.default_rng(1)
  result = []
  for norm in norms:
    values = generator.normal(size=7).astype(np.float32)
    values *= np.float32(norm / np.linalg.norm(values))
    result.append((values[:4].reshape(2, 2), values[4:]))
  return result


def _flat(update):
  return np.concatenate([np.ravel(leaf) for leaf in update])


def _run(process, updates, num_rounds, state=None):
  """Returns results of some rounds, flat, and the last state."""
  state = process.initialize() if state is None else state
  results = []
  for _ in range(num_rounds):
    output = process.next(state, updates)
    state = output.state
    results.append(_flat(output.result))
  return np.array(results), state


def _noise(num_rounds, **settings):
  """Returns the noise alone, of 40,000 coordinates, by round."""
  process = _factory(**settings).create(_WIDE)
  zeros = [(np.zeros(40000, np.float32),)] * 4
  return _run(process, zeros, num_rounds)[0]


class ClipTest(parameterized.TestCase):
  @parameterized.parameters(
    {}, {'clipping': 'adaptive'}, {'mechanism': 'tree'}, _BANDED, {'seed': None}
  )  # fmt: skip
  def test_is_the_mean_without_noise_where_nothing_is_clipped(self, **settings):
    updates = _updates(1.0, 2.0, 3.0, 4.0)
    process = _factory(clip_norm=100.0, **settings).create(_TYPE)
    results, _ = _run(process, updates, 2)
    expected = np.mean([_flat(update) for update in updates], axis=0)
    np.testing.assert_allclose(results, [expected, expected], rtol=1e-5, atol=1e-6)

  def test_clips_the_whole_update(self):
    (update,) = _updates(5.0)
    result, _ = _run(_factory(clients_per_round=1).create(_TYPE), [update], 1)
    np.testing.assert_allclose(result[0], _flat(update) / 5.0, rtol=1e-5)

  def test_divides_by_the_expected_cohort(self):
    updates = _updates(1.0, 1.0)
    result, _ = _run(_factory(clients_per_round=10).create(_TYPE), updates, 1)
    expected = sum(_flat(update) for update in updates) / 10
    np.testing.assert_allclose(result[0], expected, rtol=1e-5)

  @parameterized.parameters(0.1, 3.0, 1e6)
  def test_one_client_more_moves_the_sum_by_at_most_the_clip_norm(self, norm):
    updates = _updates(0.5, 2.0, 7.0, norm)
    process = _factory(clip_norm=3.0).create(_TYPE)
    without, _ = _run(process, updates[:3], 1)
    with_one_more, _ = _run(process, updates, 1)
    moved = 4 * np.linalg.norm(with_one_more - without)
    self.assertAlmostEqual(moved, min(norm, 3.0), places=4)

  def test_weights_do_not_count_and_absent_clients_send_zeros(self):
    factory = tff.aggregators.as_weighted_aggregator(_factory())
    process = factory.create(_TYPE, tff.TensorType(np.float32))
    (update, zero) = _updates(1.0, 0.0)
    output = process.next(process.initialize(), [update, zero], [300.0, 0.0])
    np.testing.assert_allclose(_flat(output.result), _flat(update) / 4, rtol=1e-5)


class NoiseTest(parameterized.TestCase):
  @parameterized.parameters(({}, 0.75), ({'seed': None}, 0.75), ({'mechanism': 'tree'}, 0.75))
  def test_is_gaussian_of_z_times_s_over_m(self, settings, expected):
    # 1.5 * 2 / 4; the standard error of a variance of 40,000 draws is 0.7 %.
    (noise,) = _noise(1, noise_multiplier=1.5, clip_norm=2.0, **settings)
    self.assertAlmostEqual(noise.mean(), 0.0, delta=0.015)
    self.assertAlmostEqual(noise.var() / expected**2, 1.0, delta=0.03)
    self.assertAlmostEqual(np.mean(noise**4) / noise.var() ** 2, 3.0, delta=0.15)

  def test_adaptive_clipping_leaves_part_of_the_noise_to_the_count(self):
    # z = 0.2 of a cohort of 4: the count's noise is 0.2, so 0.2^-2 - 0.4^-2 is left.
    (noise,) = _noise(1, noise_multiplier=0.2, clipping='adaptive')
    self.assertAlmostEqual(noise.std() * 4, (0.2**-2 - 0.4**-2) ** -0.5, delta=0.004)

  def test_adaptive_split_is_that_of_tff(self):
    ours = _factory(noise_multiplier=0.2, clipping='adaptive').create(_TYPE).initialize()
    theirs = tff.aggregators.DifferentiallyPrivateFactory.gaussian_adaptive(
      0.2, 4.0, initial_l2_norm_clip=1.0
    )
    theirs = theirs.create(_TYPE).initialize().query_state.numerator_state
    ours = ours.query_state.numerator_state
    self.assertEqual(ours.noise_multiplier, theirs.noise_multiplier)
    self.assertEqual(ours.sum_state.stddev, theirs.sum_state.stddev)
    counts = [
      state.quantile_estimator_state.below_estimate_state.numerator_state.stddev
      for state in (ours, theirs)
    ]
    self.assertEqual(counts[0], counts[1])

  def test_rounds_are_independent_but_in_the_tree(self):
    independent = _noise(4, noise_multiplier=4.0).sum(axis=0)
    self.assertAlmostEqual(independent.var(), 4.0, delta=0.12)
    # Honaker 2015: the best estimate from a whole tree of d levels has variance
    # 2^(d-1) / (2^d - 1); three rounds are a tree of two levels and one of one.
    total = _noise(4, noise_multiplier=4.0, mechanism='tree').cumsum(axis=0)
    np.testing.assert_allclose(total.var(axis=1), [1, 2 / 3, 2 / 3 + 1, 4 / 7], rtol=0.03)


class SeedTest(parameterized.TestCase):
  @parameterized.parameters(
    {}, {'clipping': 'adaptive'}, {'mechanism': 'tree'}, _BANDED
  )  # fmt: skip
  def test_repeats_and_resumes_from_a_saved_state(self, **settings):
    updates = _updates(0.5, 1.0, 2.0, 3.0)
    settings = {'noise_multiplier': 0.1} | settings
    process = _factory(**settings).create(_TYPE)
    results, _ = _run(process, updates, 5)
    again, state = _run(_factory(**settings).create(_TYPE), updates, 2)
    # As a checkpoint does: leaves to arrays, and back into the structure of a new state.
    leaves = [np.array(leaf) for leaf in tf.nest.flatten(state)]
    state = tf.nest.pack_sequence_as(process.initialize(), leaves)
    resumed, _ = _run(process, updates, 3, state)
    np.testing.assert_array_equal(np.concatenate([again, resumed]), results)
    self.assertLen(np.unique(results, axis=0), 5)
    other, _ = _run(_factory(**settings | {'seed': 8}).create(_TYPE), updates, 1)
    self.assertFalse(np.any(other[0] == results[0]))

  @parameterized.parameters(
    {}, {'clipping': 'adaptive'}, {'mechanism': 'tree'}, _BANDED
  )  # fmt: skip
  def test_without_a_seed_never_repeats_and_keeps_no_seed(self, **settings):
    process = _factory(noise_multiplier=0.1, seed=None, **settings).create(_TYPE)
    updates = _updates(1.0)
    first, state = _run(process, updates, 2)
    second, _ = _run(process, updates, 2)
    self.assertLen(np.unique(np.concatenate([first, second])), 28)
    seeds = [leaf for leaf in tf.nest.flatten(state) if np.asarray(leaf).dtype == np.int64]
    np.testing.assert_array_equal(seeds, np.zeros_like(seeds))


class AdaptationTest(absltest.TestCase):
  def test_clip_norm_moves_towards_the_median_norm(self):
    updates = _updates(1.0, 2.0, 4.0, 8.0)  # The median lies between 2 and 4.
    for start in (0.1, 50.0):
      process = _factory(clip_norm=start, clipping='adaptive').create(_TYPE)
      state = process.initialize()
      clips = [start]
      for _ in range(60):
        output = process.next(state, updates)
        state = output.state
        clips.append(float(output.measurements['dp_query_metrics']['clip']))
      self.assertBetween(clips[-1], 2.0, 4.0)
      # All norms above (below) the clip: it grows (shrinks) by exp(0.2 * 0.5).
      self.assertAlmostEqual(abs(np.log(clips[1] / start)), 0.1, places=5)


class InAlgorithmsTest(parameterized.TestCase):
  @parameterized.parameters({}, {'clipping': 'adaptive'}, {'mechanism': 'tree'}, _BANDED)
  def test_in_our_process(self, **settings):
    model = learning_testing.linear_model()
    process = learning.build_local_global_process(
      model,
      learning_testing.settings(
        aggregator=_factory(clip_norm=100.0, clients_per_round=2, **settings)
      ),
    )
    # From base 1 and head 2 the first client steps to 0.6 and 1.8; the second cannot.
    data = [learning_testing.tensors((1, 1)), learning_testing.tensors((1, np.nan))]
    output = process.next(
      process.initialize(model.initial_weights),
      [process.initialize_client(model.initial_weights)] * 2,
      data,
    )
    np.testing.assert_allclose(np.ravel(output.server_state.global_weights), [0.8, 1.9], rtol=1e-6)
    self.assertEqual(output.metrics.num_clients_left_out, 1)

  @parameterized.parameters({}, {'mechanism': 'tree'}, _BANDED)
  def test_in_tff_learning(self, **settings):
    def model_fn():
      keras_model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, kernel_initializer='zeros', input_shape=(2,))]
      )
      return tff.learning.models.from_keras_model(
        keras_model,
        loss=tf.keras.losses.MeanSquaredError(),
        input_spec=(tf.TensorSpec([None, 2]), tf.TensorSpec([None, 1])),
      )

    process = tff.learning.algorithms.build_unweighted_fed_avg(
      model_fn,
      client_optimizer_fn=tff.learning.optimizers.build_sgdm(0.5),
      server_optimizer_fn=tff.learning.optimizers.build_sgdm(1.0),
      model_aggregator=_factory(noise_multiplier=1e-6, clip_norm=0.5, **settings),
    )
    # The gradient is (-2, 0) and -2 for the bias: the step (1, 0), 1 is clipped to 0.5.
    data = tf.data.Dataset.from_tensors(([[1.0, 0.0]], [[1.0]]))
    output = process.next(process.initialize(), [data] * 4)
    kernel, bias = process.get_model_weights(output.state).trainable
    np.testing.assert_allclose(np.ravel(kernel), [0.5**1.5, 0.0], atol=1e-4)
    np.testing.assert_allclose(bias, [0.5**1.5], atol=1e-4)


class RefusalTest(parameterized.TestCase):
  @parameterized.parameters(
    ({'noise_multiplier': -1.0}, 'noise_multiplier is -1.0; it must not be negative.'),
    ({'clip_norm': 0.0}, 'clip_norm is 0.0; it must be positive.'),
    ({'clients_per_round': 0}, 'clients_per_round is 0; it must be at least 1.'),
    ({'seed': -1}, 'seed is -1; it must not be negative, or None.'),
    ({'clipping': 'none'}, "clipping is 'none'; it must be fixed or adaptive."),
    ({'mechanism': 'laplace'}, "mechanism is 'laplace'; it must be gaussian or tree or banded."),
    ({'clipping': 'adaptive', 'mechanism': 'tree'}, 'mechanism tree needs fixed clipping'),
    ({'clipping': 'adaptive', **_BANDED}, 'mechanism banded needs fixed clipping'),
    ({'bands': 0}, 'bands is 0; it must be at least 1.'),
    (
      {'clipping': 'adaptive', 'noise_multiplier': 0.4},
      'noise_multiplier is 0.4; adaptive clipping .* below a tenth of clients_per_round, 0.4.',
    ),
  )
  def test_refuses(self, settings, message):
    with self.assertRaisesRegex(ValueError, message):
      _factory(**settings)


if __name__ == '__main__':
  absltest.main()
