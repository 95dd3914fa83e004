"""A small adaptation run in memory, two clients and one technique, to change as a test needs."""

import numpy as np
import pandas as pd

from tff_lg.analysis.adaptation_folder import AdaptationFolder

# Over its own model, client a gains 10 points with the federated model and with the fine-tuned
# one; client b loses 20 and loses nothing. The best by validation: federated for a, else for b.
ACCURACY = {
  'local_only': [0.8, 0.7],
  'federated': [0.9, 0.5],
  'fine_tune': [0.9, 0.7],
  'best': [0.9, 0.7],
}


def make_clients(*, participant=False):
  """Makes the table of clients; with participant accuracies half the others if asked for."""
  table = {
    'num_train': [100.0, 1000.0],
    'num_classes': [2.0, 10.0],
    'fine_tune/epoch': [1.0, 4.0],
    'fine_tune/is_finite': [1.0, 1.0],
    'best/name': ['federated', 'fine_tune'],
  }
  for model, accuracy in ACCURACY.items():
    table[f'{model}/local_test/accuracy'] = accuracy
    if participant:
      table[f'{model}/participant_test/accuracy'] = [value / 2 for value in accuracy]
  return pd.DataFrame(table, index=pd.Index(['a', 'b'], name='client_id'))


def without_own(clients):
  """Returns the table without locally trained models."""
  return clients.drop(columns=[name for name in clients if name.startswith('local_only/')])


def make_run(**changes):
  """Makes the run."""
  values = {
    'path': 'runs/x',
    'hparams': {'adaptation': ['fine_tune'], 'epochs': 4, 'from_run': 'runs/a b', 'source': {}},
    'source': {'task': 'digits', 'method': 'fedavg'},
    'summary': {},
    'adaptations': ('fine_tune',),
    'clients': make_clients(),
  }
  return AdaptationFolder(**{**values, **changes})


def all_clients(run):
  """Returns every client of a run, as `AdaptationFolder.groups` gives them."""
  return pd.Series(np.ones(len(run.clients), bool), index=run.clients.index)
