"""Queries of tensorflow_privacy whose Gaussian noise is drawn from a seed, or from the system.

`tfp.GaussianSumQuery` draws its noise by an operation with a hidden state, so that a run cannot be
repeated. Here the seed of the next draw is part of the query's state. The same seed gives the same
bits, and every round draws new noise. A saved state continues as if the run had not stopped.
Clipping, adaptation and tree are tfp's.
"""

import collections
import enum
import os
from collections.abc import Sequence
from typing import Any

import dp_accounting
import numpy as np
import tensorflow as tf

from tff_lg.compatibility import tfp

_QUANTILE = 0.5
_CLIP_LEARNING_RATE = 0.2
# Of the noise on the count of adaptive clipping, as a share of the cohort.
COUNT_STDDEV = 0.05


class Stream(enum.IntEnum):
  """The streams of noise; the numbers are part of the meaning of a seed."""

  UPDATES = 0
  COUNT = 1


class NoiseGenerator(tfp.tree_aggregation.GaussianNoiseGenerator):
  """Draws Gaussian noise from a seed that its state carries on.

  tfp's own generator starts from (seed, seed) and adds one for each tensor, so that
  neighbouring seeds give the same noise some rounds apart. This one starts from
  (a key of the seed and the stream, 0), and no two draws of two seeds meet.
  """

  def __init__(
    self, stddev: float, specs: Any, seed: int | None, stream: Stream = Stream.UPDATES
  ) -> None:
    """Prepares the generator.

    Args:
      stddev: of the noise.
      specs: structure of `tf.TensorSpec`, the noise's shapes.
      seed: not negative. None draws a fresh seed each time, mixed with a secret of the operating
        system's that is stored nowhere. The state then holds no seed.
      stream: draws of different streams are independent.
    """
    super().__init__(stddev, specs, seed)
    self._stream = int(stream)
    # TensorFlow's own source starts from 32 random bits a process, which can be tried out.
    self._secret = np.frombuffer(os.urandom(16), np.int64)

  def initialize(self) -> Any:
    """Returns the first state: the seed of the first draw, and the standard deviation."""
    return self.make_state(first_seed(self._seed, self._stream), self._noise_std)

  def next(self, state: Any) -> tuple[Any, Any]:
    """Returns noise of the structure, and the next state."""
    if self._seed is not None:
      return super().next(state)
    drawn = tf.raw_ops.NonDeterministicInts(shape=tf.constant([2]), dtype=tf.int64)
    seeds = tf.bitwise.bitwise_xor(drawn, self._secret)
    noise, _ = super().next(state._replace(seeds=seeds))
    return noise, state


def first_seed(seed: int | None, stream: int) -> tf.Tensor:
  """Returns the int64 [2] seed of a stream's first draw; zeros without a seed, never drawn from."""
  if seed is None:
    return tf.zeros([2], tf.int64)
  key = int(np.random.SeedSequence(seed, spawn_key=(stream,)).generate_state(1, np.uint64)[0])
  return tf.constant([key >> 1, 0], tf.int64)


class GaussianSumQuery(tfp.GaussianSumQuery):
  """Sum of clipped records plus seeded Gaussian noise."""

  _GlobalState = collections.namedtuple('_GlobalState', ['l2_norm_clip', 'stddev', 'noise_seed'])

  def __init__(
    self, l2_norm_clip: float, stddev: float, seed: int | None, stream: Stream = Stream.UPDATES
  ) -> None:
    """Prepares the query; see `NoiseGenerator` for `seed` and `stream`."""
    super().__init__(l2_norm_clip, stddev)
    self._seed = seed
    self._stream = stream

  def make_global_state(self, l2_norm_clip: Any, stddev: Any) -> Any:
    """Returns the state before the first draw, with the given clip norm and noise."""
    return self._GlobalState(
      tf.cast(l2_norm_clip, tf.float32),
      tf.cast(stddev, tf.float32),
      first_seed(self._seed, self._stream),
    )

  def get_noised_result(self, sample_state: Any, global_state: Any) -> tuple[Any, Any, Any]:
    """Adds the noise to a sum of clipped records; the state then holds the next seed."""
    # Not by tfp's method: it has noise without a seed, which deterministic operations refuse.
    event = dp_accounting.GaussianDpEvent(global_state.stddev / global_state.l2_norm_clip)
    specs = tf.nest.map_structure(tf.TensorSpec.from_tensor, sample_state)
    generator = NoiseGenerator(self._stddev, specs, self._seed, self._stream)
    noise, noise_state = generator.next(
      generator.make_state(global_state.noise_seed, global_state.stddev)
    )
    result = tf.nest.map_structure(lambda v, n: v + tf.cast(n, v.dtype), sample_state, noise)
    return result, global_state._replace(noise_seed=noise_state.seeds), event


