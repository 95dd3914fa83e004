"""The leaderboard of any finished runs: which of them are repeats of one row."""

import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tff_lg import config as config_lib
from tff_lg import file_names, metrics
from tff_lg.analysis import leaderboard, names, readers, tables
from tff_lg.analysis.adaptation_folder import AdaptationFolder
from tff_lg.analysis.leaderboard_runs import RunScores, load_adapted, score_run
from tff_lg.analysis.readers import RunFolderError
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.run_folder import run_settings

# What is not what distinguishes rows: repeats, folders, and where and beside what it was run.
_IGNORED = {
  *('seed', 'partition_seed', 'fold', 'baselines', 'from_run', 'local_only_from', 'data_dir'),
  *config_lib.WITHOUT_EFFECT,
  *(
    field.name
    for kind in (config_lib.RuntimeOptions, config_lib.StorageOptions)
    for field in dataclasses.fields(kind)
  ),
  'score_on_others',
}


class _Found(NamedTuple):
  """A run of a row.

  Attributes:
    label: of its method.
    settings: that distinguish rows of one label.
    task: and what is predicted, which all rows share.
    scores: of its clients.
  """

  label: str
  settings: Mapping[str, Any]
  task: tuple[str, str]
  scores: RunScores


def compare_folders(
  run_dir: str, folders: Sequence[str], command: str
) -> tuple[tables.Table, tuple[str, str]]:
  """Writes the leaderboard of finished runs.

  Runs of one method with the same settings, but for the seed, are repeats of one row. Baselines of
  a run are rows, too, and so are the techniques of an adaptation.

  Args:
    run_dir: gets the page and the CSV file.
    folders: of runs of `pipelines.train` and `pipelines.adapt`, at least one.
    command: what was run, for the page.

  Returns:
    The table, and the paths of both files.

  Raises:
    RunFolderError: a folder is not a finished run, or the runs are not of one task; one sentence.
    OSError: a file cannot be written.
  """
  found = [run for folder in folders for run in _load(folder)]
  tasks = {run.task for run in found}
  if len(tasks) > 1:
    listed = ', '.join(sorted('/'.join(task) for task in tasks))
    raise RunFolderError(f'--runs has runs on {listed}, expected runs on one task.')
  rows: dict[str, list[_Found]] = {}
  for run in found:
    key = json.dumps([run.label, run.settings], sort_keys=True, default=str)
    rows.setdefault(key, []).append(run)
  firsts = [runs[0] for runs in rows.values()]
  board = [
    leaderboard.LeaderboardRow(
      runs[0].label,
      runs[0].label,
      [run.scores for run in runs],
      about=_differences(runs[0], [each for each in firsts if each.label == runs[0].label]),
    )
    for runs in rows.values()
  ]
  shown = leaderboard.of_metric(RunFolder.load(_source(folders[0])).metric.name)
  return leaderboard.write_leaderboard(run_dir, 'Leaderboard', board, shown, command)


def _load(folder: str) -> list[_Found]:
  if _is_adaptation(folder):
    run = AdaptationFolder.load(folder)
    settings = {**_settings(run.source), **_settings(run.hparams, config_lib.AdaptConfig)}
    task = _task(run.source)
    start = names.method_name(str(run.source.get('method')))
    return [
      _Found(
        f'{start}, {names.model_name(technique)}', settings, task, load_adapted(folder, technique)
      )
      for technique in run.adaptations
    ]
  trained = RunFolder.load(folder)
  return [
    _Found(
      names.run_name(run.method, run.hparams.get('aggregator')),
      _settings(run.hparams),
      _task(trained.hparams),
      score_run(run),
    )
    for run in (*trained.baselines.values(), trained)
  ]


def _is_adaptation(folder: str) -> bool:
  if not os.path.isdir(folder):
    raise RunFolderError(f'--runs has {folder}: there is no such run folder.')
  return 'adaptation' in readers.read_object(os.path.join(folder, file_names.HPARAMS))


def _source(folder: str) -> str:
  """Returns the run that was trained."""
  hparams = readers.read_object(os.path.join(folder, file_names.HPARAMS))
  return str(hparams['from_run']) if 'adaptation' in hparams else folder


def _task(hparams: Mapping[str, Any]) -> tuple[str, str]:
  return str(hparams.get('task')), str(hparams.get('objective') or metrics.DEFAULT_OBJECTIVE)


def _settings(
  hparams: Mapping[str, Any], make_config: run_settings.MakeConfig = run_settings.make_training
) -> dict[str, Any]:
  own = {name: value for name, value in hparams.items() if name != 'source'}
  complete = run_settings.with_new_options(own, make_config)
  return {name: value for name, value in complete.items() if name not in _IGNORED}


def _differences(run: _Found, others: Sequence[_Found]) -> str:
  """Returns the settings in which rows of one label differ, with the values of one of them."""
  different = [
    name
    for name in run.settings
    if any(other.settings.get(name) != run.settings[name] for other in others)
  ]
  return ', '.join(f'{name}={run.settings[name]}' for name in different)
