"""Differential privacy: on both contexts the noise is as large as its formula says, and fresh.

Gaussian noise has no seed, so its moments are compared with the formula. Bounds are six standard
errors. A normal variable is outside of them with probability 2e-9. So all comparisons here together
fail by chance with probability below 1e-6.
"""

import collections

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.runtime import testing
from tff_lg.compatibility import tff

_DP = tff.aggregators.DifferentiallyPrivateFactory
_NUM_CLIENTS = 4
# Two tensors of as many coordinates.
_SHAPES = collections.OrderedDict(b=[10_000], a=[100, 100])
_SPECS = collections.OrderedDict((name, tf.TensorSpec(shape)) for name, shape in _SHAPES.items())
_TYPE = tff.to_type(
  collections.OrderedDict((name, (np.float32, shape)) for name, shape in _SHAPES.items())
)
_ZEROS = collections.OrderedDict(
  (name, np.zeros(shape, np.float32)) for name, shape in _SHAPES.items()
)
# Rounds of which one is without a sum that wraps around.
_DRAWS = 3
_STANDARD_ERRORS = 6


def setUpModule():
  global _STOCK, _OURS
  _STOCK, _OURS = testing.contexts()


def _run(context, process, value, rounds):
  """Returns the outputs of so many rounds in which all clients have these values."""
  outputs = []
  with testing.installed(context):
    state = process.initialize()
    for _ in range(rounds):
      outputs.append(process.next(state, value))
      state = outputs[-1].state
  return outputs


def _flat(structure):
  return np.concatenate([np.ravel(tensor) for tensor in tf.nest.flatten(structure)])


class NoiseTestCase(parameterized.TestCase):
  def assert_normal_moments(self, noise, stddev, wider=0.0):
    """Checks for mean zero and standard deviation `stddev`, to six standard errors.

    These are `stddev / sqrt(n)` and `stddev / sqrt(2 * n)`; `wider` is by how much, relative,
    the standard deviation may besides differ.
    """
    size = noise.size
    self.assertLess(abs(noise.mean(dtype=np.float64)), _STANDARD_ERRORS * stddev / size**0.5)
    error = _STANDARD_ERRORS * stddev / (2 * size) ** 0.5 + wider * stddev
    self.assertLess(abs(noise.std(dtype=np.float64) - stddev), error)

  def assert_uncorrelated(self, first, second):
    """Checks the correlation; for independent samples its standard error is `1 / sqrt(n)`."""
    correlation = np.corrcoef(np.ravel(first), np.ravel(second))[0, 1]
    self.assertLess(abs(correlation), _STANDARD_ERRORS / np.size(first) ** 0.5)

  def assert_fresh(self, results):
    """Checks that no tensor and no round has the noise of another."""
    tensors = [tensor for result in results for tensor in result.values()]
    for index, tensor in enumerate(tensors):
      for other in tensors[:index]:
        self.assert_uncorrelated(tensor, other)


def _value_noise_multiplier(total, clipped_count_stddev):
  """Returns the noise left for the values: Andrew et al. 2021, theorem 1."""
  return (total**-2 - (2 * clipped_count_stddev) ** -2) ** -0.5


