"""Elastic weight consolidation: what matters elsewhere stays. Yu et al. 2020, equation 5."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries
from tff_lg.adaptation.technique import Adaptation, TechniqueEntry, register
from tff_lg.option_check import NOT_NEGATIVE, POSITIVE

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg.learning import objectives
  from tff_lg.models import local_global

# By default, times the size of the batches whose gradients the Fisher information squares.
_STRENGTHS = (5.0, 50.0, 500.0)
_BATCH_SIZE = 100


@attrs.frozen
class Options:
  """Options of EWC."""

  ewc_learning_rate: tuple[float, ...] | None = entries.option(
    None,
    'Learning rate, or several to choose from',
    POSITIVE,
    by_default='--learning_rate',
  )
  ewc_strength: tuple[float, ...] | None = entries.option(
    None,
    'lambda, or several to choose from',
    NOT_NEGATIVE,
    by_default='5, 50 and 500, times --fisher_batch_size with --fisher=batch,',
  )
  fisher: str = entries.option(
    'example',
    'Fisher information. example: the mean over examples of their squared gradients, its '
    "definition; batch: the mean over batches of their mean gradients' squares, as in the paper's "
    'code, which is smaller by about the size of the batch',
    choices=('example', 'batch'),
  )
  fisher_batch_size: int = entries.option(
    _BATCH_SIZE, 'Size of the batches of --fisher=batch', POSITIVE, by_default='that of the code'
  )
  fisher_examples: int = entries.option(
    1000,
    'Examples for the Fisher information, drawn from the validation data of all clients. They '
    'stand in for the public data that a real use needs',
    POSITIVE,
  )

  @property
  def squared_batch_size(self) -> int:
    """Examples whose mean gradient the Fisher information squares, 1 by its definition."""
    return self.fisher_batch_size if self.fisher == 'batch' else 1


def ewc(strength: float = 50.0, fisher_batch_size: int = 1) -> Adaptation:
  """Adds sum_i strength / 2 * F_i (A_i - G_i)^2 to the model's own loss.

  A are the adapted weights, G those that the client started from, F the Fisher diagonal at
  G on public auxiliary data, see `fisher_diagonal`.

  Args:
    strength: lambda, not negative; 0 is fine-tuning. Its scale is that of F: the paper's 5000
      belongs to a `fisher_batch_size` of 100.
    fisher_batch_size: examples whose mean gradient F squares, a positive int; 1 is the
      definition of F.

  Returns:
    The adaptation, which measures F.

  Raises:
    ValueError: `strength` is negative or `fisher_batch_size` not positive.

  Yu et al. 2020, equation 5 (there called MTL); Kirkpatrick et al. 2017, equation 3.
  """
  if strength < 0:
    raise ValueError(f'ewc strength is {strength}, expected a number >= 0.')
  if fisher_batch_size < 1:
    raise ValueError(f'ewc fisher_batch_size is {fisher_batch_size}, expected a positive int.')

  import tensorflow as tf  # It takes seconds to import.

  from tff_lg.adaptation import fisher
  from tff_lg.learning import objectives

  def build_objective(importance: tuple) -> objectives.Objective:
    def penalised(
      model: local_global.LocalGlobalModel,
      weights: tuple,
      initial_weights: tuple,
      x: tf.Tensor,
      y: tf.Tensor,
    ) -> tf.Tensor:
      terms = [
        tf.reduce_sum(f * tf.square(a - g))
        for f, a, g in zip(importance, weights, initial_weights, strict=True)
      ]
      loss = objectives.supervised(model, weights, initial_weights, x, y)
      return loss + strength / 2 * tf.add_n(terms)

    return penalised

  measure = functools.partial(fisher.fisher_diagonal, batch_size=fisher_batch_size)
  return Adaptation(objective=build_objective, measure=measure)


def _build(options: Options, setting: Mapping[str, Any]) -> Adaptation:
  return ewc(setting['ewc_strength'], options.squared_batch_size)


def _defaults(config: Any, source: Any) -> Mapping[str, Any]:
  del source
  factor = config.fisher_batch_size if config.fisher == 'batch' else 1
  return {'ewc_strength': tuple(factor * strength for strength in _STRENGTHS)}


def _fast(config: Any) -> Mapping[str, Any]:
  return {
    'ewc_strength': (config.ewc_strength or _STRENGTHS)[:1],
    'fisher_examples': min(config.fisher_examples, 20),
  }


def _contradictions(config: Any) -> Iterator[str]:
  if config.fisher != 'batch' and config.fisher_batch_size != _BATCH_SIZE:
    yield (
      f'--fisher_batch_size is given, but --fisher is {config.fisher}: it belongs to '
      '--fisher=batch.'
    )


register(
  TechniqueEntry(
    name='ewc',
    label='EWC',
    minimises='the loss + sum_i (lambda / 2) F_i (A_i - G_i)^2, with F the diagonal of the Fisher '
    'information',
    build=_build,
    options=Options,
    rates='ewc_learning_rate',
    tried=('ewc_strength',),
    defaults=_defaults,
    fast=_fast,
    contradictions=_contradictions,
  )
)
