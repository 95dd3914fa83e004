"""Clients made out of pooled data by clustering, and how much they differ.

Comes in: arrays of embeddings, labels and splits. Goes out: the client of each example, and each
client's Frechet distance to the others. From arrays of what clients trained on halves of their
data, it also estimates how much of their difference is the clients' own. May import: NumPy, pandas,
scikit-learn, `tff_lg.data`. (Scikit-learn is imported when it is used.)

  clients = heterogeneity.simulate_clients(
    x, y, split, num_clients=10, shuffled_share=0.0, seed=0
  )
  distances = heterogeneity.client_distances(x, clients.client, clients.num_clients)
  heterogeneity.mean_distance(distances)
"""

from tff_lg.heterogeneity.clients import SimulatedClients, shuffle_clients, simulate_clients
from tff_lg.heterogeneity.clients_file import ClientAssignment, load_clients, save_clients
from tff_lg.heterogeneity.frechet import client_distances, frechet_distance, mean_distance
from tff_lg.heterogeneity.tables import distance_table
from tff_lg.heterogeneity.variances import (
  HalvesSums,
  Variances,
  best_alpha,
  estimate_from_halves,
)

__all__ = [
  'ClientAssignment',
  'HalvesSums',
  'SimulatedClients',
  'Variances',
  'best_alpha',
  'client_distances',
  'distance_table',
  'estimate_from_halves',
  'frechet_distance',
  'load_clients',
  'mean_distance',
  'save_clients',
  'shuffle_clients',
  'simulate_clients',
]
