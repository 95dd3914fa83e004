"""Conditional gated activation units: a layer that adapts to the client.

    h = tanh(W_f x + V_f c) * sigmoid(W_g x + V_g c)

with c the client as a one-hot vector. The client's columns of V_f and V_g are shift
vectors v_f and v_g, one of each per client. They can be kept in two places. `shared` keeps
them as columns of two matrices of the global model. With `local`, each client has its own,
which never leave it. Rieger et al. 2020, equation 1.
"""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

CONDITIONINGS = ('none', 'shared', 'local')
UNKNOWN_CLIENTS = ('mean', 'zero')


@tf.keras.saving.register_keras_serializable(package='tff_lg')
class ConditionalGatedActivation(tf.keras.layers.Layer):
  """A dense layer of units with a filter, a gate and, if wanted, a client's shifts.

  Filter and gate lie side by side in each weight, so that one product computes both.
  `kernel` [features, 2 * units] is (W_f, W_g), and `bias` [2 * units] is (b_f, b_g). If
  `shared`, `conditioning` [num_clients, 2 * units] is (V_f, V_g), one row per client.
  """

  def __init__(
    self,
    units: int,
    *,
    conditioning: str = 'none',
    num_clients: int | None = None,
    unknown_client: str = 'mean',
    use_bias: bool = True,
    seed: int = 0,
    **options: Any,
  ) -> None:
    """Makes the layer.

    Args:
      units: size of the output.
      conditioning: `none`, `shared` or `local`; it decides what `call` takes.
      num_clients: clients known to `shared`, else not used.
      unknown_client: in `shared`, the shifts of any index without a client: `mean`
        of the known clients' shifts, or `zero`.
      use_bias: whether filter and gate have a bias beside the shifts; equation 1 has
        none.
      seed: of the Glorot-uniform initial weights, drawn for W_f, W_g, V_f and V_g one
        by one; a bias starts at zero.
      **options: of `tf.keras.layers.Layer`.

    Raises:
      ValueError: an unknown `conditioning` or `unknown_client`, or `shared` without
        the number of clients.
    """
    super().__init__(**options)
    check_choice('conditioning', conditioning, CONDITIONINGS)
    check_choice('unknown_client', unknown_client, UNKNOWN_CLIENTS)
    if conditioning == 'shared' and (num_clients is None or num_clients < 1):
      raise ValueError(
        f'num_clients is {num_clients}, but conditioning shared needs the number of clients.'
      )
    self.units, self.conditioning, self.num_clients = units, conditioning, num_clients
    self.unknown_client, self.use_bias, self.seed = unknown_client, use_bias, seed

  def build(self, input_shape: Any) -> None:
    """Makes the weights for inputs of these shapes."""
    x_shape = input_shape if self.conditioning == 'none' else input_shape[0]
    self.kernel = self.add_weight(
      name='kernel',
      shape=(int(x_shape[-1]), 2 * self.units),
      initializer=_two_glorot_uniform(self.seed),
    )
    if self.use_bias:
      self.bias = self.add_weight(name='bias', shape=(2 * self.units,), initializer='zeros')
    if self.conditioning == 'shared':
      self.shifts = self.add_weight(
        name='conditioning',
        shape=(self.num_clients, 2 * self.units),
        initializer=_two_glorot_uniform(self.seed + 2),
      )
    super().build(input_shape)

  def call(self, inputs: Any) -> tf.Tensor:
    """Computes equation 1.

    Args:
      inputs: x, float32 [batch, features]. If `shared`, a pair of x and the clients'
        indices, int32 [batch]. If `local`, a pair of x and the output of a `ClientShift`
        with as many units.

    Returns:
      float32 [batch, units], in (-1, 1).
    """
    x, client = (inputs, None) if self.conditioning == 'none' else inputs
    z = tf.matmul(x, self.kernel)
    if self.use_bias:
      z = tf.nn.bias_add(z, self.bias)
    if self.conditioning == 'shared':
      z += tf.matmul(self._one_hot(client), self.shifts)
    elif self.conditioning == 'local':
      z += client
    z_filter, z_gate = tf.split(z, 2, axis=-1)
    return tf.tanh(z_filter) * tf.sigmoid(z_gate)

  def _one_hot(self, client: tf.Tensor) -> tf.Tensor:
    """Gives c of equation 1, float32 [batch, num_clients]; an index out of range is unknown."""
    c = tf.one_hot(client, self.num_clients)
    if self.unknown_client == 'mean':
      # V times a vector of 1 / num_clients is the mean of V's columns.
      c += (1 - tf.reduce_sum(c, axis=-1, keepdims=True)) / self.num_clients
    return c

  def get_config(self) -> dict[str, Any]:
    """Returns the config from which `from_config` makes the same layer."""
    return {
      **super().get_config(),
      'units': self.units,
      'conditioning': self.conditioning,
      'num_clients': self.num_clients,
      'unknown_client': self.unknown_client,
      'use_bias': self.use_bias,
      'seed': self.seed,
    }


@tf.keras.saving.register_keras_serializable(package='tff_lg')
class ClientShift(tf.keras.layers.Layer):
  """The client's own shifts of one gated layer, weights that are to stay local.

  A layer of its own, because a model is split by layers. Its weights are `filter`,
  v_f, and `gate`, v_g, float32 [units] each; both start at zero, where the gated layer
  is as without conditioning.
  """

  def __init__(self, units: int, **options: Any) -> None:
    """Makes the shifts of `units` units; `options` are of `tf.keras.layers.Layer`."""
    super().__init__(**options)
    self.units = units

  def build(self, input_shape: Any) -> None:
    """Makes the weights, which do not depend on the input."""
    self.filter, self.gate = (
      self.add_weight(name=name, shape=(self.units,), initializer='zeros')
      for name in ('filter', 'gate')
    )
    super().build(input_shape)

  def call(self, inputs: tf.Tensor) -> tf.Tensor:
    """Returns (v_f, v_g), float32 [2 * units], whatever the inputs are."""
    del inputs  # Keras has no layers without inputs.
    return tf.concat([self.filter, self.gate], axis=0)

  def get_config(self) -> dict[str, Any]:
    """Returns the config from which `from_config` makes the same layer."""
    return {**super().get_config(), 'units': self.units}


@tf.keras.saving.register_keras_serializable(package='tff_lg')
class SplitClientIndex(tf.keras.layers.Layer):
  """Undoes `append_client_index` in the model."""

  def call(self, inputs: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Splits float32 [batch, features + 1] into features and the last column, int32 [batch]."""
    return inputs[:, :-1], tf.cast(inputs[:, -1], tf.int32)


def _two_glorot_uniform(seed: int) -> Any:
  """Returns an initializer of two matrices side by side, each initialized as if it were alone."""

  def initialize(shape: Sequence[int], dtype: Any = None, **_: Any) -> tf.Tensor:
    half = (shape[0], shape[1] // 2)
    initializers = (tf.keras.initializers.GlorotUniform(seed + side) for side in range(2))
    return tf.concat([initializer(half, dtype) for initializer in initializers], axis=1)

  return initialize


def check_choice(name: str, found: str, choices: Sequence[str]) -> None:
  """Refuses, by a ValueError, a setting that is none of its choices."""
  if found not in choices:
    raise ValueError(f'{name} is {found}, expected one of {", ".join(choices)}.')
