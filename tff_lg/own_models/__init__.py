"""Locally trained models: what every client could have without taking part.

Comes in: the `LocalLearningOptions` of a resolved config, the clients' data and the initial
network, or a finished run's folder. Goes out: a run folder of the method `local_only`, with the
scores of each client's own best model. Its consumers, `experiment` and `adaptation_run`, take the
opponent from here alone. May import: `tff_lg.run_folder`, `tff_lg.scoring`,
`tff_lg.simple_models`.
"""

from tff_lg.own_models.found import find_own_models, load_own_models
from tff_lg.own_models.networks import OwnNetworks, retrain_network, train_networks
from tff_lg.own_models.opponent import run_own_models
from tff_lg.own_models.participation import add_participation
from tff_lg.own_models.simple import refit

__all__ = [
  'OwnNetworks',
  'add_participation',
  'find_own_models',
  'load_own_models',
  'refit',
  'retrain_network',
  'run_own_models',
  'train_networks',
]
