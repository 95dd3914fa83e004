"""Gradient-boosted trees on histograms of the features."""

from typing import Any

from tff_lg.simple_models.simple_model import SimpleModel

_ITERATIONS = 100
# A leaf needs this many examples, or a tenth of the client's where these are few.
_LEAF, _LEAF_SHARE = 20, 10


def boosting() -> SimpleModel:
  """Returns histogram gradient boosting with 100 trees a class, tuned by its learning rate."""
  return SimpleModel('learning_rate', (0.01, 0.03, 0.1), _build, _build_regressor)


def _build(value: float, num_examples: int, seed: int) -> Any:
  # scikit-learn takes a second to import.
  from sklearn import ensemble

  return ensemble.HistGradientBoostingClassifier(**_options(value, num_examples, seed))


def _build_regressor(value: float, num_examples: int, seed: int) -> Any:
  from sklearn import ensemble

  return ensemble.HistGradientBoostingRegressor(**_options(value, num_examples, seed))


def _options(value: float, num_examples: int, seed: int) -> dict[str, Any]:
  return {
    'learning_rate': value,
    'max_iter': _ITERATIONS,
    'min_samples_leaf': max(min(_LEAF, num_examples // _LEAF_SHARE), 1),
    'early_stopping': False,
    'random_state': seed,
  }
