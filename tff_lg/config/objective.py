"""What clients minimise beside their own loss: auxiliary networks, and the tasks that they fit."""

from typing import Any

from tff_lg.config import mood, text
from tff_lg.config.option import ConfigError


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
  task, auxiliary = config.task, config.auxiliary
  on_vectors = task == 'embeddings' and auxiliary == 'jigsaw'
  on_words = task in (mood.TASK, *text.TASKS)
  if on_vectors or (on_words and auxiliary not in (None, 'supervised')):
    raise ConfigError(
      f'--auxiliary is {auxiliary}, but --task={task} has no '
      f'{"images" if auxiliary == "jigsaw" else "numbers as inputs"}.'
    )
