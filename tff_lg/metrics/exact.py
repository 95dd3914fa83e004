"""Metrics of predictions that are all at hand, exact to the last example.

Predictions are, by objective: probabilities [n, num_classes]; numbers [n]; the probability of each
label [n, num_labels]. Labels are int [n], float [n], and 0 or 1 [n, num_labels].
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tff_lg.metrics.objective import OBJECTIVES


def score(
  objective: str, names: Sequence[str], predictions: np.ndarray, y: np.ndarray
) -> dict[str, float]:
  """Computes metrics of predictions.

  Args:
    objective: name of what is predicted.
    names: of the metrics.
    predictions: as of the module.
    y: labels.

  Returns:
    Each metric; NaN without examples, or where it is not defined.
  """
  if not len(y):
    return dict.fromkeys(names, float('nan'))
  return {name: float(_COMPUTE[objective][name](predictions, y)) for name in names}


def by_example(objective: str, predictions: np.ndarray, y: np.ndarray) -> np.ndarray:
  """Returns the main metric of each example alone, [n]: bool for classes, else float64."""
  entry = OBJECTIVES[objective]
  if entry.predicts_classes:
    return predictions.argmax(axis=1) == y
  if entry.predicts_numbers:
    return np.abs(predictions.astype(np.float64) - y)
  return ((predictions > 0.5) == (y > 0.5)).mean(axis=1)


def auc(predictions: np.ndarray, y: np.ndarray) -> float:
  """Returns the mean area under the receiver operating characteristic.

  Args:
    predictions: float [n, k], of classes or labels; of two classes the second counts.
    y: classes int [n], or labels 0 or 1 [n, k].

  Returns:
    The mean over classes or labels that some examples have and others have not; NaN without any,
    or if the model has diverged.
  """
  if not np.isfinite(predictions).all():
    return float('nan')
  from sklearn import metrics  # It takes a second to import.

  if y.ndim == 1:
    if predictions.shape[1] == 2:
      predictions = predictions[:, 1:]
      y = y[:, np.newaxis]
    else:
      y = y[:, np.newaxis] == np.arange(predictions.shape[1])
  varied = [k for k in range(y.shape[1]) if 0 < y[:, k].sum() < len(y)]
  areas = [metrics.roc_auc_score(y[:, k], predictions[:, k]) for k in varied]
  return float(np.mean(areas)) if areas else float('nan')


def macro_f1(predicted: np.ndarray, y: np.ndarray) -> float:
  """Returns the mean F1 over the columns of bool [n, k] in which either has any; 0 without."""
  right, either = (predicted & y).sum(axis=0), predicted.sum(axis=0) + y.sum(axis=0)
  occurs = either > 0
  return float((2 * right[occurs] / either[occurs]).mean()) if occurs.any() else 0.0


def _macro_f1_of_classes(predictions: np.ndarray, y: np.ndarray) -> float:
  classes = np.arange(predictions.shape[1])
  return macro_f1(predictions.argmax(axis=1)[:, np.newaxis] == classes, y[:, np.newaxis] == classes)


def _r2(predictions: np.ndarray, y: np.ndarray) -> float:
  predictions, y = predictions.astype(np.float64), y.astype(np.float64)
  spread = np.square(y - y.mean()).sum()
  return 1 - np.square(predictions - y).sum() / spread if spread > 0 else float('nan')


def _mean_of_examples(objective: str) -> Callable[[np.ndarray, np.ndarray], float]:
  return lambda predictions, y: float(by_example(objective, predictions, y).mean())


_COMPUTE: Mapping[str, Mapping[str, Callable[[np.ndarray, np.ndarray], float]]] = {
  'classification': {
    'accuracy': _mean_of_examples('classification'),
    'macro_f1': _macro_f1_of_classes,
    'auc': auc,
  },
  'regression': {
    'mae': _mean_of_examples('regression'),
    'rmse': lambda p, y: float(np.sqrt(np.square(p.astype(np.float64) - y).mean())),
    'r2': _r2,
  },
  'multilabel': {
    'label_accuracy': _mean_of_examples('multilabel'),
    'macro_f1': lambda p, y: macro_f1(p > 0.5, y > 0.5),
    'auc': auc,
  },
}
