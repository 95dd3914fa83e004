"""A small run in memory, two clients and three rounds, to change as a test needs it."""

from typing import Any

import numpy as np
import pandas as pd

from tff_lg.analysis.run_folder import RunFolder


def make_run(**changes: Any) -> RunFolder:
  """Makes a run: client a gains 10 points over its own model, b loses 20; bytes 10, 20, 30."""
  clients = pd.DataFrame(
    {'local_test/accuracy': [0.9, 0.5], 'local_only/local_test/accuracy': [0.8, 0.7]},
    index=pd.Index(['a', 'b'], name='client_id'),
  )
  rounds = pd.Index([1, 2, 3], name='round_num')
  metrics = pd.DataFrame(
    {
      'method': ['fedavg', 'lg_fedavg', 'lg_fedavg'],
      'train/loss': [3.0, 2.0, 1.0],
      'train/num_clients_left_out': [0.0, 0.0, 0.0],
      'local_test/accuracy/mean_over_clients': [np.nan, 0.5, 0.7],
      'communication/bytes_total': [10.0, 20.0, 30.0],
    },
    index=rounds,
  )
  values = {
    'path': 'runs/x',
    'method': 'lg_fedavg',
    'hparams': {'task': 'digits', 'method': 'lg_fedavg'},
    'summary': {
      'local_test/accuracy/mean_over_clients': 0.7,
      'local_test/accuracy/std_over_clients': 0.2,
      'communication/bytes_total': 30,
    },
    'metrics': metrics,
    'clients': clients,
    'communication': None,
    'label_counts': None,
    'model_split': None,
    'timing': {},
    'baselines': {},
  }
  return RunFolder(**{**values, **changes})


def make_local_only() -> RunFolder:
  """Makes the baseline of `make_run`: it sends nothing."""
  run = make_run()
  return make_run(
    method='local_only',
    metrics=run.metrics.assign(**{'method': 'local_only', 'communication/bytes_total': 0.0}),
    summary={
      'local_test/accuracy/mean_over_clients': 0.75,
      'local_test/accuracy/std_over_clients': 0.05,
      'communication/parameters_total': 0,
      'communication/bytes_total': 0,
      'rounds/fedavg': 0,
      'rounds/local_only': 3,
    },
    clients=run.clients[[]],
  )


def make_judged_run(**changes: Any) -> RunFolder:
  """Makes the run of `make_run` with verdicts: a is better off, for b the data cannot tell."""
  run, start = make_run(), 'verdict_over/local_only/'
  of_clients = {
    'difference': [0.1, -0.2],
    'low': [0.01, -0.5],
    'high': [0.19, 0.1],
    'adjusted_p_value': [0.01, 0.3],
    'smallest_difference': [0.05, 0.25],
    'verdict': ['better', 'cannot tell'],
  }
  of_run = {
    'false_discovery_rate': 0.05,
    'share_truly_worse': 0.2,
    'share_truly_worse/low': 0.0,
    'share_truly_worse/high': 0.6,
  }
  values = {
    'clients': run.clients.assign(**{f'{start}{name}': v for name, v in of_clients.items()}),
    'summary': {**run.summary, **{f'{start}{name}': v for name, v in of_run.items()}},
  }
  return make_run(**{**values, **changes})
