"""Metrics of predictions that are all at hand, exact to the last example.

Predictions are, by objective: probabilities [n, num_classes]; numbers [n]; the probability of each
label [n, num_labels]. Labels are int [n], float [n], and 0 or 1 [n, num_labels].
"""

from collections.abc import Sequence

import numpy as np

from tff_lg.metrics.metric import METRICS
from tff_lg.metrics.objective import OBJECTIVES


def score(
  objective: str, names: Sequence[str], predictions: np.ndarray, y: np.ndarray
) -> dict[str, float]:
  """Computes metrics of predictions.

  Args:
    objective: name of what is predicted.
    names: of metrics that fit it.
    predictions: as of the module.
    y: labels.

  Returns:
    Each metric; NaN without examples, or where it is not defined.

  Raises:
    ValueError: a metric is of other objectives.
  """
  for name in names:
    if objective not in METRICS[name].objectives:
      raise ValueError(f'metric {name} does not fit {objective}, expected one that does.')
  if not len(y):
    return dict.fromkeys(names, float('nan'))
  return {name: float(METRICS[name].score(predictions, y)) for name in names}


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
  from scipy import stats  # It takes half a second to import.

  if y.ndim == 1:
    is_label = y[:, np.newaxis] == np.arange(predictions.shape[1])
    columns = slice(1, None) if predictions.shape[1] == 2 else slice(None)
    predictions, is_label = predictions[:, columns], is_label[:, columns]
  else:
    is_label = y > 0.5
  positive = is_label.sum(axis=0)
  pairs = positive * (len(y) - positive)
  if not pairs.any():
    return float('nan')
  ranks = stats.rankdata(predictions, axis=0)
  # Pairs in the right order: the U statistic of Mann and Whitney.
  won = (ranks * is_label).sum(axis=0) - positive * (positive + 1) / 2
  return float((won[pairs > 0] / pairs[pairs > 0]).mean())


def macro_f1(predictions: np.ndarray, y: np.ndarray) -> float:
  """Returns the mean F1 over classes or labels that occur or are predicted; 0 without any."""
  if y.ndim == 1:
    classes = np.arange(predictions.shape[1])
    predicted = predictions.argmax(axis=1)[:, np.newaxis] == classes
    is_label = y[:, np.newaxis] == classes
  else:
    predicted, is_label = predictions > 0.5, y > 0.5
  right = (predicted & is_label).sum(axis=0)
  either = predicted.sum(axis=0) + is_label.sum(axis=0)
  occurs = either > 0
  return float((2 * right[occurs] / either[occurs]).mean()) if occurs.any() else 0.0


def accuracy(predictions: np.ndarray, y: np.ndarray) -> float:
  """Returns the share of examples with the right class."""
  return float(by_example('classification', predictions, y).mean())


def label_accuracy(predictions: np.ndarray, y: np.ndarray) -> float:
  """Returns the share of right labels."""
  return float(by_example('multilabel', predictions, y).mean())


def mae(predictions: np.ndarray, y: np.ndarray) -> float:
  """Returns the mean absolute error."""
  return float(by_example('regression', predictions, y).mean())


def rmse(predictions: np.ndarray, y: np.ndarray) -> float:
  """Returns the root of the mean squared error."""
  return float(np.sqrt(np.square(predictions.astype(np.float64) - y).mean()))


def r2(predictions: np.ndarray, y: np.ndarray) -> float:
  """Returns 1 less the squared error over that of the mean label; NaN if all are alike."""
  predictions, y = predictions.astype(np.float64), y.astype(np.float64)
  spread = np.square(y - y.mean()).sum()
  return 1 - np.square(predictions - y).sum() / spread if spread > 0 else float('nan')