class AdaptiveClipSumQuery(tfp.QuantileAdaptiveClipSumQuery):
  """Sums clipped records; the clip norm follows a quantile of the records' norms.

  Andrew et al. 2021, Algorithm 1: sum and count of unclipped records get noise each.
  """

  def __init__(
    self,
    initial_l2_norm_clip: float,
    noise_multiplier: float,
    target_unclipped_quantile: float,
    learning_rate: float,
    clipped_count_stddev: float,
    expected_num_records: float,
    seed: int | None,
  ) -> None:
    """Prepares the query; see tfp's class for all but `seed`."""
    super().__init__(
      initial_l2_norm_clip,
      noise_multiplier,
      target_unclipped_quantile,
      learning_rate,
      clipped_count_stddev,
      expected_num_records,
    )
    self._sum_query = GaussianSumQuery(
      initial_l2_norm_clip, noise_multiplier * initial_l2_norm_clip, seed
    )
    # A record moves the count, shifted by one half, by at most one half.
    self._quantile_estimator_query._below_estimate_query = tfp.NormalizedQuery(
      GaussianSumQuery(0.5, clipped_count_stddev, seed, Stream.COUNT), expected_num_records
    )

  def get_noised_result(self, sample_state: Any, global_state: Any) -> tuple[Any, Any, Any]:
    """Returns the noised sum, the state with the next clip norm and seeds, and the event."""
    _, sum_state, _ = self._sum_query.get_noised_result(
      sample_state.sum_state, global_state.sum_state
    )
    result, new_state, event = super().get_noised_result(sample_state, global_state)
    # tfp makes the sum's state afresh for the new clip norm: its seed has to go on.
    next_sum_state = new_state.sum_state._replace(noise_seed=sum_state.noise_seed)
    return result, new_state._replace(sum_state=next_sum_state), event


def adaptive_sum_query(
  clip_norm: float, noise_multiplier: float, clients_per_round: float, seed: int | None
) -> AdaptiveClipSumQuery:
  """Returns the query whose sum and count together have a noise multiplier.

  Args:
    clip_norm: the first one; it moves towards the median norm.
    noise_multiplier: z, below a tenth of `clients_per_round`.
    clients_per_round: m; the count's noise has standard deviation m / 20.
    seed: see `NoiseGenerator`.

  Andrew et al. 2021, Theorem 1.
  """
  sum_multiplier, count_stddev = 0.0, 0.0
  if noise_multiplier:
    count_stddev = COUNT_STDDEV * clients_per_round
    sum_multiplier = (noise_multiplier**-2 - (2 * count_stddev) ** -2) ** -0.5
  return AdaptiveClipSumQuery(
    initial_l2_norm_clip=clip_norm,
    noise_multiplier=sum_multiplier,
    target_unclipped_quantile=_QUANTILE,
    learning_rate=_CLIP_LEARNING_RATE,
    clipped_count_stddev=count_stddev,
    expected_num_records=clients_per_round,
    seed=seed,
  )


def tree_sum_query(
  clip_norm: float, noise_multiplier: float, record_specs: Sequence[Any], seed: int | None
) -> tfp.TreeResidualSumQuery:
  """Returns the sum of clipped records, where the noise of running totals comes from a binary tree.

  Args:
    clip_norm: L2 norm that a record is clipped to.
    noise_multiplier: of the noise on each node of the tree.
    record_specs: structure of float32 `tf.TensorSpec`, the records' shapes.
    seed: see `NoiseGenerator`.

  Returns:
    The query, with the variance-reduced estimate of Honaker 2015.

  Kairouz et al. 2021, Algorithm 1 and appendix B.
  """
  return tfp.TreeResidualSumQuery(
    record_specs,
    NoiseGenerator(clip_norm * noise_multiplier, record_specs, seed),
    lambda record, norm: tf.clip_by_global_norm(record, norm)[0],
    clip_norm,
  )
