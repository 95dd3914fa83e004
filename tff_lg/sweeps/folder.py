"""The sweep folder: what the trials are, and where each one is.

| file | what |
|---|---|
| sweep.json | the pipeline, the axes, and of each trial its values, seed and config |
| trials/TRIAL/ | the run folder of a trial |
| logs/TRIAL.log | what a trial printed |
| results.csv, table.md, figures/ | written by `tff_lg.analysis` |
"""

import contextlib
import dataclasses
import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from tff_lg import checksums, differences, errors, file_names, files, folder_lock, strict_json
from tff_lg.sweeps.grid import Axis, SweepError, Trial
from tff_lg.sweeps.scheduler import Job


@dataclasses.dataclass(frozen=True)
class Changes:
  """The settings of a trial that may differ when it resumes.

  Attributes:
    open_names: fields of configs that change no result.
    may_change: (run folder, config, what settings were and are by name) -> names of those that may
      change; none by default.
    complete: (settings of the trial, its config now) -> the settings, with those that the trial is
      too old to know.
  """

  open_names: Collection[str] = ()
  may_change: Callable[[str, Any, Mapping[str, tuple[Any, Any]]], Collection[str]] | None = None
  complete: Callable[[dict[str, Any], Any], dict[str, Any]] | None = None

  def compare(
    self, run_dir: str, config: Any, before: dict[str, Any], now: Mapping[str, Any]
  ) -> tuple[Mapping[str, tuple[Any, Any]], Collection[str]]:
    """Returns what settings were and are that differ, and the names of those that may not."""
    if self.complete:
      before = self.complete(before, config)
    changes = differences.find(before, now, self.open_names)
    allowed = self.may_change(run_dir, config, changes) if self.may_change else ()
    return changes, [name for name in changes if name not in allowed]


