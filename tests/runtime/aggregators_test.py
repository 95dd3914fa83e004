"""TFF's aggregators give the same on TFF's context and on ours.

Their noise is in `private_aggregators_test`.
"""

import collections

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.runtime import testing
from tff_lg.compatibility import tff

_agg = tff.aggregators
_TYPE = tff.to_type(collections.OrderedDict(b=(np.float32, [3]), a=(np.float32, [20, 2])))
_SPECS = collections.OrderedDict(b=tf.TensorSpec([3]), a=tf.TensorSpec([20, 2]))
_RNG = np.random.default_rng(0)
_VALUES = [
  collections.OrderedDict(
    b=_RNG.random(3, np.float32), a=np.float32(scale) * _RNG.random((20, 2), np.float32)
  )
  for scale in (1, 2, 50)
]
_WEIGHTS = [1.0, 0.0, 3.0]


def setUpModule():
  global _STOCK, _OURS
  _STOCK, _OURS = testing.contexts()


def _tree():
  return _agg.DifferentiallyPrivateFactory.tree_aggregation(
    noise_multiplier=0.0,
    clients_per_round=3,
    l2_norm_clip=1.0,
    record_specs=_SPECS,
    noise_seed=1,
    use_efficient=True,
  )


_UNWEIGHTED = {
  'sum': _agg.SumFactory,
  'mean': _agg.UnweightedMeanFactory,
  'dp_fixed': lambda: _agg.DifferentiallyPrivateFactory.gaussian_fixed(0.0, 3, 1.0),
  'dp_adaptive': lambda: _agg.DifferentiallyPrivateFactory.gaussian_adaptive(
    0.0, 3, initial_l2_norm_clip=1.0
  ),
  'dp_tree': _tree,
  'secure': lambda: _agg.SecureSumFactory(100.0, -100.0),
  'secure_adaptive': lambda: _agg.SecureSumFactory(
    _agg.PrivateQuantileEstimationProcess.no_noise(100.0, 0.9, 0.2)
  ),
  'clipping_adaptive': lambda: _agg.clipping_factory(
    _agg.PrivateQuantileEstimationProcess.no_noise(1.0, 0.5, 0.2), _agg.SumFactory()
  ),
  'concatenated': lambda: _agg.concat_factory(_agg.SumFactory()),
}
_WEIGHTED = {
  'mean': _agg.MeanFactory,
  'clipping_zeroing': lambda: _agg.zeroing_factory(
    30.0, _agg.clipping_factory(2.0, _agg.MeanFactory()), norm_order=np.inf
  ),
  'robust': lambda: tff.learning.robust_aggregator(zeroing=True, clipping=True),
  'secure': lambda: tff.learning.secure_aggregator(zeroing=True, clipping=True),
  'encoded_to_the_nearest': lambda: _agg.MeanFactory(
    _agg.EncodedSumFactory.quantize_above_threshold(8, threshold=2, stochastic=False)
  ),
}


class AggregatorsTest(parameterized.TestCase):
  def _both(self, build, *types_and_arguments, rounds=2):
    types, arguments = zip(*types_and_arguments, strict=True)
    process = build().create(*types)

    def run():
      state = process.initialize()
      for _ in range(rounds):
        output = process.next(state, *arguments)
        state = output.state
      return output

    with testing.installed(_STOCK):
      theirs = run()
    with testing.installed(_OURS):
      ours = run()
    return ours, theirs

  @parameterized.named_parameters(_UNWEIGHTED.items())
  def test_unweighted(self, build):
    ours, theirs = self._both(build, (_TYPE, _VALUES))
    testing.assert_same(ours.result, theirs.result)
    testing.assert_same(ours.measurements, theirs.measurements)

  @parameterized.named_parameters(_WEIGHTED.items())
  def test_weighted(self, build):
    testing.assert_same(
      *self._both(build, (_TYPE, _VALUES), (tff.TensorType(np.float32), _WEIGHTS))
    )

  def test_quantile_estimation(self):
    process = _agg.PrivateQuantileEstimationProcess.no_noise(1.0, 0.5, 0.2)
    results = []
    for context in (_STOCK, _OURS):
      with testing.installed(context):
        state = process.initialize()
        for _ in range(5):
          state = process.next(state, [1.0, 2.0, 7.0])
        results.append(process.report(state))
    testing.assert_same(*results)


_MANY = 21_000  # The aggregator of tff.learning compresses tensors of more than 20,000.
_FEW = 7
_LARGE_TYPE = tff.to_type(
  collections.OrderedDict(many=(np.float32, [_MANY]), few=(np.float32, [_FEW]))
)
_ROUNDED = {
  # The factory, its quantisation steps, and a client's factor by the norm of its values.
  'encoded': (
    lambda: _agg.MeanFactory(_agg.EncodedSumFactory.quantize_above_threshold(8, threshold=_FEW)),
    255,
    lambda norm: 1.0,
  ),
  'four_bits': (
    lambda: _agg.MeanFactory(_agg.EncodedSumFactory.quantize_above_threshold(4, threshold=_FEW)),
    15,
    lambda norm: 1.0,
  ),
  # In the first round it clips to a norm of one.
  'compression': (tff.learning.compression_aggregator, 255, lambda norm: min(1.0, 1.0 / norm)),
}


