"""Probes: what classifiers that are fitted afterwards find in a frozen representation.

That an adversary fails does not mean that the representation tells nothing: it is one network
that learned while the representation moved away from it. A probe has all the time.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def auc(y: np.ndarray, score: np.ndarray) -> float:
  """Returns the area under the ROC curve of scores [n] for y, 0 or 1, [n].

  NaN for one class alone, or if the model has diverged.
  """
  from sklearn import metrics  # It takes a second to import.

  if len(np.unique(y)) < 2 or not np.isfinite(score).all():
    return float('nan')
  return float(metrics.roc_auc_score(y, score))


def _logistic() -> Any:
  from sklearn import linear_model, pipeline, preprocessing

  return pipeline.make_pipeline(
    preprocessing.StandardScaler(), linear_model.LogisticRegression(max_iter=1000)
  )


def _boosting() -> Any:
  from sklearn import ensemble

  # Early stopping would hold out rows, so that a probe of few rows would be weaker still.
  return ensemble.HistGradientBoostingClassifier(early_stopping=False, random_state=0)


PROBES: Mapping[str, Callable[[], Any]] = {'logistic': _logistic, 'boosting': _boosting}


def probe_auc(
  probe: str,
  train_h: np.ndarray,
  train_attribute: np.ndarray,
  test_h: np.ndarray,
  test_attribute: np.ndarray,
) -> float:
  """Fits a probe on training rows and scores it on test rows.

  Args:
    probe: of `PROBES`: scikit-learn's logistic regression on standardised numbers, or
      histogram gradient boosting, both with scikit-learn's defaults.
    train_h: representations of training rows, [n, size].
    train_attribute: 0 or 1, [n].
    test_h: the same of test rows, [m, size].
    test_attribute: 0 or 1, [m].

  Returns:
    The AUC on the test rows; NaN if training or test rows are of one group, or if a
    representation is not finite.
  """
  for h, attribute in ((train_h, train_attribute), (test_h, test_attribute)):
    if len(np.unique(attribute)) < 2 or not np.isfinite(h).all():
      return float('nan')
  import threadpoolctl

  # Scikit-learn's threads wait for each other at each of thousands of small steps: on cores that
  # others use as well, two threads can be a hundred times slower than one.
  with threadpoolctl.threadpool_limits(1):
    model = PROBES[probe]().fit(train_h, train_attribute)
    return auc(test_attribute, model.predict_proba(test_h)[:, 1])
