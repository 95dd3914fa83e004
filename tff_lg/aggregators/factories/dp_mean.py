"""The differentially private mean of the clients' updates, at the level of clients."""

import dataclasses
from typing import Any

from tff_lg.aggregators.factories import seeded_noise
from tff_lg.aggregators.mechanism import MECHANISMS, MechanismEntry, Noise
from tff_lg.compatibility import tff, tfp

CLIPPINGS = ('fixed', 'adaptive')


def dp_mean(
  noise_multiplier: float,
  clip_norm: float,
  clients_per_round: int,
  seed: int | None,
  clipping: str = 'fixed',
  mechanism: str = 'gaussian',
  bands: int = 1,
) -> tff.aggregators.UnweightedAggregationFactory:
  """Aggregates client updates by a mean that hides each client.

  Each client's whole update is clipped to L2 norm S, and the clipped updates are summed.
  Noise N(0, (z S)^2) is added to the sum, and the result is divided by m. The mean then has
  noise of standard deviation sigma = z S / m. The divisor is the expected cohort size m, whatever
  the number of updates that arrive. So a client moves the result by at most S / m. A client that
  drops out, or is left out because its update is not finite, must send zeros. Clipping cannot
  repair a non-finite update: it has to be zeroed before, as in our client work and TFF's. Client
  weights are ignored, as they would reveal something of a client's data.

  `clipping='adaptive'`: S starts at `clip_norm` and moves towards the median of the updates' norms,
  by up to a factor exp(0.2) per round. The median is estimated from a count with noise of standard
  deviation m / 20. The zeros of absent clients count as norms. With a share d of clients absent, S
  follows the (0.5 - d) / (1 - d) quantile of the others. Sum and count together have the noise
  multiplier z (as in `tff.aggregators.DifferentiallyPrivateFactory.gaussian_adaptive`), so the
  budget is that of z. The sum alone has noise multiplier (z^-2 - (2 m / 20)^-2)^-1/2.

  `mechanism='tree'`: DP-FTRL. The total over all rounds has a noise, drawn at the nodes of a binary
  tree, of standard deviation z S each. The noise of a round is the change of that noise. The
  total's noise grows with the logarithm of the number of rounds, and the guarantee needs no
  sampling. The state holds up to one noise of the model's size per level of the tree.

  `mechanism='banded'`: DP-FTRL with a banded matrix C, see `bands.square_root_bands`. The noise of
  all rounds is C^-1 Z, with Z independent of standard deviation z S. Later rounds take part of the
  noise of earlier ones away. A client must not take part twice in b rounds. The state holds
  b - 1 noises of the model's size.

  Args:
    noise_multiplier: z, not negative; 0 adds no noise and protects nobody.
    clip_norm: S, positive; with adaptive clipping the first.
    clients_per_round: m, the expected size of a cohort, positive.
    seed: of the noise, not negative: the same seed gives the same bits, also from a
      saved state. None draws a fresh seed for every draw, mixed with a secret of the
      operating system's. Anyone who knows the seed can take the noise away again. The noise is
      TensorFlow's, Philox in float32, not a cryptographic generator's (Mironov 2012).
    clipping: fixed or adaptive.
    mechanism: gaussian, tree or banded.
    bands: b, positive; of the banded mechanism.

  Returns:
    A factory whose `create` accepts any structure of float32 tensors with static
    shapes. Measurements, in `dp_query_metrics`: the next clip norm as `clip`
    (adaptive), or the clip norm as `tree_agg_dpftrl_clip` (tree).

  Raises:
    ValueError: an argument is out of its range, or adaptive clipping does not fit the mechanism
      or z, m / 10 or more.

  Yu et al. 2020, equation (3); McMahan et al. 2018, Algorithm 1; Andrew et al. 2021,
  Algorithm 1; Kairouz et al. 2021, Algorithm 1. Choquette-Choo et al. 2023, Algorithm 1.
  """
  if noise_multiplier < 0:
    raise ValueError(f'noise_multiplier is {noise_multiplier}; it must not be negative.')
  if clip_norm <= 0:
    raise ValueError(f'clip_norm is {clip_norm}; it must be positive.')
  if clients_per_round < 1:
    raise ValueError(f'clients_per_round is {clients_per_round}; it must be at least 1.')
  if seed is not None and seed < 0:
    raise ValueError(f'seed is {seed}; it must not be negative, or None.')
  if clipping not in CLIPPINGS:
    raise ValueError(f'clipping is {clipping!r}; it must be {" or ".join(CLIPPINGS)}.')
  if bands < 1:
    raise ValueError(f'bands is {bands}; it must be at least 1.')
  if mechanism not in MECHANISMS:
    raise ValueError(f'mechanism is {mechanism!r}; it must be {" or ".join(MECHANISMS)}.')
  if clipping == 'adaptive':
    if MECHANISMS[mechanism].adaptive_query is None:
      raise ValueError(
        f'mechanism {mechanism} needs fixed clipping: its noise is tied to one clip norm.'
      )
    if noise_multiplier >= 2 * seeded_noise.COUNT_STDDEV * clients_per_round:
      raise ValueError(
        f'noise_multiplier is {noise_multiplier}; adaptive clipping spends part of it on a count '
        f'and needs it below a tenth of clients_per_round, {0.1 * clients_per_round:g}.'
      )
  noise = Noise(
    noise_multiplier=float(noise_multiplier),
    clip_norm=float(clip_norm),
    clients_per_round=float(clients_per_round),
    seed=seed,
    bands=bands,
  )
  return _DPMeanFactory(noise, MECHANISMS[mechanism], clipping)


@dataclasses.dataclass(frozen=True)
class _DPMeanFactory(tff.aggregators.UnweightedAggregationFactory):
  """Builds the query when the shapes, on which correlated noise depends, are known."""

  noise: Noise
  mechanism: MechanismEntry
  clipping: str

  def create(self, value_type: tff.Type) -> tff.templates.AggregationProcess:
    """Creates the process for updates of a type."""
    query = tfp.NormalizedQuery(self._sum_query(value_type), self.noise.clients_per_round)
    return tff.aggregators.DifferentiallyPrivateFactory(query).create(value_type)

  def _sum_query(self, value_type: tff.Type) -> Any:
    if self.clipping == 'adaptive' and self.mechanism.adaptive_query is not None:
      return self.mechanism.adaptive_query(self.noise)
    return self.mechanism.query(self.noise, tff.types.type_to_tf_tensor_specs(value_type))
