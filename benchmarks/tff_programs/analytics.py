"""Programs about federated analytics: counts, histograms and heavy hitters."""

import collections
import math

import numpy as np
import tensorflow as tf

from benchmarks.tff_programs import aggregators, program
from tff_lg.compatibility import tff

ANALYTICS = program.Programs('tff.analytics')
HEAVY_HITTERS = program.Programs('tff.analytics.heavy_hitters.iblt')

_WORDS = tff.SequenceType(tff.TensorType(np.str_, [None]))
# Five times a, three times b, once c.
_CLIENTS = (['a', 'b', 'a', 'c'], ['a', 'b', 'b'], ['a', 'a'])


def _batches(words):
  return tf.data.Dataset.from_tensor_slices(words).batch(1)


def _on_words(function):
  """Returns a function of a client's data set of words, on the first client's."""
  computation = tff.tensorflow.computation(function, _WORDS)
  return lambda: computation(_batches(_CLIENTS[0]))


@ANALYTICS.add(['a', 'b', 'a', 'c'])
def all_elements():
  return _on_words(lambda data: tff.analytics.data_processing.get_all_elements(data))


@ANALYTICS.add(['a', 'b'])
def capped_elements():
  return _on_words(lambda data: tff.analytics.data_processing.get_capped_elements(data, 2))


@ANALYTICS.add((['a', 'b'], [2, 1]))
def capped_elements_with_counts():
  return _on_words(
    lambda data: tff.analytics.data_processing.get_capped_elements_with_counts(data, 3)
  )


@ANALYTICS.add(['a', 'b', 'c'])
def unique_elements():
  return _on_words(lambda data: tff.analytics.data_processing.get_unique_elements(data))


@ANALYTICS.add((['a', 'b', 'c'], [2, 1, 1]))
def unique_elements_with_counts():
  return _on_words(lambda data: tff.analytics.data_processing.get_unique_elements_with_counts(data))


@ANALYTICS.add((['a'], [2]))
def top_elements_with_counts():
  return _on_words(lambda data: tff.analytics.data_processing.get_top_elements_with_counts(data, 1))


@ANALYTICS.add((['a'], ['a', 'a']))
def top_elements():
  def top(data):
    return (
      tff.analytics.data_processing.get_top_elements(data, 1),
      tff.analytics.data_processing.get_top_multi_elements(data, 1),
    )

  return _on_words(top)


@ANALYTICS.add([[1, 2], [3, 4]])
def stacked_tensor():
  computation = tff.tensorflow.computation(
    tff.analytics.data_processing.to_stacked_tensor, tff.SequenceType((np.int32, [2]))
  )
  data = tf.data.Dataset.from_tensor_slices(np.array([[1, 2], [3, 4]], np.int32))
  return lambda: computation(data)


@ANALYTICS.add((['a', 'b'], [5.0, 3.0]))
def threshold_histogram():
  computation = tff.tensorflow.computation(
    lambda keys, values: tff.analytics.histogram_processing.threshold_histogram(keys, values, 3.0),
    (np.str_, [None]),
    (np.float32, [None]),
  )
  return lambda: computation(['a', 'c', 'b'], np.array([5.0, 1.0, 3.0], np.float32))


# Balle and Wang 2018, theorem 8: with this noise, epsilon = 1 holds at this delta and no smaller.
@ANALYTICS.add(1e-5, atol=1e-9)
def analytic_gauss_stddev():
  def call():
    sigma = tff.analytics.differential_privacy.analytic_gauss_stddev(1.0, 1e-5, norm_bound=1.0)

    def phi(x):
      return math.erfc(-x / 2**0.5) / 2

    first, second = phi(1 / (2 * sigma) - sigma), phi(-1 / (2 * sigma) - sigma)
    return first - math.e * second

  return call


_HASHES = np.array([0, 1, 2**31, 2**27 + 4], np.int64)
# By the 5 bits before the last 27: the place of the first bit that is set in those 27.
_SKETCH = np.zeros(32, np.int64)
_SKETCH[[0, 16, 1]] = [28, 28, 25]


@ANALYTICS.add(_SKETCH)
def client_hyperloglog():
  computation = tff.analytics.count_distinct.build_client_hyperloglog_computation()
  data = tf.data.Dataset.from_tensor_slices(_HASHES)
  return lambda: computation(data)


