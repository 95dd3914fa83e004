"""A small sweep folder with numbers that can be computed by hand."""

import json
import os

from tff_lg import files

METRIC = 'pooled_test/auc'

# AUC of seeds 0, 1, 2: mean .9 and .8, standard deviation .1 and 0 (n - 1); .7 from one trial.
AUC = {
  ('0', 'dense'): (0.8, 0.9, 1.0),
  ('0.5', 'dense'): (0.8, 0.8, 0.8),
  ('0', 'cgau'): (0.7, None, None),
}


def write_sweep(folder, config=None):
  """Writes two axes by three seeds, of which some trials are not complete."""
  axes = {'shuffled_share': ['0', '0.5'], 'model': ['dense', 'cgau']}
  trials = {}
  for share in axes['shuffled_share']:
    for model in axes['model']:
      for seed in range(3):
        name = f'shuffled_share={share}__model={model}__seed={seed}'
        values = {'shuffled_share': share, 'model': model}
        trials[name] = {'values': values, 'seed': seed, 'config': config or {}}
        auc = AUC.get((share, model), (None,) * 3)[seed]
        if auc is not None:
          summary = {METRIC: auc, 'loss': None, 'model': 3, 'protocol/note': 'text'}
          files.write_atomically(
            os.path.join(folder, 'trials', name, 'summary.json'), json.dumps(summary)
          )
  definition = {'pipeline': 'train', 'axes': axes, 'trials': trials}
  files.write_atomically(os.path.join(folder, 'sweep.json'), json.dumps(definition))
