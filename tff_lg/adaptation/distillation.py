"""Knowledge distillation: the federated model teaches. Yu et al. 2020, equation 6."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries
from tff_lg.adaptation.technique import Adaptation, TechniqueEntry, register
from tff_lg.option_check import POSITIVE, SHARE

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg.models import local_global

# Of probabilities before their logarithm is taken.
_LEAST_PROBABILITY = 1e-7

SCALED_TERMS = ('teacher', 'labels')


@attrs.frozen
class Options:
  """Options of distillation."""

  distillation_learning_rate: tuple[float, ...] | None = entries.option(
    None,
    'Learning rate, or several to choose from',
    POSITIVE,
    more='--learning_rate where that is given, else two times, once and a tenth of the source '
    "run's for clients.",
  )
  distillation_alpha: tuple[float, ...] = entries.option(
    (0.3, 0.65, 0.95), 'alpha, or several to choose from', SHARE, by_default='0.3, 0.65 and 0.95'
  )
  distillation_temperature: tuple[float, ...] = entries.option(
    (6.0,), 'K, or several to choose from', POSITIVE, by_default='6'
  )
  distillation_scaled_term: str = entries.option(
    'teacher',
    "What alpha K^2 multiplies: the teacher's term, as in the paper's code and in Hinton et al., "
    "or the labels', as in the paper's equation",
    choices=SCALED_TERMS,
  )


def distillation(
  alpha: float = 0.95, temperature: float = 6.0, scaled_term: str = 'teacher'
) -> Adaptation:
  """Minimises (1 - alpha) CE(A) + alpha K^2 KL(softmax(G / K) || softmax(A / K)).

  A is the client's model in training mode. G is the teacher: the weights that the client started
  from, frozen and in evaluation mode. CE is the model's own loss. KL is summed over classes. Its
  mean is over what `LocalGlobalModel.count_examples` counts: rows or, of sequences, real positions
  without padding, as that of the model's own loss.

  The gradients of the KL term shrink as 1 / K^2. The factor K^2 keeps the term's share of the
  objective at any temperature (Hinton et al. 2015, section 2). The code of Yu et al. has this form.
  Their equation 6 exchanges the factors: alpha K^2 CE + (1 - alpha) KL. With their alpha of 0.95
  and K of 6 that is 34.2 CE + 0.05 KL. In effect this is fine-tuning at 34 times the rate.
  `scaled_term='labels'` gives the form of equation 6.

  For numbers and for several labels, KL is the mean squared difference of both outputs, with K = 1.
  Up to a factor, KL tends to this at high temperatures (Hinton et al. 2015, section 2.1).

  Args:
    alpha: in [0, 1]; with 0 the teacher does not count (with 1 where `labels` are scaled).
    temperature: K, positive.
    scaled_term: which term alpha K^2 multiplies: `teacher` (KL) or `labels` (CE).

  Returns:
    The adaptation. It fits models whose outputs are numbers, a logit for each label, or logits or
    probabilities of at least two classes in the last dimension.

  Raises:
    ValueError: an argument is out of range.

  Yu et al. 2020, equation 6; Hinton et al. 2015, Distilling the knowledge in a neural network.
  """
  if not 0 <= alpha <= 1:
    raise ValueError(f'distillation alpha is {alpha}, expected a number in [0, 1].')
  if temperature <= 0:
    raise ValueError(f'distillation temperature is {temperature}, expected a positive number.')
  if scaled_term not in SCALED_TERMS:
    raise ValueError(
      f'distillation scaled_term is {scaled_term}, expected {" or ".join(SCALED_TERMS)}.'
    )
  scaled, other = alpha * temperature**2, 1 - alpha
  label_factor, teacher_factor = (scaled, other) if scaled_term == 'labels' else (other, scaled)

  def objective(
    model: local_global.LocalGlobalModel,
    weights: tuple,
    initial_weights: tuple,
    x: tf.Tensor,
    y: tf.Tensor,
  ) -> tf.Tensor:
    import tensorflow as tf  # It takes seconds to import.

    from tff_lg.models import told

    with told.LOSSES.collect() as of_layers:
      student = model.predict(weights, x, training=True)
    # Even where both weights are the same tensors, none of the gradient is the teacher's.
    teacher = tf.stop_gradient(model.predict(initial_weights, x, training=False))
    if not model.has_classes:
      difference = tf.reduce_mean(tf.square(student - teacher))
      label_loss = model.functional.loss(student, y)
      return tf.add_n([(1 - alpha) * label_loss, alpha * difference, *of_layers])
    log_p, log_q = (
      tf.nn.log_softmax(_logits(model, output) / temperature) for output in (teacher, student)
    )
    divergence = tf.reduce_sum(tf.exp(log_p) * (log_p - log_q), axis=-1)
    label_term = label_factor * model.functional.loss(student, y)
    teacher_term = teacher_factor * _mean_over_examples(model, divergence, y)
    return tf.add_n([label_term, teacher_term, *of_layers])

  return Adaptation(objective=lambda measured: objective)


def _logits(model: local_global.LocalGlobalModel, output: tf.Tensor) -> tf.Tensor:
  import tensorflow as tf

  if model.outputs_probabilities:
    return tf.math.log(tf.maximum(output, _LEAST_PROBABILITY))
  return output


def _mean_over_examples(
  model: local_global.LocalGlobalModel, values: tf.Tensor, y: tf.Tensor
) -> tf.Tensor:
  """Returns the mean over rows or, of sequences, over real positions; 0 where there are none."""
  import tensorflow as tf

  if model.padding_label is not None:
    values = tf.where(tf.equal(y, model.padding_label), 0.0, values)
  num_examples = tf.cast(model.count_examples(y), tf.float32)
  return tf.math.divide_no_nan(tf.reduce_sum(values), num_examples)


def _build(options: Options, setting: Mapping[str, Any]) -> Adaptation:
  return distillation(
    setting['distillation_alpha'],
    setting['distillation_temperature'],
    options.distillation_scaled_term,
  )


register(
  TechniqueEntry(
    name='distillation',
    label='Distillation',
    minimises='(1 - alpha) loss(A) + alpha K^2 KL(softmax(G / K), softmax(A / K))',
    build=_build,
    options=Options,
    rates='distillation_learning_rate',
    rate_factors=(2.0, 1.0, 0.1),
    tried=('distillation_alpha', 'distillation_temperature'),
  )
)
