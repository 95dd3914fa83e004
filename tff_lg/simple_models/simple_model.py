"""A model of single examples, with the one hyper-parameter that is tuned."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

# A class of probability 0 has a finite loss.
_LEAST_PROBABILITY = 1e-7
# The logit of a class that a client does not know.
_NEVER = -1e9

# Features [n, ...] -> probabilities, float64 [n, num_classes]; of a number that number [n].
Predict = Callable[[np.ndarray], np.ndarray]


class Affine(NamedTuple):
  """A fitted model as logits, or a number: ((x - mean) / scale) @ kernel + bias.

  Attributes:
    mean: float [num_features].
    scale: float [num_features], positive.
    kernel: float [num_features, num_outputs].
    bias: float [num_outputs].
  """

  mean: np.ndarray
  scale: np.ndarray
  kernel: np.ndarray
  bias: np.ndarray


@dataclasses.dataclass(frozen=True)
class SimpleModel:
  """A model that one client trains alone.

  Attributes:
    hyperparameter: name of what is tuned.
    values: the grid to start from, ascending, with a constant ratio.
    build: (value, number of training examples, seed) -> an unfitted scikit-learn classifier with
      `predict_proba`.
    build_regressor: the same of an unfitted regressor.
    to_affine: of a fitted one; of a classifier with two classes, one output tells them apart. None
      for a model without such a form.
  """

  hyperparameter: str
  values: tuple[float, ...]
  build: Callable[[float, int, int], Any]
  build_regressor: Callable[[float, int, int], Any]
  to_affine: Callable[[Any], Affine] | None = None


def fit(
  model: SimpleModel,
  value: float,
  x: np.ndarray,
  y: np.ndarray,
  num_classes: int,
  seed: int,
  weights: np.ndarray | None = None,
) -> Predict:
  """Fits a model to one client's examples.

  Args:
    model: what to fit.
    value: of its hyper-parameter.
    x: float32 [n, ...], features; they are flattened.
    y: int32 [n], labels in [0, num_classes).
    num_classes: of the task; the client may know fewer.
    seed: of what is random in fitting.
    weights: float32 [n], of the examples, not negative; None if all count alike. Examples of weight
      0 are left out.

  Returns:
    A function from features to the probability of each class. A class that the client does not
    know has probability 0. A client without examples predicts all classes alike, and one that
    knows a single class predicts that.
  """
  x, y, weights = _weighed(x, y, weights)
  known = np.unique(y)
  if len(known) < 2:
    constant = np.full(num_classes, 1 / num_classes)
    if len(known):
      constant = (np.arange(num_classes) == known[0]).astype(np.float64)
    return lambda x: np.tile(constant, (len(x), 1))
  classifier = _fitted(model.build(value, len(y), seed), x, y, weights)

  def predict(x: np.ndarray) -> np.ndarray:
    probabilities = np.zeros((len(x), num_classes))
    if len(x):
      probabilities[:, known] = classifier.predict_proba(_flat(x))
    return probabilities

  return predict


def fit_number(
  model: SimpleModel,
  value: float,
  x: np.ndarray,
  y: np.ndarray,
  seed: int,
  weights: np.ndarray | None = None,
) -> Predict:
  """Fits a model of a number to one client's examples.

  Args:
    model: what to fit.
    value: of its hyper-parameter.
    x: float32 [n, ...], features; they are flattened.
    y: float32 [n], the numbers.
    seed: of what is random in fitting.
    weights: as of `fit`.

  Returns:
    A function from features to float64 [n]. A client with fewer than two examples predicts their
    mean, one without any 0.
  """
  x, y, weights = _weighed(x, y, weights)
  if len(y) < 2:
    mean = float(y.mean()) if len(y) else 0.0
    return lambda x: np.full(len(x), mean)
  regressor = _fitted(model.build_regressor(value, len(y), seed), x, y, weights)
  return lambda x: regressor.predict(_flat(x)).astype(np.float64) if len(x) else np.zeros(0)


def fit_affine(
  model: SimpleModel,
  value: float,
  x: np.ndarray,
  y: np.ndarray,
  num_classes: int | None,
  seed: int,
  weights: np.ndarray | None = None,
) -> Affine:
  """Fits a model as `fit` and `fit_number` do, and returns its affine form.

  Args:
    model: with `to_affine`.
    value: of its hyper-parameter.
    x: float32 [n, ...], features; they are flattened.
    y: labels, or numbers.
    num_classes: of the task; None for numbers.
    seed: of what is random in fitting.
    weights: as of `fit`.

  Raises:
    ValueError: the model has no such form.
  """
  if model.to_affine is None:
    raise ValueError('The model has no affine form, expected a linear one.')
  x, y, weights = _weighed(x, y, weights)
  zeros = np.zeros(math.prod(x.shape[1:]))
  if num_classes is None:
    if len(y) < 2:
      bias = np.array([y.mean() if len(y) else 0.0])
      return Affine(zeros, zeros + 1, zeros[:, np.newaxis], bias)
    return model.to_affine(_fitted(model.build_regressor(value, len(y), seed), x, y, weights))
  known = np.unique(y)
  kernel = np.zeros((len(zeros), num_classes))
  if len(known) < 2:
    is_known = np.isin(np.arange(num_classes), known) | (len(known) == 0)
    return Affine(zeros, zeros + 1, kernel, np.where(is_known, 0.0, _NEVER))
  fitted = model.to_affine(_fitted(model.build(value, len(y), seed), x, y, weights))
  bias = np.full(num_classes, _NEVER)
  bias[known] = 0
  told_apart = known[1:] if len(known) == 2 else known
  kernel[:, told_apart], bias[told_apart] = fitted.kernel, fitted.bias
  return fitted._replace(kernel=kernel, bias=bias)


def log_likelihoods(probabilities: np.ndarray, y: np.ndarray) -> np.ndarray:
  """Returns the logarithm of the probability of each label.

  Args:
    probabilities: float [n, num_classes]; less than 1e-7 counts as that.
    y: int [n], labels.

  Returns:
    float64 [n].
  """
  return np.log(np.maximum(probabilities[np.arange(len(y)), y], _LEAST_PROBABILITY))


def _weighed(
  x: np.ndarray, y: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
  """Returns the examples of positive weight, and their weights."""
  if weights is None:
    return x, y, None
  counts = weights > 0
  return x[counts], y[counts], weights[counts]


def _fitted(estimator: Any, x: np.ndarray, y: np.ndarray, weights: np.ndarray | None) -> Any:
  """Returns scikit-learn's estimator or pipeline, fitted, with weights if there are any."""
  steps = getattr(estimator, 'steps', None)
  names = ['sample_weight'] if steps is None else [f'{step}__sample_weight' for step, _ in steps]
  return estimator.fit(_flat(x), y, **({} if weights is None else dict.fromkeys(names, weights)))


def _flat(x: np.ndarray) -> np.ndarray:
  return x.reshape(len(x), math.prod(x.shape[1:]))
