"""Programs about TFF's aggregators, without noise."""

import collections

import numpy as np
import tensorflow as tf

from benchmarks.tff_programs import program
from tff_lg.compatibility import tff

AGGREGATORS = program.Programs('tff.aggregators')
LEARNING = program.Programs('tff.learning')

_PAIR = tff.TensorType(np.float32, [2])
_WEIGHT = tff.TensorType(np.float32)
# Norms 5, 0 and 10.
_VALUES = [np.array(value, np.float32) for value in ([3.0, 4.0], [0.0, 0.0], [6.0, 8.0])]
_WEIGHTS = [1.0, 0.0, 3.0]
_TOTAL, _MEAN, _WEIGHTED = [9.0, 12.0], [3.0, 4.0], [5.25, 7.0]
# A tensor that is large enough to be encoded, and one that is not.
_LARGE = tff.to_type(collections.OrderedDict(large=(np.float32, [40]), small=(np.float32, [2])))


def run(process, *arguments, rounds=1):
  """Returns what runs an aggregation process and gives the last round's output."""

  def call():
    state = process.initialize()
    for _ in range(rounds):
      output = process.next(state, *arguments)
      state = output.state
    return output

  return call


def result(process, *arguments, rounds=1):
  """Returns what runs an aggregation process and gives the last round's result."""
  call = run(process, *arguments, rounds=rounds)
  return lambda: call().result


def _unweighted(factory, rounds=1):
  return result(factory.create(_PAIR), _VALUES, rounds=rounds)


def _weighted(factory, rounds=1):
  return result(factory.create(_PAIR, _WEIGHT), _VALUES, _WEIGHTS, rounds=rounds)


@AGGREGATORS.add(_TOTAL)
def sum_factory():
  return _unweighted(tff.aggregators.SumFactory())


@AGGREGATORS.add(_WEIGHTED)
def mean_factory():
  return _weighted(tff.aggregators.MeanFactory())


@AGGREGATORS.add([0.0, 0.0])
def mean_without_weight():
  process = tff.aggregators.MeanFactory(no_nan_division=True).create(_PAIR, _WEIGHT)
  return result(process, _VALUES, [0.0, 0.0, 0.0])


@AGGREGATORS.add(_MEAN)
def unweighted_mean_factory():
  return _unweighted(tff.aggregators.UnweightedMeanFactory())


@AGGREGATORS.add(_TOTAL)
def as_weighted_aggregator():
  return _weighted(tff.aggregators.as_weighted_aggregator(tff.aggregators.SumFactory()))


# Clipped to norm 5, the third is as the first.
@AGGREGATORS.add([1.0 * 3.0 / 4 + 3.0 * 3.0 / 4, 4.0])
def clipping_factory():
  return _weighted(tff.aggregators.clipping_factory(5.0, tff.aggregators.MeanFactory()))


# The norm grows by exp(rate * (quantile - fraction below)): from 1 by exp(0.2 * (1 - 1/3)).
@AGGREGATORS.add([2 * np.exp(0.2 * 2 / 3) * 0.6, 2 * np.exp(0.2 * 2 / 3) * 0.8])
def clipping_to_an_estimated_norm():
  norm = tff.aggregators.PrivateQuantileEstimationProcess.no_noise(1.0, 1.0, 0.2)
  factory = tff.aggregators.clipping_factory(norm, tff.aggregators.SumFactory())
  return _unweighted(factory, rounds=2)


# The largest coordinates are 4, 0 and 8.
@AGGREGATORS.add([3.0, 4.0])
def zeroing_factory():
  factory = tff.aggregators.zeroing_factory(5.0, tff.aggregators.SumFactory(), norm_order=np.inf)
  return _unweighted(factory)


@AGGREGATORS.add({'a': 3.0, 'b': [4.0, 6.0]})
def concat_factory():
  value_type = tff.to_type(collections.OrderedDict(a=np.float32, b=(np.float32, [2])))
  process = tff.aggregators.concat_factory(tff.aggregators.SumFactory()).create(value_type)
  values = [
    collections.OrderedDict(a=np.float32(x), b=np.array([x, x + 1], np.float32)) for x in (1, 2)
  ]
  values[1]['b'] += 1.0
  return result(process, values)


@AGGREGATORS.add((_TOTAL, {'largest': 14.0, 'total': 21.0}))
def add_measurements():
  def at_clients(values):
    largest = tff.tensorflow.computation(lambda x: tf.reduce_sum(x), _PAIR)
    return collections.OrderedDict(largest=tff.federated_max(tff.federated_map(largest, values)))

  def at_server(total):
    add_up = tff.tensorflow.computation(lambda x: tf.reduce_sum(x), _PAIR)
    return collections.OrderedDict(total=tff.federated_map(add_up, total))

  factory = tff.aggregators.add_measurements(
    tff.aggregators.SumFactory(), client_measurement_fn=at_clients, server_measurement_fn=at_server
  )
  call = run(factory.create(_PAIR), _VALUES)

  def summed_and_measured():
    output = call()
    return output.result, output.measurements

  return summed_and_measured


