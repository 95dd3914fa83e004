"""What clients minimise beside their own loss: a distance from the mean, auxiliary networks."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from tff_lg.config import mood, text
from tff_lg.config.option import ConfigError, check_belongs, option

AUXILIARIES = ('supervised', 'autoencoder', 'jigsaw')


@dataclasses.dataclass(frozen=True)
class ObjectiveOptions:
  """Options of objectives; None stands for a default or for none."""

  mtl_strength: float | None = option(
    None,
    "lambda: the penalty lambda * ||w - mean||^2 on the distance of a client's own model w from "
    'the mean of all (--method=mtl); 0.1 by default.',
  )
  mtl_weight_decay: float | None = option(
    None,
    "lambda_2: the penalty lambda_2 * ||w||^2 on a client's own model w (--method=mtl); 0 by "
    'default.',
  )
  auxiliary: str | None = option(
    None,
    'What a network of the client learns from the local layers below the global ones '
    '(--method=lg_fedavg): to predict the label (supervised), the input (autoencoder), or which '
    'permutation the tiles of an image are in (jigsaw). It is never sent, and no prediction uses '
    'it; by default there is none.',
    AUXILIARIES,
  )
  global_loss_weight: float | None = option(
    None,
    'lambda: of the loss L_local + lambda * L_global, where L_local is that of the auxiliary '
    "network: a greater one is more of the whole model's loss, L_global (--auxiliary); 1 by "
    'default.',
  )
  auxiliary_units: tuple[int, ...] | None = option(
    None, 'Units of each hidden layer of the auxiliary network (--auxiliary); 64 by default.'
  )


_BELONGS_TO = {
  'mtl_strength': 'mtl',
  'mtl_weight_decay': 'mtl',
  **dict.fromkeys(('auxiliary', 'global_loss_weight', 'auxiliary_units'), 'lg_fedavg'),
}


def defaults(options: ObjectiveOptions, methods: Sequence[str]) -> dict[str, Any]:
  """What options that are None stand for, by name, where they apply."""
  of_auxiliary = {'global_loss_weight': 1.0, 'auxiliary_units': (64,)}
  return {
    **({'mtl_strength': 0.1} if 'mtl' in methods else {}),
    **(of_auxiliary if options.auxiliary else {}),
  }


def without(method: str) -> dict[str, Any]:
  """Options that do not belong to the method, each as None, by name."""
  return {name: None for name, needed in _BELONGS_TO.items() if needed != method}


def check(options: ObjectiveOptions, methods: Sequence[str], task: str) -> None:
  """Refuses options that cannot be, or that contradict the methods or the task.

  Args:
    options: as the user gave them.
    methods: of the run and its baselines, the run's first.
    task: the task's name.

  Raises:
    ConfigError: the first of them.
  """
  for name, needed in _BELONGS_TO.items():
    check_belongs(options, (name,), 'method', methods, (needed,))
    is_given = getattr(options, name) is not None
    if is_given and needed == 'lg_fedavg' and options.auxiliary is None:
      raise ConfigError(f'--{name} is given, but there is no --auxiliary.')
  on_vectors = task == 'embeddings' and options.auxiliary == 'jigsaw'
  on_words = task in (mood.TASK, *text.TASKS)
  if on_vectors or (on_words and options.auxiliary not in (None, 'supervised')):
    raise ConfigError(
      f'--auxiliary is {options.auxiliary}, but --task={task} has no '
      f'{"images" if options.auxiliary == "jigsaw" else "numbers as inputs"}.'
    )
  for name in ('mtl_strength', 'mtl_weight_decay'):
    value = getattr(options, name)
    if value is not None and value < 0:
      raise ConfigError(f'--{name} is {value}, expected 0 or more.')
  if options.global_loss_weight is not None and options.global_loss_weight <= 0:
    raise ConfigError(
      f'--global_loss_weight is {options.global_loss_weight}, expected more than 0.'
    )
  if options.auxiliary_units and min(options.auxiliary_units) < 1:
    raise ConfigError(
      f'--auxiliary_units has {min(options.auxiliary_units)}, expected more than 0.'
    )
