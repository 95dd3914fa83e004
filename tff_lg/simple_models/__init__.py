"""Simple models that a client could train alone, without federated learning.

Comes in: one client's examples as arrays, one label each. Goes out: a function from features to
probabilities, or to a number. `SIMPLE_MODELS` finds a model by the name that `--own_models` takes;
a new one is one file and one line here. May import: NumPy and scikit-learn; no room.
"""

from collections.abc import Mapping

from tff_lg.simple_models.boosting import boosting
from tff_lg.simple_models.linear import linear
from tff_lg.simple_models.simple_model import (
  Affine,
  Predict,
  SimpleModel,
  fit,
  fit_affine,
  fit_number,
  log_likelihoods,
)

SIMPLE_MODELS: Mapping[str, SimpleModel] = {'linear': linear(), 'boosting': boosting()}

__all__ = [
  'SIMPLE_MODELS',
  'Affine',
  'Predict',
  'SimpleModel',
  'boosting',
  'fit',
  'fit_affine',
  'fit_number',
  'linear',
  'log_likelihoods',
]
