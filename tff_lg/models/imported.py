"""A network that a function of the user's builds, `my_module:build`, checked before it is used."""

import contextlib
import importlib
import inspect
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg import errors, metrics
from tff_lg.models import cloning, frozen, keras3, named_inputs

_EXPECTED = 'build(input_shape, num_outputs, seed)'
# Of the last layer, where losses take logits.
_NOT_LOGITS = ('softmax', 'sigmoid')


def build_imported(
  path: str,
  input_shape: Sequence[int] | Mapping[str, tuple[int, ...]],
  num_outputs: int,
  seed: int,
  *,
  objective: str = 'classification',
) -> tf.keras.Model:
  """Builds the network of a function that is named by its module.

  The function is called as `build(input_shape, num_outputs, seed)`. The first is the shape of one
  example, a tuple of ints; of several inputs it is a dict from names to shapes. The second is the
  number of classes or labels, or 1 for a number. The seed is an int. The seeds of TensorFlow, NumPy
  and Python are set before. A network without seeds of its own is therefore the same each time, and
  so are the names of unnamed layers. The function returns a model of legacy Keras (tf_keras) or of
  Keras 3. It maps float32 [batch, *input_shape] to logits [batch, num_outputs]. Several inputs have
  the names and shapes of `input_shape` and any dtype, or are joined as the columns of one.

  Args:
    path: module and function, such as `my_module:build`; found from the working directory, too.
    input_shape: of an example, or of each of its inputs by name.
    num_outputs: size of the output.
    seed: for the function.
    objective: what is predicted, by its name in `metrics.OBJECTIVES`.

  Returns:
    A model of legacy Keras that shares nothing with what the function keeps. It has one input:
    several are the columns of one array, in the order of `input_shape`.

  Raises:
    ValueError: there is no such function, it fails, or what it returns cannot be trained; one
      sentence.
  """
  built = build_original(path, input_shape, num_outputs, seed)
  several: dict[str, tuple[int, ...]] = {}
  if isinstance(input_shape, Mapping):
    several = dict(input_shape)
    input_shape = (sum(map(math.prod, several.values())),)
  shape = tuple(input_shape)
  try:
    keras_model = keras3.to_legacy(built, several or shape)
  except ValueError as error:
    raise ValueError(f'--model={path}: {error}') from error
  for sentence in _faults(keras_model, shape, several, num_outputs, objective):
    raise ValueError(f'--model={path} {sentence}')
  copy = frozen.clone_with_weights(keras_model)
  return named_inputs.join_inputs(copy, several) if _takes_names(copy, several) else copy


def build_original(
  path: str, input_shape: Sequence[int] | Mapping[str, tuple[int, ...]], num_outputs: int, seed: int
) -> Any:
  """Returns what the function returns that `build_imported` names, unchecked."""
  build = _import_function(path)
  shape = dict(input_shape) if isinstance(input_shape, Mapping) else tuple(input_shape)
  tf.keras.utils.set_random_seed(seed % 2**32)
  _name_from_the_start()
  try:
    return build(shape, num_outputs, seed)
  except Exception as error:  # Whatever the user's function raises.
    raise ValueError(f'--model={path} failed: {errors.describe(error)}') from error


def _import_function(path: str) -> Callable[..., Any]:
  module_name, _, name = path.partition(':')
  with _working_directory_on_path():
    try:
      module = importlib.import_module(module_name)
    except Exception as error:  # An import runs the module.
      raise ValueError(
        f'--model is {path}, expected a module that can be imported: {errors.describe(error)}'
      ) from error
  build = getattr(module, name, None)
  if not callable(build):
    raise ValueError(f'--model is {path}, but {module_name} has no function {name}.')
  try:
    inspect.signature(build).bind((1,), 1, 0)
  except (TypeError, ValueError):
    raise ValueError(f'--model is {path}, which cannot be called as {_EXPECTED}.') from None
  return build


@contextlib.contextmanager
def _working_directory_on_path() -> Iterator[None]:
  """Adds the working directory to the path, as `python -m` does, for an installed command too."""
  before = list(sys.path)
  sys.path.append(os.getcwd())
  try:
    yield
  finally:
    sys.path[:] = before


def _name_from_the_start() -> None:
  """Makes Keras number layers without a name from the start, as in a fresh process."""
  tf.keras.backend.reset_uids()
  keras = sys.modules.get('keras')
  if keras is not None and keras is not tf.keras:
    keras.backend.clear_session()


def _faults(
  model: Any,
  input_shape: tuple[int, ...],
  several: Mapping[str, tuple[int, ...]],
  num_outputs: int,
  objective: str,
) -> Iterator[str]:
  """Yields the faults of what a function has built; each but the first expects those before."""
  if not isinstance(model, tf.keras.Model):
    yield f'returns a {type(model).__name__}, expected a Keras model.'
  if not model._is_graph_network or not model.built:
    yield 'returns a model without an Input: give it one.'
  yield from cloning.faults(model)
  if len(model.outputs) != 1:
    yield f'has {len(model.outputs)} outputs, expected one.'
  if _takes_names(model, several):
    yield from named_inputs.faults(model, several)
  elif (fault := _fault_of_input(model, input_shape)) is not None:
    yield fault
  predicts_numbers = metrics.OBJECTIVES[objective].predicts_numbers
  expected = [(num_outputs,), *([()] if predicts_numbers else [])]
  if tuple(model.output_shape[1:]) not in expected:
    yield (
      f'gives {list(model.output_shape[1:])} for an example, expected num_outputs, [{num_outputs}].'
    )
  if not model.trainable_weights:
    yield 'has no trainable weights.'
  name = getattr(getattr(model.layers[-1], 'activation', None), '__name__', None)
  name = 'softmax' if isinstance(model.layers[-1], tf.keras.layers.Softmax) else name
  if not predicts_numbers and name in _NOT_LOGITS:
    yield f'ends in a {name}, expected logits: no activation in its last layer.'
  if not all(np.isfinite(weight).all() for weight in model.get_weights()):
    yield 'has a weight that is not finite.'


def _takes_names(model: tf.keras.Model, several: Mapping[str, tuple[int, ...]]) -> bool:
  """Returns whether a model takes inputs by name, and not one array."""
  return len(model.inputs) > 1 or set(model.input_names) == several.keys()


def _fault_of_input(model: tf.keras.Model, input_shape: tuple[int, ...]) -> str | None:
  found = tuple(model.input_shape[1:])
  if named_inputs.fits(found, input_shape) and model.input.dtype == tf.float32:
    return None
  return (
    f'takes {model.input.dtype.name} {list(found)}, but an example is float32 {list(input_shape)}.'
  )
