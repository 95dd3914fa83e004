"""Runs a suite: each method's grid on a pool, then its repeats at the best point."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from absl import logging

from tff_lg import file_names, files, strict_json, sweeps
from tff_lg.config.option import resolved
from tff_lg.suites import search as search_lib
from tff_lg.suites.suite import SuiteEntry, SuiteMethod

if TYPE_CHECKING:
  from tff_lg.analysis import leaderboard_runs

TRAIN, ADAPT = 'train', 'adapt'
# (pipeline, its arguments) -> the config of a trial.
MakeConfig = Callable[[str, Sequence[str]], Any]


class SuiteError(ValueError):
  """A suite that cannot continue; one sentence."""


@dataclasses.dataclass(frozen=True)
class Row:
  """A method's runs at its best point.

  Attributes:
    method: of the suite.
    runs: their folders, one a repeat.
    point: value of each option of its grid.
    num_points: that were tried.
    at_ends: options whose best value is the last that could be tried.
  """

  method: SuiteMethod
  runs: tuple[str, ...]
  point: Mapping[str, float]
  num_points: int = 1
  at_ends: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class SuiteRun:
  """How a suite is run.

  Attributes:
    suite: its entry.
    run_dir: its folder; methods have folders of sweeps in `methods/`.
    flags: of all trials, beside the suite's.
    make_config: (pipeline, arguments) -> the config of a trial.
    pool: that runs configs; None where none is run.
    num_repeats: seeds, from 0 on.
    search_repeats: repeats over whose mean points are compared.
    search: one of `search.SEARCHES`.
    changes: what may differ when trials resume.
    is_published: whether the data are the paper's.
  """

  suite: SuiteEntry
  run_dir: str
  flags: tuple[str, ...]
  make_config: MakeConfig
  pool: sweeps.Pool | None
  num_repeats: int
  search_repeats: int
  search: str
  changes: sweeps.Changes = sweeps.Changes()
  is_published: bool = True

  def first_config(self, method: SuiteMethod) -> Any:
    """Returns the config of the first trial of a row that is trained; raises what cannot be."""
    point = tuple(axis.start for axis in method.axes)
    (trial,) = _trials(method, point, [0])
    return self.train_config(method, trial)

  def train_config(self, method: SuiteMethod, trial: sweeps.Trial) -> Any:
    """Returns the config of a trial of a row."""
    common = [*_arguments(self.suite.flags), *self.flags, *_arguments(method.flags)]
    common += [f'--method={method.method}', '--baselines=']
    return self.make_config(TRAIN, [*common, *trial.arguments])

  def adapt_config(self, method: SuiteMethod, folder: str, seed: int) -> Any:
    """Returns the config that adapts the models of a run's folder, for a row that adapts."""
    flags = [*_arguments(method.flags), f'--from_run={folder}', f'--seed={seed}']
    return self.make_config(ADAPT, [*flags, f'--adaptation={method.technique}'])

  def load(self, method: SuiteMethod, folder: str) -> leaderboard_runs.RunScores:
    """Reads what a run of a row is for clients, as the suite scores it."""
    from tff_lg.analysis import leaderboard_runs  # pandas and Matplotlib take seconds to import.

    load = leaderboard_runs.load_trained
    if method.adapts:
      load = functools.partial(leaderboard_runs.load_adapted, technique=method.technique)
    suite = self.suite
    return load(
      folder, metric=suite.metric, score=suite.score, of_test_clients=suite.scores_test_clients
    )


def run_suite(run: SuiteRun, methods: Sequence[SuiteMethod]) -> tuple[Row, ...]:
  """Trains all methods at all points that the search asks for; a rerun resumes.

  Args:
    run: how.
    methods: rows of the suite; a row that adapts comes after the row that it adapts.

  Returns:
    A row each.

  Raises:
    SuiteError: every point of a method failed, or a repeat at its best one.
    sweeps.SweepError: the folder holds something else.
  """
  rows: dict[str, Row] = {}
  for number, method in enumerate(methods, start=1):
    logging.info('Method %d of %d: %s', number, len(methods), method.label)
    if method.adapts:
      rows[method.name] = _adapt(run, method, rows[method.adapts])
    else:
      rows[method.name] = _tune(run, method)
  return tuple(rows.values())


def _folder(run: SuiteRun, method: SuiteMethod) -> sweeps.SweepFolder:
  return sweeps.SweepFolder(os.path.join(run.run_dir, 'methods', method.name))


