"""The diagonal of the Fisher information: how much each weight matters for some data."""

import tensorflow as tf

from tff_lg.learning import batches as batches_lib
from tff_lg.models import local_global


def fisher_diagonal(
  model: local_global.LocalGlobalModel,
  weights: tuple,
  data: batches_lib.ClientTensors,
  batch_size: int = 1,
) -> tuple:
  """Returns the mean over examples of the squared gradient of the log-likelihood, in the graph.

  The labels are the data's own (the empirical Fisher information), as in the code of Yu et
  al., and not drawn from the model. An example is one row of the data. Its log-likelihood is the
  negative of the model's loss for that row: for text, the mean over the row's tokens.

  With a `batch_size` above 1 it is the form of that code: the squared mean gradient of each
  batch, weighted by the batch's rows. Where the mean gradient is near 0, as after training,
  this is smaller by a factor of up to `batch_size`. Gradients are taken in evaluation mode,
  where that code takes them in training mode.

  Args:
    model: the model.
    weights: where the gradients are taken.
    data: examples, such as public auxiliary ones; their seed draws the batches.
    batch_size: rows whose mean gradient is squared, a positive int.

  Returns:
    A tensor of the shape of each weight; zeros for no examples. Batches are taken one after
    another, so memory is that of one gradient.

  Kirkpatrick et al. 2017, Overcoming catastrophic forgetting in neural networks; Yu et al.
  2020, equation 5.
  """

  def add_square(sums: tuple, x: tf.Tensor, y: tf.Tensor) -> tuple:
    with tf.GradientTape() as tape:
      tape.watch(weights)
      loss = model.functional.loss(model.predict(weights, x, training=False), y)
    gradients = tape.gradient(loss, weights, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    num_rows = tf.cast(tf.shape(y)[0], tf.float32)
    # Of an embedding they are slices, whose repeated rows have to be added up first.
    return tuple(
      total + num_rows * tf.square(tf.convert_to_tensor(gradient))
      for total, gradient in zip(sums, gradients, strict=True)
    )

  # Clients' examples come one client after another: a batch is to be of many.
  batches = batches_lib.TensorBatches(batch_size, shuffle=batch_size > 1)
  sums = batches.fold(data, tuple(map(tf.zeros_like, weights)), add_square)
  num_examples = tf.cast(tf.shape(data.y)[0], tf.float32)
  return tuple(tf.math.divide_no_nan(total, num_examples) for total in sums)