class GaussianTest(NoiseTestCase):
  def test_fixed(self):
    # The sum gets noise of clip * noise_multiplier, and is divided by the clients expected.
    process = _DP.gaussian_fixed(noise_multiplier=2.0, clients_per_round=8, clip=3.0).create(_TYPE)
    for context in (_STOCK, _OURS):
      outputs = _run(context, process, [_ZEROS] * _NUM_CLIENTS, rounds=2)
      for output in outputs:
        self.assert_normal_moments(_flat(output.result), 2.0 * 3.0 / 8)
      self.assert_fresh([output.result for output in outputs])

  def test_fixed_adds_noise_to_the_clipped_mean(self):
    # Of norm 5000, clipped to 100: each coordinate from 25 to 0.5, and noise of 0.25.
    values = collections.OrderedDict(
      (name, np.full(shape, 5000 / 20_000**0.5, np.float32)) for name, shape in _SHAPES.items()
    )
    process = _DP.gaussian_fixed(0.01, _NUM_CLIENTS, 100.0).create(_TYPE)
    for context in (_STOCK, _OURS):
      (output,) = _run(context, process, [values] * _NUM_CLIENTS, rounds=1)
      self.assert_normal_moments(_flat(output.result) - 100 / 20_000**0.5, 0.25)

  @parameterized.named_parameters(
    (
      'aggregator',
      lambda: _DP.gaussian_adaptive(1.0, 4, initial_l2_norm_clip=2.0, clipped_count_stddev=1.0),
      (4, 2.0, 1.0),
    ),
    # A twentieth of the clients is the default of clipped_count_stddev.
    ('of_learning', lambda: tff.learning.dp_aggregator(1.0, 20, zeroing=True), (20, 0.1, 1.0)),
  )
  def test_adaptive(self, build, expected):
    clients_per_round, initial_clip, count_stddev = expected
    multiplier = _value_noise_multiplier(1.0, count_stddev)
    process = build().create(_TYPE)
    for context in (_STOCK, _OURS):
      clip, outputs = initial_clip, _run(context, process, [_ZEROS] * _NUM_CLIENTS, rounds=3)
      for output in outputs:
        self.assert_normal_moments(_flat(output.result), multiplier * clip / clients_per_round)
        measurements = output.measurements
        clip = measurements.get('zeroing', measurements)['dp_query_metrics']['clip']
      self.assert_fresh([output.result for output in outputs])


class AdaptiveClipTest(NoiseTestCase):
  def _clips(self, context, process, values, rounds):
    outputs = _run(context, process, values, rounds)
    return np.array([output.measurements['dp_query_metrics']['clip'] for output in outputs])

  def test_follows_the_clients_norms(self):
    # Andrew et al. 2021: clip *= exp(-learning_rate * (fraction not clipped - quantile)). The
    # count's noise of 0.001 moves the fraction by 0.00025.
    process = _DP.gaussian_adaptive(
      0.001,
      _NUM_CLIENTS,
      initial_l2_norm_clip=2.0,
      target_unclipped_quantile=0.6,
      learning_rate=0.5,
      clipped_count_stddev=0.001,
    ).create(tff.TensorType(np.float32, [1]))
    values = [np.float32([norm]) for norm in (0.5, 1.0, 1.9, 50.0)]
    # Of the norms three, then two, then again three are below the clip: by 2 % and more, so that
    # its noise decides about none.
    expected = 2.0 * np.exp(-0.5 * np.cumsum([0.75 - 0.6, 0.5 - 0.6, 0.75 - 0.6]))
    for context in (_STOCK, _OURS):
      clips = self._clips(context, process, values, rounds=3)
      errors = 0.5 * 0.00025 * np.sqrt([1, 2, 3])
      np.testing.assert_array_less(abs(np.log(clips / expected)), _STANDARD_ERRORS * errors)

  def test_noise_of_the_count(self):
    count_stddev, rounds = 0.2, 100
    process = _DP.gaussian_adaptive(
      0.1,
      _NUM_CLIENTS,
      initial_l2_norm_clip=1.0,
      learning_rate=0.2,
      clipped_count_stddev=count_stddev,
    ).create(tff.TensorType(np.float32, [1]))
    # Two of four are clipped, whatever the noise does: the clip should stay where it is.
    values = [np.float32([norm]) for norm in (0.0, 0.0, 1e6, 1e6)]
    for context in (_STOCK, _OURS):
      clips = self._clips(context, process, values, rounds)
      steps = np.diff(np.log(clips), prepend=0.0)
      noise = -steps / 0.2 * _NUM_CLIENTS
      self.assert_normal_moments(noise, count_stddev)
      self.assert_uncorrelated(noise[1:], noise[:-1])


