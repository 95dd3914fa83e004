"""The sum of clipped updates whose noise is correlated over rounds by a banded matrix."""

import collections
from typing import Any

import dp_accounting
import tensorflow as tf

from tff_lg.aggregators.bands import square_root_bands
from tff_lg.aggregators.factories import seeded_noise
from tff_lg.compatibility import tfp


class BandedSumQuery(tfp.SumAggregationDPQuery):
  """Sum of clipped records plus a row of C^-1 Z, with Z independent and C banded.

  The noise x of a round solves c_0 x_t + ... + c_{b-1} x_{t-b+1} = z_t, by forward substitution.
  The state holds the noise of the last b - 1 rounds. With one band, noise and seeds are those of
  `seeded_noise.GaussianSumQuery`.

  Choquette-Choo et al. 2023, Algorithm 1.
  """

  _GlobalState = collections.namedtuple('_GlobalState', ['independent', 'recent'])

  def __init__(
    self,
    clip_norm: float,
    noise_multiplier: float,
    bands: int,
    record_specs: Any,
    seed: int | None,
  ) -> None:
    """Prepares the query.

    Args:
      clip_norm: L2 norm that a record is clipped to.
      noise_multiplier: of Z; columns of C have norm 1.
      bands: b, positive.
      record_specs: structure of float32 `tf.TensorSpec`, the records' shapes.
      seed: see `seeded_noise.NoiseGenerator`.
    """
    self._query = seeded_noise.GaussianSumQuery(clip_norm, noise_multiplier * clip_norm, seed)
    self._coefficients = square_root_bands(bands).tolist()
    self._record_specs = record_specs

  def initial_global_state(self) -> Any:
    """Returns the state before the first round, with noise of zero before it."""
    rounds = len(self._coefficients) - 1
    recent = tf.nest.map_structure(
      lambda spec: tf.zeros([rounds, *spec.shape], spec.dtype), self._record_specs
    )
    return self._GlobalState(self._query.initial_global_state(), recent)

  def derive_sample_params(self, global_state: Any) -> Any:
    """Returns the clip norm."""
    return self._query.derive_sample_params(global_state.independent)

  def preprocess_record(self, params: Any, record: Any) -> Any:
    """Clips a record."""
    return self._query.preprocess_record(params, record)

  def get_noised_result(self, sample_state: Any, global_state: Any) -> tuple[Any, Any, Any]:
    """Adds the noise of the next round to a sum of clipped records."""
    zeros = tf.nest.map_structure(tf.zeros_like, sample_state)
    drawn, independent, _ = self._query.get_noised_result(zeros, global_state.independent)
    noise = tf.nest.map_structure(self._solve, drawn, global_state.recent)
    recent = tf.nest.map_structure(
      lambda new, old: tf.concat([new[tf.newaxis], old], 0)[: len(self._coefficients) - 1],
      noise,
      global_state.recent,
    )
    result = tf.nest.map_structure(tf.add, sample_state, noise)
    return result, self._GlobalState(independent, recent), dp_accounting.UnsupportedDpEvent()

  def _solve(self, drawn: tf.Tensor, recent: tf.Tensor) -> tf.Tensor:
    """Returns x_t from z_t and x_{t-1} to x_{t-b+1}, the latest first."""
    first, *others = self._coefficients
    known = tf.tensordot(tf.constant(others, drawn.dtype), recent, 1) if others else 0.0
    return (drawn - known) / first
