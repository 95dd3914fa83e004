"""Motley's cross-silo benchmark on School and Vehicle: Wu et al. 2022, arXiv:2206.09262.

The protocol is the authors'. Each silo's examples are split into 70, 15 and 15 %. All silos take
part in each round, with one local epoch. The models are those after round 500. There are five
repeats with splits of their own. Each method has the point of its grid with the best mean score on
validation data.

On School their loss is half the squared error, ours is the squared error. Their learning rates are
therefore halved here, and lambda of Ditto is twice theirs. On Vehicle their loss is the hinge, ours
is the cross entropy.

The authors' settings: litian96/p13n_benchmark_cross_silo, `vehicle_school`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tff_lg.adaptation import ADAPTATIONS
from tff_lg.learning.methods import METHODS
from tff_lg.suites.search import SearchAxis
from tff_lg.suites.suite import Published, SuiteEntry, SuiteMethod, register, to_percent

if TYPE_CHECKING:
  import numpy as np

_SERVER_RATE = SearchAxis('server_learning_rate', (0.1, 0.3, 1, 3, 10), 1)
_MOMENTUM = SearchAxis('server_momentum', (0, 0.9), 0, grows=False)
_CLUSTERS = SearchAxis('num_clusters', (2, 3, 4), 2, grows=False)
_OF_SERVER = (_SERVER_RATE, _MOMENTUM)
_LAMBDAS = (0.0001, 0.001, 0.01, 0.1, 0.3, 1, 3)
_ROUND = {
  'client_fraction': '1',
  'client_epochs': '1',
  'selection_metric': 'loss',
  'selection_scope': 'pooled',
  'score_on_others': 'true',
}
_LABELS = {
  'local': 'Local',
  'mtl': 'Mean-regularised MTL',
  'fine_tuning': 'FedAvg, fine-tuned',
  'knn_per': 'kNN-Per',
}


class _Grid(NamedTuple):
  """How the authors' grids are ours.

  Attributes:
    rates: learning rates of clients, in place of 0.003 to 0.3.
    start: the one that the search starts from.
    ditto: what their lambda of Ditto is multiplied by.
    mtl: that of MTL.
    techniques: rows that adapt FedAvg: (name, technique).
  """

  rates: tuple[float, ...]
  start: float
  ditto: float
  mtl: float
  techniques: tuple[tuple[str, str], ...]

  @property
  def rate(self) -> SearchAxis:
    """The axis of the clients' learning rate."""
    return SearchAxis('client_learning_rate', self.rates, self.start)

  def list_methods(self) -> tuple[SuiteMethod, ...]:
    """Lists the rows of the paper, of the methods and techniques that are registered."""
    strengths = {
      name: SearchAxis(f'{name}_strength', tuple(factor * each for each in _LAMBDAS), 0.1 * factor)
      for name, factor in (('ditto', self.ditto), ('mtl', self.mtl))
    }
    trained = (
      ('local', 'local_only', ()),
      ('fedavg', 'fedavg', _OF_SERVER),
      ('ifca', 'ifca', (_CLUSTERS, *_OF_SERVER)),
      ('ditto', 'ditto', (strengths['ditto'], *_OF_SERVER)),
      ('mtl', 'mtl', (strengths['mtl'], *_OF_SERVER)),
    )
    flags = {
      # Epochs as the federated methods have rounds.
      'local': {'local_budget': 'cohort'},
      # The rates and the epochs of fine-tuning at most.
      'fine_tuning': {'learning_rate': ','.join(map(str, self.rates)), 'epochs': '100'},
    }
    return (
      *(
        SuiteMethod(
          name=name,
          label=_LABELS.get(name, METHODS[method].label),
          method=method,
          flags=flags.get(name, {}),
          axes=(self.rate, *axes),
        )
        for name, method, axes in trained
        if method in METHODS
      ),
      *(
        SuiteMethod(
          name=name,
          label=_LABELS[name],
          flags=flags.get(name, {}),
          adapts='fedavg',
          technique=technique,
        )
        for name, technique in self.techniques
        if technique in ADAPTATIONS
      ),
    )


# kNN-Per votes for classes, so it does not fit scores.
_SCHOOL = _Grid((0.0005, 0.0015, 0.005, 0.015, 0.05), 0.015, 2, 1, (('fine_tuning', 'fine_tune'),))
_VEHICLE = _Grid(
  (0.003, 0.01, 0.03, 0.1, 0.3), 0.03, 1, 0.5, (*_SCHOOL.techniques, ('knn_per', 'knn_per'))
)


def _half_the_square(errors: np.ndarray) -> np.ndarray:
  return errors**2 / 2


register(
  SuiteEntry(
    name='motley_cross_silo',
    label="Motley's cross-silo benchmark on School",
    data='school.mat, or its folder; generated schools without it',
    flags={'task': 'school', 'batch_size': '32', **_ROUND},
    list_methods=_SCHOOL.list_methods,
    axes=(_SCHOOL.rate, *_OF_SERVER),
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
register(
  SuiteEntry(
    name='motley_vehicle',
    label="Motley's cross-silo benchmark on Vehicle, or on any task with classes after `--`",
    data='vehicle.mat, or its folder; generated sensors without it',
    flags={'task': 'vehicle', 'batch_size': '64', **_ROUND},
    list_methods=_VEHICLE.list_methods,
    axes=(_VEHICLE.rate, *_OF_SERVER),
    scores_last_round=True,
    num_repeats=5,
    rounds=500,
    metric='accuracy',
    score=to_percent,
    score_label='accuracy in percent',
    digits=2,
  )
)
