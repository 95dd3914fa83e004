"""TFF's aggregators give the same on TFF's context and on ours."""

import collections

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff
from absl.testing import absltest, parameterized

from tests.runtime import testing

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
    0.001, 3, initial_l2_norm_clip=1.0
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
}
# Rounded at random: equal in the mean only.
_ROUNDED = {
  'encoded': (
    lambda: _agg.MeanFactory(_agg.EncodedSumFactory.quantize_above_threshold(8, threshold=2)),
    0.5,
  ),
  'compression': (lambda: tff.learning.compression_aggregator(), 5.0),
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
    # The adaptive one must have some noise, in what it counts.
    atol = 0.2 if build is _UNWEIGHTED['dp_adaptive'] else 1e-5
    testing.assert_same(ours.result, theirs.result, atol=atol)
    if build is not _UNWEIGHTED['dp_adaptive']:
      testing.assert_same(ours.measurements, theirs.measurements)

  @parameterized.named_parameters(_WEIGHTED.items())
  def test_weighted(self, build):
    testing.assert_same(
      *self._both(build, (_TYPE, _VALUES), (tff.TensorType(np.float32), _WEIGHTS))
    )

  @parameterized.named_parameters((name, *case) for name, case in _ROUNDED.items())
  def test_rounded_at_random(self, build, atol):
    ours, theirs = self._both(build, (_TYPE, _VALUES), (tff.TensorType(np.float32), _WEIGHTS))
    testing.assert_same(ours.result, theirs.result, atol=atol)

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


if __name__ == '__main__':
  absltest.main()
