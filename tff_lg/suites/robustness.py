"""Running suites of robustness: rules against attacks, by attackers and heterogeneity.

A cell is a number of attackers f, a similarity of clients and a rule. Its hyper-parameters have the
best validation score in the worst case over attacks. At this point the cell is repeated
with all attacks, and each model is adapted by the clients. Clients' own models are trained
once for each similarity and seed.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any

from absl import logging

from tff_lg import sweeps
from tff_lg.suites import running
from tff_lg.suites import search as search_lib
from tff_lg.suites.robustness_suite import RobustnessEntry, RobustRule

TECHNIQUE = 'fine_tune'


@dataclasses.dataclass(frozen=True)
class Cell:
  """A rule against some attackers, at its best point.

  Attributes:
    similarity: gamma.
    num_byzantine: f.
    rule: of the suite.
    point: value of each option of the grid.
    validation: score of the worst case there, over the repeats of the search.
    runs: by attack, for each seed the folders of the run and of its adaptation; None for a run
      that diverged.
    own: for each seed the run with clients' own models.
  """

  similarity: float
  num_byzantine: int
  rule: RobustRule
  point: Mapping[str, float]
  validation: float
  runs: Mapping[str, Sequence[tuple[str, str] | None]]
  own: Sequence[str]


@dataclasses.dataclass(frozen=True)
class RobustnessRun:
  """How a suite of robustness is run; fields are those of `running.SuiteRun`."""

  suite: RobustnessEntry
  rules: tuple[RobustRule, ...]
  run_dir: str
  flags: tuple[str, ...]
  make_config: running.MakeConfig
  pool: sweeps.Pool | None
  num_repeats: int
  search_repeats: int
  search: str
  changes: sweeps.Changes = sweeps.Changes()

  def first_configs(self) -> dict[str, Any]:
    """Returns the config of the first trial of each rule; raises what cannot be."""
    configs: dict[str, Any] = {}
    suite = self.suite
    for rule in self.rules:
      for number in suite.byzantine:
        if rule.flags(number, suite.num_clients) is not None:
          start = tuple(axis.start for axis in suite.axes_of(rule))
          trial = suite.trials(rule, start, suite.attacks[:1], [0])[0]
          config = self.config(suite.similarities[0], number, rule, trial)
          configs.setdefault(rule.name, config)
    return configs

  def config(
    self, similarity: float, num_byzantine: int, rule: RobustRule, trial: sweeps.Trial
  ) -> Any:
    """Returns the config of a trial of a cell."""
    flags = {
      'method': 'fedavg',
      **(rule.flags(num_byzantine, self.suite.num_clients) or {}),
      'malicious_share': repr(num_byzantine / self.suite.num_clients),
    }
    return self._make(similarity, flags, trial)

  def own_config(self, similarity: float, trial: sweeps.Trial) -> Any:
    """Returns the config of clients' own models."""
    return self._make(similarity, {'method': 'local_only', **self.suite.own_flags}, trial)

  def _make(self, similarity: float, flags: Mapping[str, str], trial: sweeps.Trial) -> Any:
    shared = {
      **self.suite.flags,
      'num_clients': str(self.suite.num_clients),
      'clients_per_round': str(self.suite.num_clients),
      'partition': 'similarity',
      'similarity_gamma': f'{similarity:g}',
      'baselines': '',
      **flags,
    }
    arguments = [f'--{name}={value}' for name, value in shared.items()]
    return self.make_config(running.TRAIN, [*arguments, *self.flags, *trial.arguments])


def run_robustness(run: RobustnessRun) -> list[Cell]:
  """Trains and adapts all cells; a rerun resumes.

  Raises:
    SuiteError: a run failed that did not diverge.
    sweeps.SweepError: the folder holds something else.
  """
  cells, suite = [], run.suite
  for similarity in suite.similarities:
    own = _own_models(run, similarity)
    for number in suite.byzantine:
      for rule in run.rules:
        if rule.flags(number, suite.num_clients) is not None:
          logging.info('Similarity %g, %d attackers: %s', similarity, number, rule.label)
          cells.append(_run_cell(run, similarity, number, rule, own))
  return cells


def _own_models(run: RobustnessRun, similarity: float) -> tuple[str, ...]:
  folder = sweeps.SweepFolder(os.path.join(run.run_dir, 'own', f'similarity={similarity:g}'))
  axis = sweeps.Axis('similarity_gamma', (f'{similarity:g}',))
  trials = sweeps.build_trials([axis], range(run.num_repeats))
  configs = {trial.name: run.own_config(similarity, trial) for trial in trials}
  _run_all(run, folder, running.TRAIN, [axis], trials, configs, 'Own models')
  return tuple(folder.run_dir(trial.name) for trial in trials)


