"""Objectives beside the clients' own loss: auxiliary networks, and the tasks that they fit."""

from typing import Any

from tff_lg.config.option import ConfigError
from tff_lg.tasks import TASKS


def defaults(config: Any) -> dict[str, Any]:
  """Returns what options that are None stand for, by name, where they apply."""
  return {'global_loss_weight': 1.0, 'auxiliary_units': (64,)} if config.auxiliary else {}


def check(config: Any) -> None:
  """Refuses an auxiliary network that the task cannot have.

  Args:
    config: a `TrainConfig`, as the user gave it.

  Raises:
    ConfigError: it is given.
  """
  task, auxiliary = TASKS[config.task], config.auxiliary
  without_images = not task.has_images and auxiliary == 'jigsaw'
  if without_images or (not task.has_numbers and auxiliary not in (None, 'supervised')):
    raise ConfigError(
      f'--auxiliary is {auxiliary}, but --task={config.task} has no '
      f'{"images" if auxiliary == "jigsaw" else "numbers as inputs"}.'
    )
