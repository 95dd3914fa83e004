"""Networks of conditional gated activation units, and what clients bring to them."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from tff_lg.models import cgau, dropout

# The index of a client that the model was not trained on.
UNKNOWN_CLIENT = -1


def build_cgau(
  input_shape: Sequence[int],
  num_classes: int,
  units: Sequence[int] = (64, 64),
  *,
  conditioning: str = 'none',
  num_clients: int | None = None,
  unknown_client: str = 'mean',
  dropout_rate: float = 0.5,
  seed: int = 0,
) -> tf.keras.Model:
  """Builds gated layers `gated_1`, `gated_2`, … and a dense layer `output`.

  Equal seeds give equal kernels whatever the conditioning, so that variants can be
  compared in pairs. With `local`, each gated layer has a layer of the client's shifts,
  `shift_1`, `shift_2`, …, which start at zero; `cgau_global_layers` names all others.

  Args:
    input_shape: the size of a feature vector, a sequence of one number.
    num_classes: size of the output, logits.
    units: size of each gated layer.
    conditioning: `none` is the gated baseline. With `shared`, the shifts of all clients are
      part of the model. With `local`, the client's own shifts are in layers of their own.
    num_clients: clients that `shared` knows; the others do not need it.
    unknown_client: in `shared`, the shifts of a client it does not know, `mean` or `zero`.
    dropout_rate: after each gated layer, in training; masks follow from the seed and
      the key of the step, see `StatelessDropout`.
    seed: of initial weights and dropout; the same seed, the same weights.

  Returns:
    An uncompiled Keras model from float32 [batch, features] to float32 [batch,
    num_classes]. With `shared` the input is [batch, features + 1], as
    `append_client_index` makes it.

  Raises:
    ValueError: examples are not vectors, or a setting is not known or missing.

  Rieger et al. 2020, equation 1 and section 4.
  """
  if len(input_shape) != 1:
    raise ValueError(f'input_shape is {tuple(input_shape)}, expected that of a feature vector.')
  cgau.check_choice('conditioning', conditioning, cgau.CONDITIONINGS)
  (num_features,) = input_shape
  client = None
  if conditioning == 'shared':
    inputs = tf.keras.Input((num_features + 1,))
    hidden, client = cgau.SplitClientIndex(name='client')(inputs)
  else:
    inputs = hidden = tf.keras.Input((num_features,))
  for number, size in enumerate(units, start=1):
    layer = cgau.ConditionalGatedActivation(
      size,
      conditioning=conditioning,
      num_clients=num_clients,
      unknown_client=unknown_client,
      seed=seed + 4 * (number - 1),  # A layer has four matrices.
      name=f'gated_{number}',
    )
    if conditioning == 'local':
      client = cgau.ClientShift(size, name=f'shift_{number}')(inputs)
    hidden = layer(hidden if client is None else (hidden, client))
    if dropout_rate:
      drop = dropout.StatelessDropout(dropout_rate, seed=seed + number, name=f'dropout_{number}')
      hidden = drop(hidden)
  outputs = tf.keras.layers.Dense(
    num_classes,
    kernel_initializer=tf.keras.initializers.GlorotUniform(seed + 4 * len(units)),
    name='output',
  )(hidden)
  return tf.keras.Model(inputs, outputs, name='cgau')


def cgau_global_layers(num_layers: int = 2) -> tuple[str, ...]:
  """Returns the layers of `build_cgau` that are global, whatever its conditioning.

  Args:
    num_layers: how many gated layers it has.

  Returns:
    Their names: all with weights but the client's own shifts.
  """
  return (*(f'gated_{number}' for number in range(1, num_layers + 1)), 'output')


def append_client_index(x: np.ndarray, client: int | np.ndarray, num_clients: int) -> np.ndarray:
  """Appends to features the column by which a `shared` model knows the client.

  A model has one input, so the client comes with the features; a float32 holds every
  index below 2^24 exactly.

  Args:
    x: float32 [n, features].
    client: index of the client, for all examples or [n] of each;
      `UNKNOWN_CLIENT` for one that the model was not trained on.
    num_clients: how many clients the model knows.

  Returns:
    float32 [n, features + 1].

  Raises:
    ValueError: an index that is neither a client's nor `UNKNOWN_CLIENT`.
  """
  indices = np.broadcast_to(np.asarray(client), len(x))
  wrong = indices[(indices != UNKNOWN_CLIENT) & ((indices < 0) | (indices >= num_clients))]
  if len(wrong):
    raise ValueError(
      f'client index {wrong[0]} found, expected 0 to {num_clients - 1}, or {UNKNOWN_CLIENT} for '
      'an unknown client.'
    )
  return np.concatenate([x, indices[:, np.newaxis]], axis=1, dtype=np.float32)


def unknown_client_weights(
  known: Sequence[Sequence[np.ndarray]], unknown_client: str = 'mean'
) -> tuple[np.ndarray, ...]:
  """Returns local weights for a client that took no part in training.

  Args:
    known: the local weights of each client that did, float32.
    unknown_client: `mean` of the known clients' weights, or `zero`.

  Returns:
    One client's local weights, in the same order and shapes.

  Raises:
    ValueError: no known clients, or an unknown choice.
  """
  cgau.check_choice('unknown_client', unknown_client, cgau.UNKNOWN_CLIENTS)
  if not known:
    raise ValueError('known is empty, expected the local weights of at least one client.')
  columns = zip(*known, strict=True)
  if unknown_client == 'zero':
    return tuple(np.zeros_like(column[0]) for column in columns)
  return tuple(np.mean(column, axis=0, dtype=np.float64).astype(np.float32) for column in columns)
