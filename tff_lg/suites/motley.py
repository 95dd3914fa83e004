"""Motley's cross-silo benchmark on School: Wu et al. 2022, arXiv:2206.09262.

The protocol is the authors'. Each school's pupils are split into 70, 15 and 15 %. All 139 schools
take part in each round, with one local epoch in batches of 32. The models are those after round
500. There are five repeats with splits of their own. Each method has the point of its grid with the
best mean score on validation data. Their loss is half the squared error, ours is the squared error.
Their learning rates are therefore halved here, and lambda of Ditto is twice theirs.

The authors' settings: litian96/p13n_benchmark_cross_silo, `vehicle_school`.
"""

import numpy as np

from tff_lg.adaptation import ADAPTATIONS
from tff_lg.learning.methods import METHODS
from tff_lg.suites.search import SearchAxis
from tff_lg.suites.suite import Published, SuiteEntry, SuiteMethod, register

_RATE = SearchAxis('client_learning_rate', (0.0005, 0.0015, 0.005, 0.015, 0.05), 0.015)
_SERVER_RATE = SearchAxis('server_learning_rate', (0.1, 0.3, 1, 3, 10), 1)
_MOMENTUM = SearchAxis('server_momentum', (0, 0.9), 0, grows=False)
_LAMBDAS = (0.0001, 0.001, 0.01, 0.1, 0.3, 1, 3)
_OF_SERVER = (_SERVER_RATE, _MOMENTUM)
# The rows of the paper, in its order: name, method, axes beside the learning rate.
_ROWS = (
  ('local', 'local_only', ()),
  ('fedavg', 'fedavg', _OF_SERVER),
  ('ifca', 'ifca', (SearchAxis('num_clusters', (2, 3, 4), 2, grows=False), *_OF_SERVER)),
  (
    'ditto',
    'ditto',
    (SearchAxis('ditto_strength', tuple(2 * each for each in _LAMBDAS), 0.2), *_OF_SERVER),
  ),
  ('mtl', 'mtl', (SearchAxis('mtl_strength', _LAMBDAS, 0.1), *_OF_SERVER)),
)
_ADAPTED = (('fine_tuning', 'fine_tune'),)  # kNN-Per votes for classes.
_LABELS = {'local': 'Local', 'mtl': 'Mean-regularised MTL', 'fine_tuning': 'FedAvg, fine-tuned'}
_FLAGS: dict[str, dict[str, str]] = {
  # Epochs as the federated methods have rounds.
  'local': {'local_budget': 'cohort'},
  # The rates and the epochs of fine-tuning at most.
  'fine_tuning': {'learning_rate': '0.0005,0.0015,0.005,0.015,0.05', 'epochs': '100'},
}


def _list_methods() -> tuple[SuiteMethod, ...]:
  trained = [
    SuiteMethod(
      name=name,
      label=_LABELS.get(name, METHODS[method].label),
      method=method,
      flags=_FLAGS.get(name, {}),
      axes=(_RATE, *axes),
    )
    for name, method, axes in _ROWS
    if method in METHODS
  ]
  adapted = [
    SuiteMethod(
      name=name,
      label=_LABELS.get(name, f'FedAvg, {name}'),
      flags=_FLAGS.get(name, {}),
      adapts='fedavg',
      technique=technique,
    )
    for name, technique in _ADAPTED
    if technique in ADAPTATIONS
  ]
  return (*trained, *adapted)


def _half_the_square(errors: np.ndarray) -> np.ndarray:
  return np.square(errors) / 2


register(
  SuiteEntry(
    name='motley_cross_silo',
    label="Motley's cross-silo benchmark on School",
    data='school.mat, or its folder; generated schools without it',
    flags={
      'task': 'school',
      'batch_size': '32',
      'client_epochs': '1',
      'selection_metric': 'loss',
      'selection_scope': 'pooled',
    },
    list_methods=_list_methods,
    axes=(_RATE, *_OF_SERVER),
    scores_last_round=True,
    num_repeats=5,
    rounds=500,
    metric='rmse',
    score=_half_the_square,
    score_label='half the squared error',
    published={'local': Published(0.0121, 0.0059), 'fedavg': Published(0.0130, 0.0068)},
    source='Wu et al. 2022',
  )
)
