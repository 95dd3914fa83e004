"""Suites: entries that say what is compared, how, and what a paper has found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import attrs

from tff_lg import entries
from tff_lg.learning.methods import METHODS
from tff_lg.suites.search import SearchAxis

if TYPE_CHECKING:
  import numpy as np


@attrs.frozen(kw_only=True)
class SuiteMethod:
  """A row of a suite's table.

  Attributes:
    name: of the row and of its folder.
    label: what tables call it.
    method: of `--method`; empty where finished runs are adapted.
    flags: of `pipelines.train`, beside those of the suite; of `pipelines.adapt` for an adaptation.
    axes: of its grid; none for an adaptation, which chooses its options itself.
    adapts: name of the row whose best runs it adapts.
    technique: of `--adaptation`, for an adaptation.
  """

  name: str
  label: str
  method: str = ''
  flags: Mapping[str, str] = attrs.field(factory=dict)
  axes: tuple[SearchAxis, ...] = ()
  adapts: str = ''
  technique: str = ''


class Published(NamedTuple):
  """The published numbers of a row: mean and standard deviation over clients."""

  mean: float
  std: float


def _as_it_is(values: np.ndarray) -> np.ndarray:
  return values


def to_percent(shares: np.ndarray) -> np.ndarray:
  """Returns shares in percent, a score of `SuiteEntry`."""
  return 100 * shares


@attrs.frozen(kw_only=True)
class SuiteEntry(entries.Entry):
  """A suite; its label is for the help.

  Attributes:
    data: what `--data` names.
    flags: of `pipelines.train`, that all runs have.
    list_methods: () -> the rows, of the methods and techniques that are registered.
    axes: grid of a method that has no row.
    scores_last_round: whether the models after the last round are scored, instead of the best
      round by validation data; then no other round is evaluated.
    scores_test_clients: whether held-out test clients are scored, and validation clients choose;
      otherwise the clients that take part do both.
    num_repeats: by default; each has a seed of its own, from 0 on.
    rounds: of the method, by default.
    metric: of clients' validation and test data, by which points are chosen and rows are scored.
    score: what tables show of the metric, (values) -> values.
    score_label: what they call it.
    digits: with so many digits after the point.
    published: what a paper has of rows, by name.
    source: that paper.
  """

  data: str
  flags: Mapping[str, str]
  list_methods: Callable[[], tuple[SuiteMethod, ...]]
  axes: tuple[SearchAxis, ...]
  scores_last_round: bool
  scores_test_clients: bool = False
  num_repeats: int
  rounds: int
  metric: str
  score: Callable[[np.ndarray], np.ndarray] = _as_it_is
  score_label: str
  digits: int = 4
  published: Mapping[str, Published] = attrs.field(factory=dict)
  source: str = ''

  def choose_methods(self, chosen: Sequence[str] = ()) -> tuple[SuiteMethod, ...]:
    """Returns rows of these names, or of other federated methods; all rows by default.

    Args:
      chosen: names. A row that adapts brings the row that it adapts.

    Raises:
      ValueError: a name is neither a row nor a federated method, or comes twice; one sentence.
    """
    rows = {row.name: row for row in self.list_methods()}
    others = [name for name, method in METHODS.items() if method.sends_updates]
    known = list(dict.fromkeys([*rows, *others]))
    if set(chosen) - set(known) or len(set(chosen)) < len(chosen):
      raise ValueError(
        f'--methods is {",".join(chosen)}, expected some of {", ".join(known)}, each once.'
      )
    found: dict[str, SuiteMethod] = {}
    for name in chosen or rows:
      row = rows.get(name) or SuiteMethod(
        name=name, label=METHODS[name].label, method=name, axes=self.axes
      )
      if row.adapts:
        found.setdefault(row.adapts, rows[row.adapts])
      found[name] = row
    return tuple(found.values())


# What `--suite` takes.
SUITES: entries.Registry[SuiteEntry] = entries.Registry('suite')
register = SUITES.register
