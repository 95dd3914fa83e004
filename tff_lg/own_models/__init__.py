"""Locally trained models: what every client could have without taking part.

Comes in: a resolved `TrainConfig`, the clients' data and the initial network, or a finished run's
folder. Goes out: a run folder of the method `local_only`, with the scores of each client's own best
model. Its consumers, `experiment` and `adaptation_run`, take the opponent from here alone.
"""

from tff_lg.own_models.found import find_own_models, load_own_models
from tff_lg.own_models.networks import OwnNetworks, train_networks
from tff_lg.own_models.opponent import run_own_models
from tff_lg.own_models.participation import add_participation

__all__ = [
  'OwnNetworks',
  'add_participation',
  'find_own_models',
  'load_own_models',
  'run_own_models',
  'train_networks',
]