@ANALYTICS.add(np.arange(32) // 2 + 3)
def federated_secure_max():
  computation = tff.analytics.count_distinct.build_federated_secure_max_computation()
  sketches = [np.arange(32, dtype=np.int64) // 2 + shift for shift in (1, 3, 0)]
  return lambda: computation(sketches)


def _distinct(use_secagg):
  """Tells if the estimate of 600 strings is within three standard errors, 1.04 / 32**.5."""
  computation = tff.analytics.count_distinct.create_federated_hyperloglog_computation(
    use_secagg=use_secagg
  )
  data = [
    tf.data.Dataset.from_tensor_slices([f'word {number}' for number in range(start, start + 300)])
    for start in (0, 150, 300)
  ]
  return lambda: bool(abs(computation(data) / 600 - 1) < 3 * 1.04 / 32**0.5)


@ANALYTICS.add(True)
def federated_hyperloglog():
  return _distinct(use_secagg=False)


@ANALYTICS.add(True)
def federated_hyperloglog_with_secure_sums():
  return _distinct(use_secagg=True)


@ANALYTICS.add((['a', 'b', 'c'], [5, 3, 1], 0))
def iblt_factory():
  factory = tff.analytics.IbltFactory(capacity=10, string_max_bytes=5, repetitions=3, seed=1)
  value_type = tff.SequenceType(
    collections.OrderedDict(key=np.str_, value=tff.TensorType(np.int64, [1]))
  )
  counts = [collections.Counter(words) for words in _CLIENTS]
  data = [
    tf.data.Dataset.from_tensor_slices(
      collections.OrderedDict(
        key=list(count), value=np.array([[n] for n in count.values()], np.int64)
      )
    )
    for count in counts
  ]
  call = aggregators.result(factory.create(value_type), data)

  def hitters():
    output = call()
    words, values = _in_order(output.output_strings, np.squeeze(output.string_values, 1))
    return words, values, output.num_not_decoded

  return hitters


@ANALYTICS.add(([[5], [3, 2], [1, 2, 1, 1]], 3, (0.25, 0.5)))
def hierarchical_histogram():
  """Returns counts by interval, how many values lie in [0.25, 0.75], and the median."""
  process = tff.analytics.build_hierarchical_histogram_process(
    lower_bound=0, upper_bound=1, num_bins=4, max_records_per_user=5, expected_clients_per_round=2
  )
  data = [
    tf.data.Dataset.from_tensor_slices(np.array(values, np.float32))
    for values in ([0.1, 0.3], [0.9, 0.3, 0.6])
  ]

  def call():
    state, _ = process.next(process.initialize(), data)
    tree = tf.RaggedTensor.from_nested_row_splits(**state.aggregated_hierarchical_histogram)
    decoder = tff.analytics.HierarchicalHistogramDecoder(tree, lower_bound=0, upper_bound=1)
    return tree.to_list(), decoder.range_query(1, 2), decoder.quantile_query(0.5)

  return call


def _in_order(words, counts):
  """Returns words by their counts, the largest first."""
  pairs = sorted(zip(counts, words, strict=True), reverse=True)
  return [word for _, word in pairs], [count for count, _ in pairs]


def _hitters(**options):
  """Returns words, how many clients have them, and how often."""
  computation = tff.analytics.heavy_hitters.iblt.build_iblt_computation(
    capacity=20, string_max_bytes=5, seed=1, **options
  )
  data = [_batches(words) for words in _CLIENTS]

  def call():
    output = computation(data)
    words, counts = _in_order(output.heavy_hitters, output.heavy_hitters_counts)
    return words, counts, output.clients, output.num_not_decoded

  return call


@HEAVY_HITTERS.add((['a', 'b', 'c'], [5, 3, 1], 3, 0))
def iblt_computation():
  return _hitters()


@HEAVY_HITTERS.add((['a', 'b', 'c'], [[5, 3], [3, 2], [1, 1]]))
def clipping_iblt_factory():
  factory = tff.analytics.heavy_hitters.iblt.ClippingIbltFactory(
    tff.analytics.IbltFactory(capacity=10, string_max_bytes=5, repetitions=3),
    string_max_bytes=5,
    unique_counts=True,
  )
  call = aggregators.result(factory.create(_WORDS), [_batches(words) for words in _CLIENTS])

  def hitters():
    output = call()
    order = np.argsort(-output.string_values[:, 0])
    return np.asarray(output.output_strings)[order].tolist(), output.string_values[order]

  return hitters


@HEAVY_HITTERS.add((['ab', 'ü'], [1, 2], 0))
def encoder_and_decoder():
  @tff.tensorflow.computation((np.str_, [None]), (np.int64, [None]))
  def computation(words, counts):
    encoder = tff.analytics.heavy_hitters.iblt.IbltEncoder(capacity=10, string_max_bytes=4, seed=2)
    sketch = encoder.compute_iblt(words, counts)
    return tff.analytics.heavy_hitters.iblt.decode_iblt_tf(
      iblt=sketch, capacity=10, string_max_bytes=4, seed=2
    )

  def call():
    words, counts, not_decoded = computation(['ü', 'ab'], np.array([2, 1], np.int64))
    order = np.argsort(counts)
    return np.asarray(words)[order].tolist(), counts[order], not_decoded

  return call


@HEAVY_HITTERS.add(['ab', 'cde'])
def chunker():
  @tff.tensorflow.computation((np.str_, [None]))
  def computation(words):
    chunker = tff.analytics.heavy_hitters.iblt.create_chunker(string_max_bytes=5)
    chunks, _ = chunker.encode_tensorflow(words)
    return chunker.decode_tensorflow(chunks)

  return lambda: computation(['ab', 'cde'])