class TreeTest(NoiseTestCase):
  @parameterized.parameters(
    # A leaf, a node of two leaves, that and a leaf, a node of four.
    (False, (1, 1, 2, 1)),
    # Honaker 2015: a node of d levels has variance 2^(d-1) / (2^d - 1).
    (True, (1, 2 / 3, 5 / 3, 4 / 7)),
  )
  def test_noise_of_sums_over_rounds(self, use_efficient, variances):
    process = _DP.tree_aggregation(
      noise_multiplier=2.0,
      clients_per_round=8,
      l2_norm_clip=3.0,
      record_specs=_SPECS,
      noise_seed=1,
      use_efficient=use_efficient,
    ).create(_TYPE)
    theirs, outputs = (
      _run(context, process, [_ZEROS] * _NUM_CLIENTS, len(variances)) for context in (_STOCK, _OURS)
    )
    # By its seed the noise is the same on both.
    for mine, other in zip(outputs, theirs, strict=True):
      testing.assert_same(mine.result, other.result)
      testing.assert_same(mine.measurements, other.measurements)
    sums = np.cumsum([_flat(output.result) for output in outputs], axis=0)
    for total, variance in zip(sums, variances, strict=True):
      self.assert_normal_moments(total, 2.0 * 3.0 / 8 * variance**0.5)
    self.assert_uncorrelated(outputs[0].result['b'], outputs[0].result['a'])

  def test_without_a_seed(self):
    process = _DP.tree_aggregation(2.0, 8, 3.0, _SPECS).create(_TYPE)
    noises = []
    for context in (_STOCK, _OURS, _OURS):
      (output,) = _run(context, process, [_ZEROS] * _NUM_CLIENTS, rounds=1)
      noises.append(_flat(output.result))
      self.assert_normal_moments(noises[-1], 2.0 * 3.0 / 8)
    self.assert_uncorrelated(noises[1], noises[2])

  def test_adaptive_with_restarts(self):
    # After rounds 1, 3 and 5 the tree starts anew, with the clip estimated by then. Two clients
    # are always clipped, and cancel out.
    multiplier = _value_noise_multiplier(0.1, 0.2)
    process = _DP.tree_adaptive(
      0.1,
      _NUM_CLIENTS,
      _SPECS,
      initial_l2_norm_clip=1.0,
      restart_warmup=1,
      restart_frequency=2,
      target_unclipped_quantile=0.9,
      clip_learning_rate=0.2,
      clipped_count_stddev=0.2,
      noise_seed=3,
    ).create(_TYPE)
    scales = (0.0, 1e3, 0.0, -1e3)
    values = [
      tf.nest.map_structure(lambda zeros, s=s: zeros + np.float32(s), _ZEROS) for s in scales
    ]
    firsts = []
    for context in (_STOCK, _OURS):
      outputs, clip = _run(context, process, values, rounds=5), 1.0
      firsts.append(outputs[0].result)
      for index, output in enumerate(outputs):
        self.assert_normal_moments(_flat(output.result), multiplier * clip / _NUM_CLIENTS)
        clips = output.measurements['dp_query_metrics']
        # The count's noise, of 0.2, has no seed.
        drift = abs(np.log(clips['estimate_clip']) - (index + 1) * 0.2 * (0.9 - 0.5))
        self.assertLess(drift, _STANDARD_ERRORS * 0.2 * 0.2 / _NUM_CLIENTS * (index + 1) ** 0.5)
        self.assertEqual(clips['current_clip'], clip if index % 2 else clips['estimate_clip'])
        clip = clips['current_clip']
      # The second and the third, of one tree, depend on each other.
      self.assert_fresh([outputs[index].result for index in (0, 1, 3)])
    testing.assert_same(*firsts)


class DistributedTest(NoiseTestCase):
  @parameterized.parameters('hd', 'dft')
  def test_noise_of_clients_adds_up(self, rotation):
    # With zeroing, TFF's computation is nested deeper than protobuf reads, on both contexts.
    process = tff.learning.ddp_secure_aggregator(
      0.3, _NUM_CLIENTS, zeroing=False, rotation_type=rotation
    ).create(_TYPE)
    stddev = _value_noise_multiplier(0.3, 0.05 * _NUM_CLIENTS) * 0.1 / _NUM_CLIENTS
    for context in (_STOCK, _OURS):
      # A sum that wraps around, one in 10^4, adds to all noise of its round, which has no seed.
      noises = [
        _flat(_run(context, process, [_ZEROS] * _NUM_CLIENTS, rounds=1)[0].result)
        for _ in range(_DRAWS)
      ]
      self.assert_normal_moments(min(noises, key=np.std), stddev, wider=0.01)


if __name__ == '__main__':
  absltest.main()
