"""Suites of robustness: entries that say which rules are compared under which attacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tff_lg import entries, sweeps
from tff_lg.aggregators import AGGREGATORS
from tff_lg.suites import search as search_lib


@attrs.frozen(kw_only=True)
class RobustRule:
  """A rule of a suite.

  Attributes:
    name: of `--methods`.
    label: what tables call it.
    aggregator: of `--aggregator`.
    mixings: of `--pre_aggregation`, in their order.
    axes: of its grid, beside those of the suite.
  """

  name: str
  label: str
  aggregator: str
  mixings: tuple[str, ...] = ()
  axes: tuple[search_lib.SearchAxis, ...] = ()

  def flags(self, num_byzantine: int, num_clients: int) -> dict[str, str] | None:
    """Returns the flags of the rule against so many attackers; None if it survives fewer."""
    entry, flags = AGGREGATORS[self.aggregator], {'aggregator': self.aggregator}
    if 'num_byzantine' in entry.cohort_options:
      try:
        entry.cohort_options['num_byzantine'](num_byzantine, num_clients)
      except ValueError:
        return None
      flags['num_byzantine'] = str(num_byzantine)
    if 'trimmed_share' in entry.option_names():
      flags['trimmed_share'] = f'{num_byzantine / num_clients:g}'
    if self.mixings:
      flags['pre_aggregation'] = ','.join(self.mixings)
    if set(self.mixings) - {'bucketing'}:
      flags['pre_num_byzantine'] = str(num_byzantine)
    return flags


@attrs.frozen(kw_only=True)
class RobustnessEntry(entries.Entry):
  """A suite of robustness; its label is for the help.

  Attributes:
    data: what `--data` names.
    flags: of `pipelines.train`, that all runs have.
    fast_flags: in place of some of them, of a small run on data that are there.
    adapt_flags: of `pipelines.adapt`.
    own_flags: of clients' own models.
    num_clients: of all, attackers among them; all are in each round.
    byzantine: numbers of attackers.
    similarities: gamma of `--partition=similarity`.
    rules: compared.
    attacks: over which the worst case is.
    fast_size: of a small run: how many numbers of attackers, similarities (the last ones) and
      attacks (the first ones).
    axes: of the grid.
    num_repeats: by default.
    rounds: by default.
  """

  data: str
  flags: Mapping[str, str]
  fast_flags: Mapping[str, str]
  adapt_flags: Mapping[str, str]
  own_flags: Mapping[str, str]
  num_clients: int
  byzantine: tuple[int, ...]
  similarities: tuple[float, ...]
  rules: tuple[RobustRule, ...]
  attacks: tuple[str, ...]
  fast_size: tuple[int, int, int]
  axes: tuple[search_lib.SearchAxis, ...]
  num_repeats: int
  rounds: int

  def axes_of(self, rule: RobustRule) -> tuple[search_lib.SearchAxis, ...]:
    """Returns the axes of a rule's grid."""
    return (*self.axes, *rule.axes)

  def trials(
    self,
    rule: RobustRule,
    point: search_lib.Point,
    attacks: Sequence[str],
    seeds: Sequence[int],
  ) -> tuple[sweeps.Trial, ...]:
    """Returns the trials of a rule at a point of its grid, under each attack, with each seed."""
    values = zip(self.axes_of(rule), point, strict=True)
    axes = [sweeps.Axis(axis.name, (f'{value:g}',)) for axis, value in values]
    return sweeps.build_trials([*axes, sweeps.Axis('attack', tuple(attacks))], seeds)

  def choose_methods(self, chosen: Sequence[str] = ()) -> tuple[RobustRule, ...]:
    """Returns the rules of these names; all by default.

    Raises:
      ValueError: a name is not a rule, or comes twice; one sentence.
    """
    rules = {rule.name: rule for rule in self.rules}
    if set(chosen) - set(rules) or len(set(chosen)) < len(chosen):
      raise ValueError(
        f'--methods is {",".join(chosen)}, expected some of {", ".join(rules)}, each once.'
      )
    return tuple(rules[name] for name in chosen or rules)

  def narrowed(self, axes: Sequence[sweeps.Axis]) -> RobustnessEntry:
    """Returns the suite with fewer cells or attacks.

    Args:
      axes: `byzantine`, `similarity` or `attack`, each with some of the suite's values.

    Raises:
      ValueError: another axis, a value that the suite has not, or an axis twice; one sentence.
    """
    fields = {'byzantine': 'byzantine', 'similarity': 'similarities', 'attack': 'attacks'}
    chosen: dict[str, Any] = {}
    for axis in axes:
      if axis.name not in fields or fields[axis.name] in chosen:
        raise ValueError(
          f'--grid has {axis.name}, expected some of {", ".join(fields)}, each once.'
        )
      known = {str(value).removesuffix('.0'): value for value in getattr(self, fields[axis.name])}
      if unknown := [value for value in axis.values if value not in known]:
        expected = ', '.join(known)
        raise ValueError(f'--grid={axis.name}={unknown[0]}: expected some of {expected}.')
      chosen[fields[axis.name]] = tuple(known[value] for value in axis.values)
    return attrs.evolve(self, **chosen)

  def small(self) -> RobustnessEntry:
    """Returns the suite of small runs: few cells, attacks and clients."""
    num_byzantine, num_similarities, num_attacks = self.fast_size
    return attrs.evolve(
      self,
      flags={**self.flags, **self.fast_flags},
      num_clients=int(self.fast_flags['num_clients']),
      byzantine=self.byzantine[:num_byzantine],
      similarities=self.similarities[-num_similarities:],
      attacks=self.attacks[:num_attacks],
    )


# What `--suite` takes beside the suites of methods.
ROBUSTNESS_SUITES: entries.Registry[RobustnessEntry] = entries.Registry('suite')
register = ROBUSTNESS_SUITES.register
