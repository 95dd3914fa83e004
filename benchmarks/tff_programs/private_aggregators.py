"""Programs about aggregators that add noise: its standard deviation as a multiple of the formula's.

The standard error of a standard deviation of n draws is 1 / sqrt(2 n) of it: 0.7 % of 10,000.
"""

import numpy as np
import tensorflow as tf

from benchmarks.tff_programs import aggregators, program
from tff_lg.compatibility import tff, tfp

AGGREGATORS = program.Programs('tff.aggregators')
LEARNING = program.Programs('tff.learning')

_SIZE = 10_000
_ERROR = 0.05  # Seven standard errors.
_TYPE = tff.TensorType(np.float32, [_SIZE])
_SPEC = tf.TensorSpec([_SIZE])
_ZEROS = [np.zeros(_SIZE, np.float32)] * 4


def _noise(factory, stddev):
  call = aggregators.result(factory.create(_TYPE), _ZEROS)

  def relative_to_the_formula():
    noise = call()
    return np.std(noise) / stddev

  return relative_to_the_formula


def _value_noise(total, clipped_count_stddev):
  """Returns what is left for the values: Andrew et al. 2021, theorem 1."""
  return (total**-2 - (2 * clipped_count_stddev) ** -2) ** -0.5


# A sum gets noise of the clip times the multiplier, and is divided by the clients expected.
@AGGREGATORS.add(1.0, atol=_ERROR)
def gaussian_fixed():
  factory = tff.aggregators.DifferentiallyPrivateFactory.gaussian_fixed(2.0, 8, 3.0)
  return _noise(factory, 2.0 * 3.0 / 8)


@AGGREGATORS.add(1.0, atol=_ERROR)
def gaussian_adaptive():
  factory = tff.aggregators.DifferentiallyPrivateFactory.gaussian_adaptive(
    1.0, 4, initial_l2_norm_clip=2.0, clipped_count_stddev=1.0
  )
  return _noise(factory, _value_noise(1.0, 1.0) * 2.0 / 4)


@AGGREGATORS.add(1.0, atol=_ERROR)
def tree_aggregation():
  factory = tff.aggregators.DifferentiallyPrivateFactory.tree_aggregation(
    2.0, 8, 3.0, record_specs=_SPEC
  )
  return _noise(factory, 2.0 * 3.0 / 8)


@AGGREGATORS.add(1.0, atol=_ERROR)
def tree_adaptive():
  factory = tff.aggregators.DifferentiallyPrivateFactory.tree_adaptive(
    0.1, 4, record_specs=_SPEC, initial_l2_norm_clip=1.0, clipped_count_stddev=0.2, noise_seed=3
  )
  return _noise(factory, _value_noise(0.1, 0.2) * 1.0 / 4)


@AGGREGATORS.add([3.0, 4.0])
def sum_of_a_query():
  query = tfp.GaussianSumQuery(l2_norm_clip=2.5, stddev=0.0)
  factory = tff.aggregators.DifferentiallyPrivateFactory(query)
  process = factory.create(tff.TensorType(np.float32, [2]))
  return aggregators.result(process, [np.array([30.0, 40.0], np.float32)] * 2)


@LEARNING.add(1.0, atol=_ERROR)
def dp_aggregator():
  # A twentieth of the clients is the noise of the count, 0.1 the first clip.
  return _noise(
    tff.learning.dp_aggregator(1.0, 20, zeroing=True), _value_noise(1.0, 1.0) * 0.1 / 20
  )


@LEARNING.add(1.0, atol=_ERROR)
def ddp_secure_aggregator():
  factory = tff.learning.ddp_secure_aggregator(0.3, 4, zeroing=False)
  return _noise(factory, _value_noise(0.3, 0.05 * 4) * 0.1 / 4)
