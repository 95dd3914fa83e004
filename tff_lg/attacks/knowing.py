"""Attackers who know the updates of all honest clients of the round, and send one vector.

ByzFL's attackers and those of most papers know as much: it is the worst case. A client that
dropped out sends zeros, which say nothing; they do not count among the updates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorflow as tf

from tff_lg.aggregators.factories import gathering
from tff_lg.compatibility import tff

if TYPE_CHECKING:
  from tff_lg import learning

# (updates of honest clients float32 [h, d], number of attackers int32) -> float32 [d], traced as
# TensorFlow. h may be 0, then the vector does not matter.
Craft = Callable[[tf.Tensor, tf.Tensor], tf.Tensor]

# What the optimised attacks try: from next to nothing to far outside, each 1.6 times the last.
STRENGTHS = tuple(0.1 * 1.6**power for power in range(16))
_HONEST, _ATTACKING = 1.0, 2.0


def update_attack(craft: Craft) -> learning.UpdateAttack:
  """Returns the attack by which all attackers of a round send the vector that they craft."""

  def rule(stack: tf.Tensor, weights: tf.Tensor) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    honest = tf.boolean_mask(stack, tf.equal(weights, _HONEST))
    honest = tf.ensure_shape(honest, [None, stack.shape[1]])
    num_attackers = tf.math.count_nonzero(tf.equal(weights, _ATTACKING), dtype=tf.int32)
    return craft(honest, num_attackers), {}

  @tff.tensorflow.computation
  def mark(update: Any, is_attacking: Any) -> tf.Tensor:
    is_zero = tf.reduce_all([tf.reduce_all(tf.equal(delta, 0.0)) for delta in tuple(update)])
    return tf.where(is_attacking, _ATTACKING, tf.where(is_zero, 0.0, _HONEST))

  factory = gathering.rule_factory(rule, weighted=True)

  def attack(updates: tff.Value, is_attacking: tff.Value, seeds: tff.Value) -> tff.Value:
    del seeds
    update_type = updates.type_signature.member
    process = factory.create(update_type, tff.TensorType(np.float32))
    marks = tff.federated_map(mark, (updates, is_attacking))
    return tff.federated_broadcast(process.next(process.initialize(), updates, marks).result)

  return attack


def strongest(
  rule: gathering.Rule, honest: tf.Tensor, num_attackers: tf.Tensor, vectors: Callable
) -> tf.Tensor:
  """Returns the vector that moves the aggregate farthest from the honest mean.

  Args:
    rule: of the server.
    honest: updates of honest clients, float32 [h, d].
    num_attackers: that send the vector, int32.
    vectors: strength, a scalar tensor -> the vector, float32 [d].

  Returns:
    That of `STRENGTHS` which moves it farthest, the weakest of equal ones.
  """
  mean = tf.reduce_mean(honest, axis=0)

  def distance(strength: tf.Tensor) -> tf.Tensor:
    sent = tf.tile(vectors(strength)[tf.newaxis], [num_attackers, 1])
    stack = tf.concat([honest, sent], axis=0)
    moved = tf.norm(rule(stack, tf.ones([tf.shape(stack)[0]]))[0] - mean)
    return tf.where(tf.math.is_finite(moved), moved, -1.0)

  distances = tf.map_fn(distance, tf.constant(STRENGTHS, tf.float32), parallel_iterations=1)
  return vectors(tf.gather(tf.constant(STRENGTHS, tf.float32), tf.argmax(distances)))
