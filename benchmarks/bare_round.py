"""A program of TensorFlow alone that trains clients for one round; `benchmarks.launch` times it.

It trains 10 clients on the digits of scikit-learn for one epoch in batches of 10, and takes the
mean of their weights. A user who needs nothing else would write this.
"""

import numpy as np
import tensorflow as tf
from sklearn import datasets

_CLIENTS = 10
_BATCH = 10
_RATE = 0.1


def main() -> None:
  """Trains one round and prints the accuracy."""
  digits = datasets.load_digits()
  x, y = (digits.data / 16).astype(np.float32), digits.target.astype(np.int32)
  model = tf.keras.Sequential(
    [tf.keras.layers.Input((64,))]
    + [tf.keras.layers.Dense(units, 'relu') for units in (64, 64, 32)]
    + [tf.keras.layers.Dense(10)]
  )
  loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
  variables = model.trainable_variables

  @tf.function
  def train(x: tf.Tensor, y: tf.Tensor, weights: list[tf.Tensor]) -> list[tf.Tensor]:
    for variable, weight in zip(variables, weights, strict=True):
      variable.assign(weight)
    for step in tf.range(tf.shape(x)[0] // _BATCH):
      batch = slice(step * _BATCH, (step + 1) * _BATCH)
      with tf.GradientTape() as tape:
        loss = loss_fn(y[batch], model(x[batch], training=True))
      for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
        variable.assign_sub(_RATE * gradient)
    return [variable.read_value() for variable in variables]

  @tf.function
  def evaluate(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    return tf.reduce_mean(tf.cast(tf.argmax(model(x), 1, tf.int32) == y, tf.float32))

  start = [variable.read_value() for variable in variables]
  parts = zip(np.array_split(x, _CLIENTS), np.array_split(y, _CLIENTS), strict=True)
  trained = [train(*part, start) for part in parts]
  for variable, weights in zip(variables, zip(*trained, strict=True), strict=True):
    variable.assign(tf.reduce_mean(tf.stack(weights), axis=0))
  print(f'Accuracy: {evaluate(x, y):.3f}')


if __name__ == '__main__':
  main()
