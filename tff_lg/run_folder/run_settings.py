"""The settings of a run folder, and whether its run has ended; read without TensorFlow."""

import dataclasses
import functools
import json
import math
import os
from collections.abc import Callable, Collection, Mapping
from typing import Any

from absl import logging

from tff_lg import (
  checksums,
  differences,
  errors,
  file_names,
  files,
  folder_lock,
  strict_json,
  sweeps,
)
from tff_lg import config as config_lib
from tff_lg.run_folder import changed_settings

# What to do about a damaged result.
REMEDY = 'delete summary.json, and the same command makes both again from what the run has kept'

# Makes a config of options by name, resolved.
MakeConfig = Callable[..., Any]


def make_training(**options: Any) -> config_lib.TrainConfig:
  """Makes the config of a training run, resolved."""
  return config_lib.resolve(config_lib.TrainConfig(**options))


def check(run_dir: str, config: config_lib.TrainConfig) -> bool:
  """Checks that the folder can be this config's; writes nothing.

  Returns:
    Whether it is already: it holds a run of this config.

  Raises:
    ValueError: it holds the run of another config, or something else; the sentence
      names what differs.
  """
  return _changes(run_dir, config) is not None


def _changes(run_dir: str, config: config_lib.TrainConfig) -> changed_settings.Differences | None:
  """Returns the settings that the run in the folder changes when it resumes; None for no run."""
  # Without a number of clients it is open until the data are loaded.
  open_names = {'clients_per_round'} if config.clients_per_round is None else set()
  hparams = dataclasses.asdict(config)
  different = _differences(
    run_dir, hparams, open_names | config_lib.WITHOUT_EFFECT, with_new_options
  )
  if different is None:
    return None
  allowed = changed_settings.may_change(run_dir, config, different)
  _refuse(run_dir, {name: values for name, values in different.items() if name not in allowed})
  return different


def check_hparams(
  run_dir: str, hparams: Mapping[str, Any], make_config: MakeConfig = make_training
) -> bool:
  """Checks that no setting has changed, by name; `make_config` is of `with_new_options`."""
  complete = functools.partial(with_new_options, make_config=make_config)
  different = _differences(run_dir, hparams, (), complete)
  _refuse(run_dir, different or {})
  return different is not None


def _differences(
  run_dir: str,
  hparams: Mapping[str, Any],
  open_names: Collection[str],
  complete: Callable[[dict[str, Any]], dict[str, Any]],
) -> changed_settings.Differences | None:
  """Returns old and new values of settings that differ; None if the folder has no run to resume.

  `complete` adds settings that the run in the folder is too old to have.
  """
  path = os.path.join(run_dir, file_names.HPARAMS)
  if not os.path.exists(path):
    # A temporary file may be left of a run that was killed as it began.
    if folder_lock.written_names(run_dir):
      raise ValueError(f'--run_dir={run_dir} is not empty and holds no run: choose another folder.')
    return None
  hparams = _as_json_gives_it(hparams)
  try:
    found = _flat(complete(load_hparams(run_dir)))
  except ValueError:
    if not _flags_agree(run_dir, hparams, open_names):
      raise
    logging.warning('%s is damaged and written again, as flags.txt has the same settings.', path)
    return None
  return differences.find(found, _flat(hparams), open_names)


def to_config(hparams: Mapping[str, Any]) -> config_lib.TrainConfig:
  """Makes a config of settings as `load_hparams` gives them, as they are.

  Raises:
    TypeError: there is an option that no config has.
  """
  return config_lib.TrainConfig(**_with_tuples(hparams))


def _with_tuples(hparams: Mapping[str, Any]) -> dict[str, Any]:
  return {name: tuple(v) if isinstance(v, list) else v for name, v in hparams.items()}


def with_new_options(
  hparams: dict[str, Any], make_config: MakeConfig = make_training
) -> dict[str, Any]:
  """Adds options that a run is too old to know, with what they stand for by default.

  Args:
    hparams: as `load_hparams` gives them. Settings under a name are a run's of training, such as
      those of the source run under `source`.
    make_config: makes the config of options by name, resolved.

  Returns:
    The settings with these options; as they are, where they make no config.
  """
  nested = {n: with_new_options(v) for n, v in hparams.items() if isinstance(v, dict)}
  own = {name: value for name, value in hparams.items() if name not in nested}
  # None is an option that was not given; some have since got a default.
  given = {name: value for name, value in own.items() if value is not None}
  try:
    config = make_config(**_with_tuples(given))
  except (TypeError, config_lib.ConfigError):
    return own | nested
  return _as_json_gives_it(dataclasses.asdict(config)) | given | nested


def of_trial(hparams: dict[str, Any], config: Any) -> dict[str, Any]:
  """Adds options that a trial of a sweep is too old to know; `config` is what it is now."""
  is_training = isinstance(config, config_lib.TrainConfig)
  return with_new_options(hparams, make_training if is_training else type(config))


