"""The entries of aggregators and pre-aggregators: their names, options, traits and builders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries

if TYPE_CHECKING:
  from tff_lg.aggregators.factories.gathering import Rule, StatefulRule
  from tff_lg.aggregators.factories.mixing import Mixing
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
    cohort_sampling: one of `samplings.SAMPLINGS`.
    cohort_groups: into which cyclic_poisson deals the clients; None for others.
    most_participations: () -> how many of the rounds any client takes part in at most.
  """

  num_clients: int
  clients_per_round: int
  num_rounds: int
  cohort_sampling: str
  most_participations: Callable[[], int]
  cohort_groups: int | None = None


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


def _of_rule(self: AggregatorEntry) -> Callable[[Any, Setting], Any]:
  """Returns the builder of an aggregator that is a rule over stacked updates."""

  def build(options: Any, setting: Setting) -> tff.aggregators.AggregationFactory:
    from tff_lg.aggregators.factories import gathering  # It imports TensorFlow: seconds.

    if self.rule is None:
      raise TypeError(f'Aggregator {self.name} has neither build nor rule, expected one.')
    return gathering.rule_factory(self.rule(options, setting), weighted=True)

  return build


@attrs.frozen(kw_only=True)
class AggregatorEntry(entries.Entry):
  """An aggregator; see `register`.

  Attributes:
    does: how it combines the updates, for the table of aggregators.
    survives: how many malicious clients of m, for the table of aggregators.
    rule: (options, setting) -> the rule that makes an aggregate of stacked updates; None if there
      is none. It is what pre-aggregators fit, and what attackers try their updates on.
    build: (options, setting) -> the factory, of the rule by default. Clients of weight zero are
      absent.
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
  rule: Callable[[Any, Setting], Rule | StatefulRule] | None = None
  build: Callable[[Any, Setting], tff.aggregators.AggregationFactory] = attrs.field(
    default=attrs.Factory(_of_rule, takes_self=True)
  )
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


@attrs.frozen(kw_only=True)
class PreAggregatorEntry(entries.Entry):
  """A pre-aggregator: it changes the stacked updates before a rule sees them.

  Attributes:
    does: for the table of pre-aggregators.
    build: (options, setting) -> the mixing.
    cohort_options: as those of an aggregator.
  """

  does: str
  build: Callable[[Any, Setting], Mixing]
  cohort_options: Mapping[str, Callable[[Any, int], Any]] = attrs.field(factory=dict)


# What `--aggregator` takes, with everything that is known about it.
AGGREGATORS: entries.Registry[AggregatorEntry] = entries.Registry('aggregator')
register = AGGREGATORS.register
# What `--pre_aggregation` takes. Its options have a prefix: `PRE_AGGREGATION_PREFIX`.
PRE_AGGREGATORS: entries.Registry[PreAggregatorEntry] = entries.Registry('pre_aggregation')
PRE_AGGREGATION_PREFIX = 'pre_'
register_pre_aggregator = PRE_AGGREGATORS.register