class RoundedAtRandomTest(parameterized.TestCase):
  """Quantisation rounds up or down at random, such that the expected value is exact."""

  @parameterized.named_parameters((name, *case) for name, case in _ROUNDED.items())
  def test_error(self, build, num_steps, clip):
    rng = np.random.default_rng(1)
    weights = [1.0, 3.0, 2.0]
    values = [
      collections.OrderedDict(
        many=rng.uniform(-1, 2, _MANY).astype(np.float32),
        few=rng.uniform(-1, 2, _FEW).astype(np.float32),
      )
      for _ in weights
    ]
    factors = [
      weight * clip(np.linalg.norm([*value['many'], *value['few']]))
      for value, weight in zip(values, weights, strict=True)
    ]
    terms = {
      name: np.stack([factor * value[name] for factor, value in zip(factors, values, strict=True)])
      for name in ('many', 'few')
    }
    steps = np.ptp(terms['many'], axis=1, keepdims=True) / num_steps
    above = (terms['many'] - terms['many'].min(axis=1, keepdims=True)) / steps % 1.0
    total = sum(weights)
    process = build().create(_LARGE_TYPE, tff.TensorType(np.float32))
    errors = []
    for context in (_STOCK, _OURS):
      with testing.installed(context):
        result = process.next(process.initialize(), values, weights).result
      np.testing.assert_allclose(result['few'], terms['few'].sum(axis=0) / total, rtol=1e-5)
      error = result['many'] - terms['many'].sum(axis=0) / total
      # No more than a step of each client, and rounding of floats.
      largest = steps.sum() / total
      self.assertLess(abs(error).max(), 1.001 * largest)
      # By Hoeffding's inequality, six times these standard errors have odds below 2 exp(-18), or
      # 3e-8, as a client's error is within one step, and their sum's square within `largest ** 2`.
      standard_error = (steps**2).sum() ** 0.5 / total / 2 / _MANY**0.5
      self.assertLess(abs(error.mean(dtype=np.float64)), 6 * standard_error)
      # Did clients draw the same, or round to the nearest, this would differ by more.
      variance = (steps**2 * above * (1 - above)).sum(axis=0).mean() / total**2
      standard_error = largest**2 / 2 / _MANY**0.5
      self.assertLess(abs(np.mean(error**2, dtype=np.float64) - variance), 6 * standard_error)
      errors.append(error)
    # Each draws for itself.
    self.assertLess(abs(np.corrcoef(errors)[0, 1]), 6 / _MANY**0.5)


class OutOfRangeTest(parameterized.TestCase):
  """Secure sums clip what is out of their range, and count it."""

  def _next_on_both(self, factory, value_type, values):
    process = factory.create(value_type)
    outputs = []
    for context in (_STOCK, _OURS):
      with testing.installed(context):
        outputs.append(process.next(process.initialize(), values))
    theirs, ours = outputs
    testing.assert_same(ours.result, theirs.result)
    testing.assert_same(ours.measurements, theirs.measurements)
    return ours

  @parameterized.parameters(
    (_agg.SecureSumFactory(10, -4), np.int32, 10 - 4 + 3),
    (_agg.SecureSumFactory(10.0, -4.0), np.float32, 10.0 - 4.0 + 3.0),
  )
  def test_clips(self, factory, dtype, expected):
    values = [dtype([99, 1]), dtype([-99, 1]), dtype([3, 1])]
    output = self._next_on_both(factory, tff.TensorType(dtype, [2]), values)
    np.testing.assert_allclose(output.result, [expected, 3], atol=1e-5)
    measurements = output.measurements
    self.assertEqual(measurements['secure_upper_clipped_count'], 1)
    self.assertEqual(measurements['secure_lower_clipped_count'], 1)
    self.assertEqual(measurements['secure_upper_threshold'], 10)
    self.assertEqual(measurements['secure_lower_threshold'], -4)

  @parameterized.parameters(
    # 1 + 3 + 6 is 2 modulo 4.
    (False, [1, 3, 6], 2),
    # Modulo 7, from -3 to 3: 1 + 3 - 1 is 3, and 3 + 2 is -2.
    (True, [1, 3, 6], 3),
    (True, [3, 2], -2),
    (True, [-3, -2], 2),
  )
  def test_wraps_around(self, symmetric, values, expected):
    factory = _agg.SecureModularSumFactory(4, symmetric_range=symmetric)
    output = self._next_on_both(factory, tff.TensorType(np.int32), values)
    self.assertEqual(output.result, expected)


if __name__ == '__main__':
  absltest.main()