@AGGREGATORS.add((_TOTAL, 0, 0))
def secure_sum_factory():
  call = run(tff.aggregators.SecureSumFactory(16.0, -16.0).create(_PAIR), _VALUES)

  def summed_and_measured():
    output = call()
    measured = output.measurements
    clipped = (measured[f'secure_{side}_clipped_count'] for side in ('upper', 'lower'))
    return np.round(output.result, 4), *clipped

  return summed_and_measured


# The range is +-4 in the first round, then +-(2 * 8 + 1), which clips nothing.
@AGGREGATORS.add(_TOTAL, atol=1e-4)
def secure_sum_of_an_estimated_range():
  bound = tff.aggregators.PrivateQuantileEstimationProcess.no_noise(
    4.0, 1.0, 5.0, multiplier=2.0, increment=1.0, secure_estimation=True
  )
  return _unweighted(tff.aggregators.SecureSumFactory(bound), rounds=2)


# 1 + 3 - 1 is 3 and 3 + 2 is -2 in the range from -3 to 3.
@AGGREGATORS.add([3, -2])
def secure_modular_sum_factory():
  factory = tff.aggregators.SecureModularSumFactory(4, symmetric_range=True)
  process = factory.create(tff.TensorType(np.int32, [2]))
  return result(process, [np.array(pair, np.int32) for pair in ([1, 3], [3, 2], [-1, 0])])


# 256 steps of 1/128 between -1 and 1: so exact.
@AGGREGATORS.add(2.0, atol=0.02)
def secure_quantized_sum():
  @tff.federated_computation(tff.FederatedType(np.float32, tff.CLIENTS))
  def computation(values):
    return tff.aggregators.secure_quantized_sum(values, np.float32(-1.0), np.float32(1.0))

  return lambda: computation([1.0, 0.5, 0.5])


@AGGREGATORS.add(_TOTAL, atol=1e-4)
def hadamard_transform_factory():
  return _unweighted(tff.aggregators.HadamardTransformFactory(num_repeats=2))


@AGGREGATORS.add(_TOTAL, atol=1e-4)
def discrete_fourier_transform_factory():
  return _unweighted(tff.aggregators.DiscreteFourierTransformFactory())


# As many as 255 steps between the smallest and the largest: here each number is one of them.
@AGGREGATORS.add({'large': [2.0, 2.0 * 255.0] * 20, 'small': [0.2, 0.4]}, atol=1e-2)
def encoded_sum_factory():
  factory = tff.aggregators.EncodedSumFactory.quantize_above_threshold(8, threshold=10)
  large, small = np.array([1.0, 255.0] * 20, np.float32), np.array([0.1, 0.2], np.float32)
  return result(factory.create(_LARGE), [collections.OrderedDict(large=large, small=small)] * 2)


@AGGREGATORS.add([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
def reservoir_sampling_factory():
  factory = tff.aggregators.UnweightedReservoirSamplingFactory(sample_size=5)
  call = result(factory.create(_PAIR), _VALUES)
  return lambda: sorted(call().tolist())


@AGGREGATORS.add([1.0, 2.0, 3.0])
def federated_sample():
  @tff.federated_computation(tff.FederatedType(np.float32, tff.CLIENTS))
  def computation(values):
    return tff.aggregators.federated_sample(values, 5)

  return lambda: sorted(computation([3.0, 1.0, 2.0]).tolist())


# Of 1, 2 and 7 all are above 1, then 1.105, then 1.221.
@AGGREGATORS.add(np.exp(0.2 * 0.5 * 1 - 0.2 * (1 / 3 - 0.5) * 2), atol=1e-4)
def private_quantile_estimation_process():
  process = tff.aggregators.PrivateQuantileEstimationProcess.no_noise(1.0, 0.5, 0.2)

  def call():
    state = process.initialize()
    for values in ([2.0, 3.0, 7.0], [1.0, 3.0, 7.0], [1.0, 3.0, 7.0]):
      state = process.next(state, values)
    return process.report(state)

  return call


def _learning(factory, rounds=1):
  return _weighted(factory, rounds)


@LEARNING.add(_WEIGHTED)
def robust_aggregator():
  return _learning(tff.learning.robust_aggregator(zeroing=True, clipping=False))


# It clips to a norm of one in the first round.
@LEARNING.add([0.6, 0.8])
def robust_aggregator_with_clipping():
  return _learning(tff.learning.robust_aggregator(zeroing=False, clipping=True))


@LEARNING.add([0.6, 0.8], atol=1e-3)
def secure_aggregator():
  return _learning(tff.learning.secure_aggregator(zeroing=False, clipping=True))


@LEARNING.add(_WEIGHTED)
def compression_aggregator():
  return _learning(tff.learning.compression_aggregator(zeroing=False, clipping=False))


# Norms 5, 0 and 10 with weights 1, 0 and 3.
@LEARNING.add(35.0 / 4)
def add_debug_measurements():
  factory = tff.learning.add_debug_measurements(tff.aggregators.MeanFactory())
  call = run(factory.create(_PAIR, _WEIGHT), _VALUES, _WEIGHTS)
  return lambda: call().measurements['average_client_norm']


@LEARNING.add(_WEIGHTED)
def add_debug_measurements_with_mixed_dtype():
  factory = tff.learning.add_debug_measurements_with_mixed_dtype(tff.aggregators.MeanFactory())
  return _weighted(factory)
