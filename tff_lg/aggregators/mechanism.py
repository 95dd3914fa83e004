"""The entries of privacy mechanisms: their noise, its accounting, and what they do not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries
from tff_lg.aggregators.accounting import Accounting, of_sampling

if TYPE_CHECKING:
  from tff_lg.aggregators.privacy import PrivacyBudget


@attrs.frozen(kw_only=True)
class Noise:
  """The noise on sums of clipped updates.

  Attributes:
    noise_multiplier: z, not negative.
    clip_norm: S, positive; the first one if it is adaptive.
    clients_per_round: m, the size of a cohort, on average.
    seed: not negative; None draws fresh noise each time.
    bands: of the mechanism that has some.
  """

  noise_multiplier: float
  clip_norm: float
  clients_per_round: float
  seed: int | None
  bands: int = 1


def _no_defaults(config: Any) -> Mapping[str, Any]:
  del config
  return {}


@attrs.frozen(kw_only=True)
class MechanismEntry(entries.Entry):
  """A value of `--dp_mechanism`.

  Attributes:
    does: what its noise is, for the help.
    query: (noise, structure of `tf.TensorSpec`) -> the `tfp.SumAggregationDPQuery` that clips
      updates, sums them and adds the noise of the next round.
    adaptive_query: noise -> the query whose clip norm follows the updates; None if there is none.
    account: budget -> what rounds cost; raises ValueError for a budget that it does not fit.
    counts_participations: whether the cost depends on how often a client takes part, as drawn.
    keeps_sigma: whether the noise of every round has the same standard deviation.
    own_options: names of options of the private mean that belong to it.
    defaults: (config) -> what options that are None stand for with it, by name.
  """

  does: str
  query: Callable[[Noise, Any], Any]
  adaptive_query: Callable[[Noise], Any] | None = None
  account: Callable[[PrivacyBudget], Accounting] = of_sampling
  counts_participations: bool = False
  keeps_sigma: bool = False
  own_options: tuple[str, ...] = ()
  defaults: Callable[[Any], Mapping[str, Any]] = _no_defaults


# What `--dp_mechanism` takes.
MECHANISMS: entries.Registry[MechanismEntry] = entries.Registry('dp_mechanism')