@dataclasses.dataclass(frozen=True)
class SweepFolder:
  """The folder of a sweep.

  Attributes:
    path: of the folder.
    option: the flag that names it.
    what: it holds, in the singular.
  """

  path: str
  option: str = '--sweep_dir'
  what: str = 'sweep'

  @property
  def is_claimed(self) -> bool:
    """Whether the folder holds a sweep to resume."""
    return os.path.exists(os.path.join(self.path, file_names.SWEEP))

  def run_dir(self, trial: str) -> str:
    """Returns the run folder of the trial of this name."""
    return os.path.join(self.path, file_names.TRIALS, trial)

  def log_path(self, trial: str) -> str:
    """Returns the file with what a trial printed."""
    return os.path.join(self.path, 'logs', f'{trial}.log')

  def is_complete(self, trial: str) -> bool:
    """Returns whether the trial has ended; the summary is the last that a run writes."""
    return os.path.exists(os.path.join(self.run_dir(trial), file_names.SUMMARY))

  def jobs_left(self, configs: Mapping[str, Any]) -> list[Job]:
    """Returns jobs of the trials that are not complete, of configs by the trials' names.

    A complete trial of which a file is missing or damaged gets one as well: it mends its folder,
    or says what to do.
    """
    return [
      Job(name, config, self.run_dir(name), self.log_path(name))
      for name, config in configs.items()
      if not (self.is_complete(name) and checksums.is_whole_folder(self.run_dir(name)))
    ]

  def claim(
    self,
    pipeline: str,
    axes: Sequence[Axis],
    trials: Sequence[Trial],
    configs: Mapping[str, Any],
    allowed: Changes = Changes(),
  ) -> None:
    """Makes the folder this sweep's, new or resumed.

    A sweep may have other values and seeds than before, on the same axes. New trials are added,
    and those that are no longer requested keep their folders. The settings of a trial may not
    change once it has written anything, except as its pipeline allows. Such a trial has not ended,
    and resumes. One sweep at a time.

    Args:
      pipeline: that runs the trials.
      axes: of the grid.
      trials: of the sweep.
      configs: the trials' configs by their names, dataclasses of what JSON can hold.
      allowed: what may differ between trials that resume and these.

    Raises:
      SweepError: the folder holds something else, or a sweep of another pipeline or other axes.
        Or a trial has other settings there, or two trials have one config.
    """
    new: dict[str, Any] = {
      'pipeline': pipeline,
      'axes': {axis.name: list(axis.values) for axis in axes},
      'trials': {
        trial.name: {
          'values': dict(trial.values),
          'seed': trial.seed,
          'config': json.loads(json.dumps(dataclasses.asdict(configs[trial.name]))),
        }
        for trial in trials
      },
    }
    _refuse_same_configs(new['trials'])
    old = self._load()
    if old:
      for name in self._check_against(old, new, configs, allowed):
        with contextlib.suppress(FileNotFoundError):
          os.unlink(os.path.join(self.run_dir(name), file_names.SUMMARY))
      earlier = {**old.get('earlier_trials', {}), **old['trials']}
      earlier = {name: trial for name, trial in earlier.items() if name not in new['trials']}
      # The same sweep again leaves the file as it is.
      new = {**new, 'earlier_trials': earlier} if earlier else new
    files.write_atomically(
      os.path.join(self.path, file_names.SWEEP), json.dumps(new, indent=2) + '\n'
    )

  def _load(self) -> dict[str, Any] | None:
    path = os.path.join(self.path, file_names.SWEEP)
    if not self.is_claimed:
      if folder_lock.written_names(self.path):
        raise SweepError(
          f'{self.option}={self.path} is not empty and holds no {self.what}: choose another folder.'
        )
      return None
    remedy = f'put back a copy, or choose another folder for the {self.what}'
    return strict_json.load(path, _checked, remedy, SweepError)

  def _check_against(
    self,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    configs: Mapping[str, Any],
    allowed: Changes,
  ) -> list[str]:
    """Refuses a change of the meaning of trials that are there; names those that resume."""
    go_on = []
    known = {**old.get('earlier_trials', {}), **old['trials']}
    different = [
      f'the {what} was {before}, now {now}'
      for what, before, now in (
        ('pipeline', old['pipeline'], new['pipeline']),
        ('grid', 'over ' + ', '.join(old['axes']), 'over ' + ', '.join(new['axes'])),
      )
      if before != now
    ]
    for name, trial in new['trials'].items():
      if different or name not in known or not os.path.exists(self.run_dir(name)):
        continue
      changes, refused = allowed.compare(
        self.run_dir(name), configs[name], known[name]['config'], trial['config']
      )
      different = [
        f'{key} of trial {name} was {changes[key][0]}, now {changes[key][1]}' for key in refused
      ]
      if changes:
        go_on.append(name)
    if different:
      listed = errors.list_some(different, '; ')
      raise SweepError(
        f'{self.option}={self.path} holds another {self.what} ({listed}): choose another folder, '
        'or delete this one.'
      )
    return go_on


def _checked(definition: Any) -> dict[str, Any]:
  """Returns what `claim` wrote; raises if it is something else."""
  known = {**definition.get('earlier_trials', {}), **definition['trials']}
  kinds = [(definition['pipeline'], str), (definition['axes'], dict)]
  kinds += [(trial['config'], dict) for trial in known.values()]
  for value, kind in kinds:
    if not isinstance(value, kind):
      raise ValueError(f'found a {type(value).__name__}, expected a {kind.__name__}')
  return definition


def _refuse_same_configs(trials: Mapping[str, Any]) -> None:
  """Refuses values that are the same to the pipeline, such as 0.2 and .20."""
  seen: dict[str, str] = {}
  for name, trial in trials.items():
    earlier = seen.setdefault(json.dumps(trial['config'], sort_keys=True), name)
    if earlier != name:
      raise SweepError(f'--grid makes the same trial twice: {earlier} and {name}.')
