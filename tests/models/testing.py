"""Layers for tests of models."""

import tensorflow as tf


class LastFirst(tf.keras.layers.Layer):
  """Two dense layers; Keras lists `last` first, as it is set first, and `first` is built first."""

  def __init__(self, units: int, **options):
    super().__init__(**options)
    self.last, self.first = (tf.keras.layers.Dense(units, name=name) for name in ('last', 'first'))
    self.units = units

  def call(self, inputs):
    return self.last(self.first(inputs))

  def get_config(self):
    return {**super().get_config(), 'units': self.units}
