"""How much each client counts in the average.

A client weighting is a function of two arguments. The first is the number of a client's examples, a
float32 scalar that counts each epoch. The second is its update, the tuple of initial minus final
global weights. The value is the client's weight, a float32 scalar. The number is 0 for a client
without examples and for one that drops out; both weigh nothing. A straggler has its full number,
whatever work it did.
"""

from collections.abc import Callable, Mapping

import tensorflow as tf

ClientWeighting = Callable[[tf.Tensor, tuple], tf.Tensor]


def by_num_examples(num_examples: tf.Tensor, update: tuple) -> tf.Tensor:
  """Returns n_k times the number of epochs; the latter, the same for all, cancels in the average.

  A client that finishes a part of its steps only, or has a limit of steps, weighs n_k all the same.
  McMahan et al. 2017; Li et al. 2020 (FedProx), section 3.
  """
  del update
  return num_examples


def uniform(num_examples: tf.Tensor, update: tuple) -> tf.Tensor:
  """Returns one for every client that has examples."""
  del update
  return tf.cast(num_examples > 0, tf.float32)


def by_gradient_norm(num_examples: tf.Tensor, update: tuple) -> tf.Tensor:
  """Returns the squared norm of the client's global gradient.

  The gradient is the round's update; the learning rate cancels in the average.
  Liang et al. 2019 (the paper's first version), section 3.
  """
  del num_examples
  return tf.add_n([tf.zeros([])] + [tf.reduce_sum(tf.square(delta)) for delta in update])


CLIENT_WEIGHTINGS: Mapping[str, ClientWeighting] = {
  'examples': by_num_examples,
  'uniform': uniform,
  'gradient_norm': by_gradient_norm,
}
