"""A finished run that another starts from, by its settings alone; read without TensorFlow."""

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

from tff_lg import config as config_lib
from tff_lg import file_names, metric_names
from tff_lg.config import own_models
from tff_lg.learning.methods import METHODS
from tff_lg.run_folder import run_settings
from tff_lg.tasks import TASKS


def load_config(
  run_dir: str, option: str = '--from_run', *, is_federated: bool = True
) -> config_lib.TrainConfig:
  """Loads the config of a finished run.

  Args:
    run_dir: the run folder.
    option: the flag that names it.
    is_federated: whether only a run with a federated model is accepted.

  Returns:
    The config, resolved: what `run_settings.claim` wrote. Options that the run is too old to know
    have their defaults.

  Raises:
    ValueError: no run, one that is not finished, or one without a federated model.
  """
  try:
    hparams = run_settings.load_hparams(run_dir)
  except (FileNotFoundError, NotADirectoryError) as error:
    raise ValueError(
      f'{option}={run_dir} holds no run: it has no hparams.json, expected the folder of a '
      'finished run of `pipelines.train`.'
    ) from error
  config = _as_config(run_dir, option, hparams)
  if not run_settings.is_complete(run_dir):
    raise ValueError(
      f'{option}={run_dir} is not finished, it has no summary.json: run its `pipelines.train` '
      'command again first, which resumes it.'
    )
  if is_federated and not METHODS[config.method].sends_updates:
    raise ValueError(
      f'{option}={run_dir} is a run of --method={config.method}, expected one with a federated '
      'model to adapt.'
    )
  return config


def check_all_evaluated(run_dir: str) -> None:
  """Refuses a finished run that evaluated a sample of its clients.

  Raises:
    ValueError: one sentence.
  """
  summary = run_settings.load_summary(run_dir)
  if metric_names.NUM_EVALUATED in summary:
    evaluated = summary[metric_names.NUM_EVALUATED]
    raise ValueError(
      f'--from_run={run_dir} evaluated {evaluated} of its clients, expected all of them: train '
      'without --max_evaluated_clients.'
    )


def check_finished(run_dir: str) -> None:
  """Refuses a folder in which no command has ended.

  Raises:
    ValueError: one sentence.
  """
  if not run_settings.is_complete(run_dir):
    raise ValueError(
      f'--run_dir={run_dir} holds no finished run: it has no {file_names.SUMMARY}, expected the '
      'folder of pipelines.train, pipelines.adapt or pipelines.advise.'
    )


def own_models_dir(run_dir: str) -> str:
  """Returns the folder in which a training run keeps the own models of its clients."""
  return os.path.join(run_dir, file_names.BASELINES, own_models.LOCAL_ONLY)


def check_own_models(run_dir: str) -> None:
  """Refuses a folder that cannot have clients' own models, as no run has ended in it.

  Raises:
    ValueError: one sentence.
  """
  if not any(map(run_settings.is_complete, (run_dir, own_models_dir(run_dir)))):
    raise without_own_models(run_dir)


def without_own_models(run_dir: str) -> ValueError:
  """Returns the error of a folder that has no own models."""
  return ValueError(
    f'--local_only_from={run_dir} has no own local models, expected a finished run of '
    '`pipelines.train` with --baselines=local_only, or of `pipelines.adapt` with --own_models.'
  )


def _as_config(run_dir: str, option: str, hparams: Mapping[str, Any]) -> config_lib.TrainConfig:
  known = {field.name for field in dataclasses.fields(config_lib.TrainConfig)}
  unknown = sorted(set(hparams) - known)
  if hparams.get('method') not in (None, *METHODS):
    raise ValueError(
      f'{option}={run_dir} is a run of --method={hparams["method"]}, expected one of '
      f'{", ".join(METHODS)}: --import names the module that adds another.'
    )
  if hparams.get('task') not in (None, *TASKS):
    raise ValueError(
      f'{option}={run_dir} is a run of --task={hparams["task"]}, expected one of '
      f'{", ".join(TASKS)}: --import names the module that adds another.'
    )
  if unknown or 'task' not in hparams:
    raise ValueError(
      f'{option}={run_dir}: hparams.json has {", ".join(unknown) or "no task"}, expected the '
      'settings of a run of `pipelines.train`.'
    )
  return run_settings.to_config(run_settings.with_new_options(dict(hparams)))