def _run_cell(
  run: RobustnessRun, similarity: float, number: int, rule: RobustRule, own: Sequence[str]
) -> Cell:
  import numpy as np  # Help and checks do without it.

  suite = run.suite
  name = f'similarity={similarity:g}__byzantine={number}__{rule.name}'
  folder = sweeps.SweepFolder(os.path.join(run.run_dir, 'cells', name))
  axes, scores = suite.axes_of(rule), dict[search_lib.Point, float]()
  trials: dict[str, sweeps.Trial] = {}
  configs: dict[str, Any] = {}

  def train(points: Sequence[search_lib.Point], seeds: Sequence[int]) -> set[str]:
    for point in points:
      for trial in suite.trials(rule, point, suite.attacks, seeds):
        trials[trial.name] = trial
        configs[trial.name] = run.config(similarity, number, rule, trial)
    shown = [
      sweeps.Axis(axis, tuple(dict.fromkeys(dict(t.values)[axis] for t in trials.values())))
      for axis in (*(each.name for each in axes), 'attack')
    ]
    return _run_all(run, folder, running.TRAIN, shown, [*trials.values()], configs, rule.label)

  while points := search_lib.next_points(axes, scores, run.search):
    diverged = train(points, range(run.search_repeats))
    for point in points:
      of_attacks = [
        np.mean(
          [
            0.0 if trial.name in diverged else _validation(folder.run_dir(trial.name))
            for trial in suite.trials(rule, point, [attack], range(run.search_repeats))
          ]
        )
        for attack in suite.attacks
      ]
      scores[point] = float(min(of_attacks))
  best = search_lib.best_point(scores)
  diverged = train([best], range(run.num_repeats))
  by_attack = {
    attack: suite.trials(rule, best, [attack], range(run.num_repeats)) for attack in suite.attacks
  }
  sources = {
    trial.name: (folder.run_dir(trial.name), own[trial.seed])
    for of_attack in by_attack.values()
    for trial in of_attack
    if trial.name not in diverged
  }
  adapted = _adapt(run, name, sources)
  return Cell(
    similarity,
    number,
    rule,
    {axis.name: value for axis, value in zip(axes, best, strict=True)},
    scores[best],
    {
      attack: [
        None if trial.name in diverged else (sources[trial.name][0], adapted[trial.name])
        for trial in of_attack
      ]
      for attack, of_attack in by_attack.items()
    },
    own,
  )


def _adapt(run: RobustnessRun, cell: str, sources: Mapping[str, tuple[str, str]]) -> dict[str, str]:
  """Adapts runs, each with the run of own models beside it; gives the folders by name."""
  if not sources:
    return {}
  folder = sweeps.SweepFolder(os.path.join(run.run_dir, 'adapted', cell))
  trials = [sweeps.Trial(name, (('source', name),), 0) for name in sources]
  configs = {}
  for name, (source, own) in sources.items():
    flags = {**run.suite.adapt_flags, 'adaptation': TECHNIQUE, 'from_run': source}
    arguments = [f'--{flag}={value}' for flag, value in flags.items()]
    configs[name] = run.make_config(running.ADAPT, [*arguments, f'--local_only_from={own}'])
  axes = [sweeps.Axis('source', tuple(sources))]
  _run_all(run, folder, running.ADAPT, axes, trials, configs, 'Adaptation')
  return {name: folder.run_dir(name) for name in sources}


def _run_all(
  run: RobustnessRun,
  folder: sweeps.SweepFolder,
  pipeline: str,
  axes: Sequence[sweeps.Axis],
  trials: Sequence[sweeps.Trial],
  configs: Mapping[str, Any],
  what: str,
) -> set[str]:
  """Runs trials that are not complete; gives those that diverged.

  Raises:
    SuiteError: one failed in another way.
  """
  folder.claim(pipeline, axes, trials, configs, run.changes)
  failures = running.run_jobs(run.pool, folder, configs)
  for name, error in failures.items():
    if not sweeps.is_divergence(error):
      log = folder.log_path(name)
      raise running.SuiteError(f'{what}: {name} failed, see {log} ({error.rstrip(".")}).')
  return set(failures)


def _validation(path: str) -> float:
  """Returns the mean over honest clients of their scores on validation data."""
  from tff_lg.analysis import leaderboard_runs  # pandas and Matplotlib take seconds to import.

  return float(leaderboard_runs.load_trained(path).validation.mean())
