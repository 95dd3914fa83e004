"""Changes to a gradient before an optimiser of TFF takes its step."""

from typing import Any

import tensorflow as tf

from tff_lg.compatibility import tff


def shape_gradients(
  optimizer: tff.learning.optimizers.Optimizer, clip_norm: float | None, weight_decay: float = 0.0
) -> tff.learning.optimizers.Optimizer:
  """Clips each gradient, then adds the gradient of an L2 penalty on the weights.

  Args:
    optimizer: takes the steps; its state and hyper-parameters stay its own.
    clip_norm: L2 norm over all weights that a gradient is scaled down to, positive; None for none.
    weight_decay: d: the penalty d / 2 * ||w||^2, whose gradient is not clipped.

  Returns:
    The optimiser itself where there is nothing to do.

  Pascanu et al. 2013 (clipping). Yu et al. 2020 clip the gradients of their LSTMs at 0.25, and
  train ResNets with a weight decay of 5e-4.
  """
  if clip_norm is None and not weight_decay:
    return optimizer
  return _ShapedGradients(optimizer, clip_norm, weight_decay)


class _ShapedGradients(tff.learning.optimizers.Optimizer):
  """An optimiser of other gradients than it is given."""

  def __init__(
    self,
    optimizer: tff.learning.optimizers.Optimizer,
    clip_norm: float | None,
    weight_decay: float,
  ) -> None:
    self._optimizer, self._clip_norm, self._decay = optimizer, clip_norm, weight_decay

  def initialize(self, specs: Any) -> Any:
    """Returns the state before the first step."""
    return self._optimizer.initialize(specs)

  def next(self, state: Any, weights: Any, gradients: Any) -> tuple[Any, Any]:
    """Returns the state and the weights after a step."""
    # Gradients of embeddings are sparse.
    shaped = [tf.convert_to_tensor(each) for each in tf.nest.flatten(gradients)]
    if self._clip_norm is not None:
      norm = tf.sqrt(tf.add_n([tf.reduce_sum(tf.square(each)) for each in shaped]))
      # The quotient is infinite for a gradient of zeros, which stays as it is.
      scale = tf.minimum(1.0, self._clip_norm / norm)
      shaped = [each * scale for each in shaped]
    if self._decay:
      shaped = [
        each + self._decay * weight
        for each, weight in zip(shaped, tf.nest.flatten(weights), strict=True)
      ]
    return self._optimizer.next(state, weights, tf.nest.pack_sequence_as(gradients, shaped))

  def get_hparams(self, state: Any) -> Any:
    """Returns the optimiser's own."""
    return self._optimizer.get_hparams(state)

  def set_hparams(self, state: Any, hparams: Any) -> Any:
    """Returns the state with other hyper-parameters of the optimiser's own."""
    return self._optimizer.set_hparams(state, hparams)
