"""Elastic weight consolidation: what matters elsewhere stays. Yu et al. 2020, equation 5."""

import functools

import tensorflow as tf

from tff_lg.adaptation import fisher
from tff_lg.adaptation.technique import Adaptation
from tff_lg.learning import objectives
from tff_lg.models import local_global


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