def _tune(run: SuiteRun, method: SuiteMethod) -> Row:
  """Searches the grid by the mean validation score of clients, then repeats the best point."""
  import numpy as np  # Help and checks do without it.

  folder, scores = _folder(run, method), dict[search_lib.Point, float]()
  trials: dict[str, sweeps.Trial] = {}
  configs: dict[str, Any] = {}
  failures: dict[str, str] = {}
  while points := search_lib.next_points(method.axes, scores, run.search):
    found = {point: _trials(method, point, range(run.search_repeats)) for point in points}
    trials |= {trial.name: trial for of_point in found.values() for trial in of_point}
    new = [trial.name for of_point in found.values() for trial in of_point]
    failures |= _run_trials(run, folder, method, trials, configs, new)
    for point, of_point in found.items():
      runs = [folder.run_dir(trial.name) for trial in of_point if folder.is_complete(trial.name)]
      # A point at which a repeat diverged is none.
      means = [run.load(method, path).validation.mean() for path in runs]
      scores[point] = float(np.mean(means)) if len(means) == len(of_point) else -math.inf
  best = search_lib.best_point(scores)
  if not math.isfinite(scores[best]):
    reason = next(iter(failures.values()), 'no client has a validation score').rstrip('.')
    raise SuiteError(f'{method.label}: no point of its grid could be run ({reason}).')
  repeats = _trials(method, best, range(run.num_repeats))
  trials |= {trial.name: trial for trial in repeats}
  failures = _run_trials(run, folder, method, trials, configs, [each.name for each in repeats])
  _refuse(method, folder, repeats, failures)
  at_ends = tuple(search_lib.at_ends(method.axes, best)) if run.search != 'start' else ()
  if at_ends:
    logging.warning('%s: the best %s is at an end of its grid.', method.label, ', '.join(at_ends))
  return Row(
    method,
    tuple(folder.run_dir(trial.name) for trial in repeats),
    dict(zip((axis.name for axis in method.axes), best, strict=True)),
    len(scores),
    at_ends,
  )


def _adapt(run: SuiteRun, method: SuiteMethod, source: Row) -> Row:
  """Adapts each repeat of another row; the adaptation chooses its options on validation data."""
  folder = _folder(run, method)
  trials, configs = [], {}
  for seed, path in enumerate(source.runs):
    name = os.path.basename(path)
    trials.append(sweeps.Trial(name, (('source', name),), seed))
    configs[name] = run.adapt_config(method, path, seed)
  axes = [sweeps.Axis('source', tuple(configs))]
  folder.claim(ADAPT, axes, trials, configs, run.changes)
  failures = run_jobs(run.pool, folder, configs)
  _refuse(method, folder, trials, failures)
  return Row(method, tuple(folder.run_dir(name) for name in configs), {})


def _trials(
  method: SuiteMethod, point: search_lib.Point, seeds: Sequence[int]
) -> tuple[sweeps.Trial, ...]:
  axes = [
    sweeps.Axis(axis.name, (f'{value:g}',)) for axis, value in zip(method.axes, point, strict=True)
  ]
  return sweeps.build_trials(axes, seeds)


def _run_trials(
  run: SuiteRun,
  folder: sweeps.SweepFolder,
  method: SuiteMethod,
  trials: Mapping[str, sweeps.Trial],
  configs: dict[str, Any],
  chosen: Sequence[str],
) -> dict[str, str]:
  """Runs the chosen trials that are not complete; adds configs, and gives why some failed."""
  for name, trial in trials.items():
    if name not in configs:  # To read one takes a tenth of a second.
      configs[name] = run.train_config(method, trial)
  axes = [
    sweeps.Axis(axis.name, tuple(dict.fromkeys(dict(t.values)[axis.name] for t in trials.values())))
    for axis in method.axes
  ]
  folder.claim(TRAIN, axes, list(trials.values()), configs, run.changes)
  return run_jobs(run.pool, folder, {name: configs[name] for name in chosen})


def run_jobs(
  pool: sweeps.Pool | None, folder: sweeps.SweepFolder, configs: Mapping[str, Any]
) -> dict[str, str]:
  """Runs trials that are neither complete nor known to diverge; gives why some failed."""
  diverged = _load_diverged(folder)
  jobs = folder.jobs_left({n: config for n, config in configs.items() if n not in diverged})
  if jobs:
    failed = sweeps.run_jobs(jobs, resolved(pool), num_done=len(configs) - len(jobs))
    failures = {failure.job.name: failure.error for failure in failed}
    known = {n: error for n, error in failures.items() if sweeps.is_divergence(error)}
    if known:
      files.write_atomically(_diverged_file(folder), strict_json.dumps({**diverged, **known}))
    diverged |= failures
  return {name: diverged[name] for name in configs if name in diverged}


def _diverged_file(folder: sweeps.SweepFolder) -> str:
  return os.path.join(folder.path, file_names.DIVERGED)


def _load_diverged(folder: sweeps.SweepFolder) -> dict[str, str]:
  """Returns trials that would diverge again, with what they said."""
  path = _diverged_file(folder)
  if not os.path.exists(path):
    return {}
  return strict_json.load(path, dict, 'delete it to run these trials again')


def _refuse(
  method: SuiteMethod,
  folder: sweeps.SweepFolder,
  trials: Sequence[sweeps.Trial],
  failures: Mapping[str, str],
) -> None:
  for trial in trials:
    if not folder.is_complete(trial.name):
      reason = failures.get(trial.name, 'it has not ended').rstrip('.')
      log = folder.log_path(trial.name)
      raise SuiteError(f'{method.label}: repeat {trial.seed} failed, see {log} ({reason}).')


def _arguments(flags: Mapping[str, str]) -> list[str]:
  return [f'--{name}={value}' for name, value in flags.items()]
