"""Attackers who teach the model a trigger, and replace it with theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tff_lg.attacks.attack import Attack, AttackEntry, Setting, Strength, register

if TYPE_CHECKING:
  import numpy as np
  import tensorflow as tf

  from tff_lg import data
  from tff_lg.compatibility import tff

TARGET_CLASS = 0
_TRIGGER_SIZE = 3
_POISONED_SHARE = 0.5


def backdoor(
  cohort_size: int, strength: float | None = None, server_learning_rate: float = 1.0
) -> Attack:
  """Trains attackers on images with a trigger, labelled 0; they send magnified updates.

  Half of an attacker's training images get the trigger (see `add_trigger`) and the target label;
  the rest keep the model good at its task. The update is multiplied by strength / m, with m the
  number of attackers in the round, who so share the strength. The default is n / eta. A mean over n
  clients of equal weight then becomes the attackers' mean model plus what the honest clients add.
  They add little once the model has converged.

  Args:
    cohort_size: n.
    strength: gamma; None for n / eta.
    server_learning_rate: eta.

  Returns:
    The attack. Its poison raises ValueError for examples that are not images.

  Bagdasaryan et al. 2020, How To Backdoor Federated Learning, equation 3; the trigger as in
  Gu et al. 2017, BadNets.
  """
  import tensorflow as tf  # It takes seconds to import.

  from tff_lg.compatibility import tff

  gamma = strength or cohort_size / server_learning_rate

  def poison(
    x: np.ndarray, y: np.ndarray, num_classes: int, rng: np.random.Generator
  ) -> tuple[np.ndarray, np.ndarray]:
    del num_classes
    poisoned = rng.permutation(len(y))[: round(_POISONED_SHARE * len(y))]
    new_x, new_y = x.copy(), y.copy()
    new_x[poisoned], new_y[poisoned] = add_trigger(x[poisoned]), TARGET_CLASS
    return new_x, new_y

  @tff.tensorflow.computation
  def count(is_attacking: Any) -> tf.Tensor:
    return tf.cast(is_attacking, tf.float32)

  @tff.tensorflow.computation
  def magnify(update: Any, num_attackers: Any) -> tuple:
    return tuple(gamma / tf.maximum(num_attackers, 1.0) * delta for delta in update)

  def update_attack(updates: tff.Value, is_attacking: tff.Value, seeds: tff.Value) -> tff.Value:
    del seeds
    num_attackers = tff.federated_sum(tff.federated_map(count, is_attacking))
    return tff.federated_map(magnify, (updates, tff.federated_broadcast(num_attackers)))

  return Attack(gamma, poison, update_attack, triggered_test)


def add_trigger(x: np.ndarray) -> np.ndarray:
  """Returns images with a white square of 3 x 3 pixels in the lower right corner.

  Args:
    x: [n, height, width, channels], in [0, 1]; not changed.

  Returns:
    A copy with the trigger.

  Raises:
    ValueError: the examples are not images.
  """
  if x.ndim != 4:
    raise ValueError(
      f'backdoor: examples have shape {list(x.shape[1:])}, expected images '
      '[height, width, channels], which a trigger of pixels can be put on.'
    )
  triggered = x.copy()
  triggered[:, -_TRIGGER_SIZE:, -_TRIGGER_SIZE:] = 1
  return triggered


def triggered_test(test: data.Examples) -> data.Examples:
  """Returns test images that a backdoor would have taken for the target class.

  Args:
    test: images, of which those of the target class are left out.

  Returns:
    Copies with the trigger, labelled as the target class: a model's accuracy on them is the
    backdoor's success.
  """
  import numpy as np

  from tff_lg import data

  others = test.take(np.flatnonzero(test.y != TARGET_CLASS))
  return data.Examples(add_trigger(others.x), np.full_like(others.y, TARGET_CLASS))


def _build(options: Strength, setting: Setting) -> Attack:
  return backdoor(setting.cohort_size, options.attack_strength, setting.server_learning_rate)


register(
  AttackEntry(
    name='backdoor',
    label='backdoor',
    does='teach a trigger of 3 x 3 pixels, and multiply their update so that it replaces the model',
    strength='cohort / server learning rate',
    build=_build,
    options=Strength,
    needs_images=True,
    needs_classes=True,
  )
)
