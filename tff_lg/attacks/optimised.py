"""Attacks whose strength is optimised against the rule in use, each round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tff_lg.aggregators import AGGREGATORS
from tff_lg.attacks.attack import Attack, AttackEntry, Setting, register
from tff_lg.entries import listed

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg.aggregators.factories.gathering import Rule


def optimised_inner_product(rule: Rule) -> Attack:
  """Builds inner-product manipulation with the strength that moves the aggregate farthest.

  In each round, attackers try `knowing.STRENGTHS` on the server's rule. They choose the strength
  with which the aggregate is farthest from the mean of honest updates. They send that mean times
  minus the strength.

  Args:
    rule: of the server; of a rule with memory, that of its first round.

  Returns:
    The attack. A round costs 16 aggregations more.

  Xie et al. 2020, Fall of Empires, section 4; optimised as by Shejwalkar and Houmansadr 2021.
  """
  import tensorflow as tf  # It takes seconds to import.

  def direction(honest: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    mean = tf.reduce_mean(honest, axis=0)
    return tf.zeros_like(mean), -mean

  return _optimised(rule, direction)


def optimised_little_is_enough(rule: Rule) -> Attack:
  """Builds A Little Is Enough with the strength that moves the aggregate farthest.

  As `optimised_inner_product`, but attackers send mean - strength * std of honest updates, by
  coordinate.

  Args:
    rule: of the server; of a rule with memory, that of its first round.

  Returns:
    The attack. A round costs 16 aggregations more.

  Baruch et al. 2019, section 3; optimised as by Shejwalkar and Houmansadr 2021.
  """
  import tensorflow as tf

  def direction(honest: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return tf.reduce_mean(honest, axis=0), -tf.math.reduce_std(honest, axis=0)

  return _optimised(rule, direction)


def _optimised(rule: Rule, direction: Callable) -> Attack:
  """Builds an attack from (honest updates) -> where strengths begin, and what they multiply."""
  from tff_lg.attacks import knowing

  def craft(honest: tf.Tensor, num_attackers: tf.Tensor) -> tf.Tensor:
    start, along = direction(honest)
    return knowing.strongest(rule, honest, num_attackers, lambda by: start + by * along)

  return Attack(update_attack=knowing.update_attack(craft))


def _entry(name: str, label: str, does: str, attack: Callable[[Rule], Attack]) -> None:
  def build(options: Any, setting: Setting) -> Attack:
    del options
    if setting.rule is None:
      raise ValueError(f'attack {name} is optimised against a rule, but this aggregator has none.')
    return attack(setting.rule)

  def check(config: Any) -> Iterator[str]:
    rules = [each for each, entry in AGGREGATORS.items() if entry.rule]
    if config.aggregator not in rules:
      yield (
        f'--attack={name} is optimised against a rule: --aggregator is {config.aggregator}, '
        f'expected {listed(rules)}.'
      )

  register(
    AttackEntry(
      name=name,
      label=label,
      does=does,
      strength='the strongest of 16, from 0.1 to 115',
      build=build,
      contradictions=check,
    )
  )


_entry(
  'optimised_inner_product',
  'inner product, optimised',
  'inner product with the strength that moves the aggregate farthest from the honest mean',
  optimised_inner_product,
)
_entry(
  'optimised_little_is_enough',
  'A Little Is Enough, optimised',
  'mean - z std of honest updates, with the z that moves the aggregate farthest',
  optimised_little_is_enough,
)
