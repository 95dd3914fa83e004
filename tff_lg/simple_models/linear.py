"""Linear models on standardised features: logistic regression; of a number ridge regression."""

from typing import Any

import numpy as np

from tff_lg.simple_models.simple_model import Affine, SimpleModel

_ITERATIONS = 200


def linear() -> SimpleModel:
  """Returns linear models with an L2 penalty, tuned by its inverse strength C."""
  return SimpleModel('C', (0.01, 0.1, 1.0), _build, _build_regressor, _to_affine)


def _build(value: float, num_examples: int, seed: int) -> Any:
  # scikit-learn takes a second to import.
  from sklearn import linear_model, pipeline, preprocessing

  del num_examples, seed  # The solution is unique.
  return pipeline.make_pipeline(
    preprocessing.StandardScaler(),
    linear_model.LogisticRegression(C=value, max_iter=_ITERATIONS, tol=1e-3),
  )


def _build_regressor(value: float, num_examples: int, seed: int) -> Any:
  from sklearn import linear_model, pipeline, preprocessing

  del num_examples, seed  # The solution is unique.
  # The columns of one category add up to 1, so that the normal equations are near to singular.
  ridge = linear_model.Ridge(alpha=1 / value, solver='svd')
  return pipeline.make_pipeline(preprocessing.StandardScaler(), ridge)


def _to_affine(fitted: Any) -> Affine:
  scaler, model = (step for _, step in fitted.steps)
  return Affine(
    scaler.mean_, scaler.scale_, np.atleast_2d(model.coef_).T, np.atleast_1d(model.intercept_)
  )