# What may differ when trials of a sweep resume.
TRIAL_CHANGES = sweeps.Changes(config_lib.WITHOUT_EFFECT, changed_settings.may_change, of_trial)


def _refuse(run_dir: str, different: changed_settings.Differences) -> None:
  if different:
    changes = [f'{name} was {before}, now {now}' for name, (before, now) in different.items()]
    raise ValueError(
      f'--run_dir={run_dir} holds a run with other settings ({errors.list_some(changes)}): choose '
      'another folder, or delete this one.'
    )


def claim(run_dir: str, config: config_lib.TrainConfig) -> None:
  """Makes the folder this config's, if `check` allows it; records what changes."""
  changes = _changes(run_dir, config)
  if changes:
    changed_settings.record(run_dir, changes, trains_to_best=config.trains_to_best)
  _claim(run_dir, dataclasses.asdict(config), is_claimed=changes == {})
  changed_settings.forget_divergence(run_dir, changes or ())


def finished_rates(run_dir: str) -> dict[str, Any]:
  """Returns the learning rates of the run in a folder, by name, if that has ended.

  A baseline that has ended did not diverge, and has nothing to resume at a lower rate.
  """
  if not is_complete(run_dir):
    return {}
  found = load_hparams(run_dir)
  return {name: found[name] for name in changed_settings.RATES if name in found}


def claim_hparams(
  run_dir: str, hparams: Mapping[str, Any], make_config: MakeConfig = make_training
) -> None:
  """Writes settings by name into a folder, if `check_hparams` allows it.

  A value that is a dict is not a flag.
  """
  _claim(run_dir, hparams, check_hparams(run_dir, hparams, make_config))


def _claim(run_dir: str, hparams: Mapping[str, Any], is_claimed: bool) -> None:
  hparams = _as_json_gives_it(hparams)
  if not is_claimed:
    path = files.write_atomically(
      os.path.join(run_dir, file_names.HPARAMS), strict_json.dumps(hparams)
    )
    checksums.update(path)
  files.write_atomically(
    os.path.join(run_dir, file_names.FLAGS), ''.join(_flag_lines(hparams).values())
  )


def _flag_lines(hparams: Mapping[str, Any]) -> dict[str, str]:
  """Returns the lines of a flag file, by the flags' names."""
  given = {n: v for n, v in hparams.items() if v is not None and not isinstance(v, dict)}
  return {name: f'--{name}={_flag_value(value)}\n' for name, value in given.items()}


def _flags_agree(run_dir: str, hparams: Mapping[str, Any], open_names: Collection[str]) -> bool:
  """Returns whether the flag file has exactly these settings; False if it cannot have them all."""
  if any(isinstance(value, dict) for value in hparams.values()):
    return False
  try:
    with open(os.path.join(run_dir, file_names.FLAGS), encoding='utf-8') as file:
      lines = file.readlines()
  except (OSError, ValueError):
    return False
  found = {line.removeprefix('--').partition('=')[0]: line for line in lines}
  expected = _flag_lines(hparams)
  return all(
    found.get(name) == expected.get(name) for name in {*found, *expected} - set(open_names)
  )


def load_hparams(run_dir: str) -> dict[str, Any]:
  """Loads the settings in a folder as `claim` wrote them.

  Raises:
    FileNotFoundError: there are none.
    ValueError: the file is damaged; one sentence that names it.
  """
  path = os.path.join(run_dir, file_names.HPARAMS)
  checksums.check(path)
  return strict_json.load(path, dict, 'put back a copy of the settings of the run')


def is_complete(run_dir: str) -> bool:
  """Returns whether the run in the folder has ended."""
  return os.path.exists(os.path.join(run_dir, file_names.SUMMARY))


def load_summary(run_dir: str) -> dict[str, Any]:
  """Loads the summary of a complete run.

  Raises:
    ValueError: the file is damaged; one sentence that names it.
  """
  path = os.path.join(run_dir, file_names.SUMMARY)
  checksums.check(path)
  summary = strict_json.load(path, dict, REMEDY)
  return {name: math.nan if value is None else value for name, value in summary.items()}


def _as_json_gives_it(hparams: Mapping[str, Any]) -> dict[str, Any]:
  return json.loads(strict_json.dumps(hparams))


def _flat(hparams: Mapping[str, Any]) -> dict[str, Any]:
  """Returns the settings, those of settings under names such as `source/rounds`."""
  flat = {}
  for name, value in hparams.items():
    flat.update(
      {f'{name}/{n}': v for n, v in value.items()} if isinstance(value, dict) else {name: value}
    )
  return flat


def _flag_value(value: Any) -> str:
  if isinstance(value, list):
    return ','.join(map(str, value))
  return str(value).lower() if isinstance(value, bool) else str(value)
