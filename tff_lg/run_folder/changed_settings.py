"""Settings that a resumed run may change: more rounds, or a lower rate once it diverged.

Each change is in `changes.json` of the run folder, with the round after which it holds.
"""

import contextlib
import os
from collections.abc import Collection, Mapping
from typing import Any

from absl import logging

from tff_lg import config as config_lib
from tff_lg import file_names, files, metric_names, strict_json
from tff_lg.aggregators import AGGREGATORS
from tff_lg.run_folder import adopted_rounds

_ROUNDS = 'rounds'
RATES = ('client_learning_rate', 'server_learning_rate')

# What a setting was, and what it is now, by name.
Differences = Mapping[str, tuple[Any, Any]]


def may_change(run_dir: str, config: object, differences: Differences) -> set[str]:
  """Returns the settings that may differ from those of the run in a folder.

  Args:
    run_dir: the run folder.
    config: of the run to resume. Only one of training may change any.
    differences: all of them.

  Returns:
    `rounds`, if there are more now, and neither a privacy budget nor a learning rate depends on
    their number. Rates that are lower now, if the run diverged.
  """
  if not isinstance(config, config_lib.TrainConfig):
    return set()
  names = RATES if os.path.exists(os.path.join(run_dir, file_names.DIVERGED)) else ()
  lower = {name for name in names if _is_less(*differences.get(name, (0, 0))[::-1])}
  is_fixed = AGGREGATORS[config.aggregator].is_private or config_lib.needs_num_rounds(config)
  more = _is_less(*differences.get(_ROUNDS, (0, 0))) and not is_fixed
  return lower | ({_ROUNDS} if more else set())


def record(run_dir: str, differences: Differences, *, trains_to_best: bool) -> None:
  """Records changes of settings, and makes the run one that has not ended.

  Clients that learn alone to their best have no rounds, so that more of them change nothing.

  Args:
    run_dir: the run folder, whose settings are still the ones before.
    differences: those that are allowed, not empty.
    trains_to_best: whether clients learn alone to their best.
  """
  if trains_to_best and set(differences) == {_ROUNDS}:
    return
  with contextlib.suppress(FileNotFoundError):
    os.unlink(os.path.join(run_dir, file_names.SUMMARY))
  saved = adopted_rounds.rounds(run_dir)
  change = {
    'after_round': saved[-1] if saved else 0,
    **{name: list(before_and_now) for name, before_and_now in differences.items()},
  }
  changes = load(run_dir)
  # A run that is killed before its new settings are written finds the same change again.
  if changes[-1:] != [change]:
    files.write_atomically(
      os.path.join(run_dir, file_names.CHANGES), strict_json.dumps([*changes, change])
    )
  logging.warning('%s resumes with other settings: %s.', run_dir, _describe(change))


def load(run_dir: str) -> list[dict[str, Any]]:
  """Loads the changes of a run, the first one first.

  Raises:
    ValueError: the file is damaged; one sentence.
  """
  path = os.path.join(run_dir, file_names.CHANGES)
  if not os.path.exists(path):
    return []
  return strict_json.load(path, lambda found: list(map(dict, found)), 'put back a copy')


def summarize(run_dir: str) -> dict[str, str]:
  """Returns the entry of the run's summary; none for a run without changes."""
  changes = load(run_dir)
  return {metric_names.CHANGED_SETTINGS: '; '.join(map(_describe, changes))} if changes else {}


def changed(run_dir: str) -> set[str]:
  """Returns the names of the settings that were changed."""
  return {name for change in load(run_dir) for name in change} - {'after_round'}


def has_one_setting(run_dir: str) -> bool:
  """Returns whether all rounds of a run have the settings that it ended with."""
  return changed(run_dir) <= {_ROUNDS}


def mark_diverged(run_dir: str, message: str) -> None:
  """Lets the run in a folder resume with lower rates."""
  text = strict_json.dumps({'message': message})
  files.write_atomically(os.path.join(run_dir, file_names.DIVERGED), text)


def forget_divergence(run_dir: str, names: Collection[str]) -> None:
  """Ends that, once the settings of these names are changed and written, if they are rates."""
  if set(names) & set(RATES):
    with contextlib.suppress(FileNotFoundError):
      os.unlink(os.path.join(run_dir, file_names.DIVERGED))


def _is_less(one: Any, other: Any) -> bool:
  # An older run may not have the setting.
  return isinstance(one, int | float) and isinstance(other, int | float) and one < other


def _describe(change: Mapping[str, Any]) -> str:
  listed = [f'{n} from {v[0]} to {v[1]}' for n, v in change.items() if n != 'after_round']
  return f'after round {change["after_round"]} {", ".join(listed)}'
