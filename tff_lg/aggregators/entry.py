"""The entry of an aggregator: its name, options, traits and builder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries

if TYPE_CHECKING:
  from tff_lg.aggregators.privacy import PrivacyBudget
  from tff_lg.compatibility import tff

# The mean by client weights, for a run that says nothing of aggregation.
PLAIN_MEAN = 'mean'


@attrs.frozen(kw_only=True)
class Population:
  """Whom the rounds of a private run draw from.

  Attributes:
    num_clients: of all.
    clients_per_round: the size of a cohort, on average.
    num_rounds: of the whole run.
    cohort_sampling: fixed_size or poisson.
    most_participations: () -> how many of the rounds any client takes part in at most.
  """

  num_clients: int
  clients_per_round: int
  num_rounds: int
  cohort_sampling: str
  most_participations: Callable[[], int]


@attrs.frozen(kw_only=True)
class Setting:
  """The setting that an aggregator is built for.

  Attributes:
    clients_per_round: the size of a cohort, on average.
    seed: seeds the randomness of the aggregation; None makes it unrepeatable.
    budget: the budget of a private aggregator.
  """

  clients_per_round: int
  seed: int | None
  budget: PrivacyBudget | None


def _no_defaults(config: Any) -> Mapping[str, Any]:
  del config
  return {}


@attrs.frozen(kw_only=True)
class AggregatorEntry(entries.Entry):
  """An aggregator; see `register`.

  Attributes:
    does: how it combines the updates, for the table of aggregators.
    survives: how many malicious clients of m, for the table of aggregators.
    build: (options, setting) -> the factory. Clients of weight zero are absent.
    is_mean: whether it counts clients by their examples unless told otherwise, as FedAvg does.
    takes_weights: whether client weights mean something.
    needs_cohort_size: whether it cannot do with a cohort of any size.
    fits_zeroing: whether TFF's adaptive zeroing may be put before it.
    cohort_options: options that the cohort decides, by name: (value or None, clients_per_round) ->
      the value; raises ValueError, a sentence that continues the aggregator's name.
    budget: (options, population) -> the privacy budget, if it is private.
    defaults: (config) -> what options of all runs that are None stand for with it, by name.
    note: a sentence that the help of `--aggregator` has.
  """

  does: str
  survives: str
  build: Callable[[Any, Setting], tff.aggregators.AggregationFactory]
  is_mean: bool = False
  takes_weights: bool = True
  needs_cohort_size: bool = False
  fits_zeroing: bool = True
  cohort_options: Mapping[str, Callable[[Any, int], Any]] = attrs.field(factory=dict)
  budget: Callable[[Any, Population], PrivacyBudget] | None = None
  defaults: Callable[[Any], Mapping[str, Any]] = _no_defaults
  note: str = ''

  @property
  def is_private(self) -> bool:
    """Whether it hides each client."""
    return self.budget is not None


# What `--aggregator` takes, with everything that is known about it.
AGGREGATORS: entries.Registry[AggregatorEntry] = entries.Registry('aggregator')
register = AGGREGATORS.register
