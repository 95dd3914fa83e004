"""The folder of an adaptation run with invented numbers, for tests and to try its report."""

import io
import json
import os
from typing import Any

import numpy as np
import pandas as pd

from tff_lg import file_names, files, metric_names
from tff_lg.analysis import names
from tff_lg.analysis.run_folder import SYNTHETIC
from tff_lg.analysis.synthetic import check_folder

# What each adaptation adds to the federated model's accuracy: mean and std over clients.
_GAINS = {
  'fine_tune': (0.020, 0.03),
  'freeze_base': (0.012, 0.015),
  'ewc': (0.022, 0.025),
  'distillation': (0.023, 0.02),
}
_VALIDATION = metric_names.validation('accuracy')
_EVALUATED_EXAMPLES = {
  metric_names.validation('accuracy'): 80,
  metric_names.LOCAL_ACCURACY: 100,
  metric_names.PARTICIPANT_ACCURACY: 1000,
}
_NUM_CLASSES = 10
_RATES = (0.1, 0.01)
_HELD_OUT_SHARE = 0.1


def write_synthetic_adaptation_folder(
  run_dir: str, *, num_clients: int = 100, seed: int = 0
) -> str:
  """Writes the folder of an adaptation run, all of it invented.

  Args:
    run_dir: the folder; made if need be, a synthetic one is overwritten.
    num_clients: a positive int; a tenth of them, rounded down, is held out.
    seed: of the invented numbers; the same seed gives the same files.

  Returns:
    `run_dir`.

  Raises:
    ValueError: `run_dir` holds something else, such as a real run.
  """
  check_folder(run_dir)
  clients = _clients(num_clients, np.random.default_rng(seed))
  hparams = {
    SYNTHETIC: True,
    'adaptation': list(_GAINS),
    'epochs': 20,
    'seed': seed,
    'source': {'task': 'cifar10', 'method': 'fedavg', 'aggregator': 'median'},
  }
  parquet = io.BytesIO()
  clients.to_parquet(parquet, index=False)
  # hparams.json first: a half-written folder is known for synthetic.
  curves = [
    {
      'model': name,
      'learning_rate': rate,
      'epoch': epoch,
      _VALIDATION: 0.6 + gain * (1 - (1 - epoch / 10) ** 2) * (1 if rate == _RATES[0] else 0.5),
    }
    for name, (gain, _) in _GAINS.items()
    for rate in _RATES
    for epoch in range(0, 21, 5)
  ]
  contents: dict[str, str | bytes] = {
    file_names.HPARAMS: json.dumps(hparams, indent=2),
    file_names.CLIENTS: parquet.getvalue(),
    file_names.VALIDATION_CURVES: pd.DataFrame(curves).to_csv(index=False),
    file_names.SUMMARY: json.dumps({'num_clients': num_clients}),
  }
  for name, content in contents.items():
    files.write_atomically(os.path.join(run_dir, name), content)
  return run_dir


def _clients(num_clients: int, rng: np.random.Generator) -> pd.DataFrame:
  num_train = np.round(np.exp(rng.normal(6, 0.7, num_clients))).astype(int) + 20
  is_held_out = np.arange(num_clients) >= num_clients - int(_HELD_OUT_SHARE * num_clients)
  num_classes = rng.integers(2, _NUM_CLASSES + 1, num_clients)
  table: dict[str, Any] = {
    'client_id': [f'client_{k:04d}' for k in range(num_clients)],
    'num_train': num_train,
    'num_validation': _EVALUATED_EXAMPLES[_VALIDATION],
    'num_test': _EVALUATED_EXAMPLES[metric_names.LOCAL_ACCURACY],
    'num_classes': num_classes,
    'is_held_out': is_held_out,
  }
  # Who has many examples of few classes does well alone.
  own = 0.62 + 0.04 * np.log(num_train / 400) - 0.012 * (num_classes - 6)
  own += rng.normal(0, 0.03, num_clients)
  federated = own + 0.035 - 0.5 * (own - own.mean()) + rng.normal(0, 0.025, num_clients)
  accuracy = {
    names.LOCAL_ONLY: np.where(is_held_out, np.nan, own),
    metric_names.FEDERATED: federated,
  }
  for name, (mean, std) in _GAINS.items():
    accuracy[name] = federated + rng.normal(mean, std, num_clients) + 0.2 * (own - own.mean())
    table[metric_names.epoch(name)] = rng.integers(0, 21, num_clients)
    table[metric_names.is_finite(name)] = True
  for model, shares in accuracy.items():
    for metric, examples in _EVALUATED_EXAMPLES.items():
      measured = shares + rng.normal(0, 0.6 / examples**0.5, num_clients)
      # Shares that so many examples can give.
      table[f'{model}/{metric}'] = np.clip(np.round(measured * examples) / examples, 0, 1)
  models = [metric_names.FEDERATED, *_GAINS]
  scores = np.stack([table[f'{model}/{_VALIDATION}'] for model in models], axis=1)
  chosen = scores.argmax(axis=1)
  table[metric_names.BEST_NAME] = [models[i] for i in chosen]
  for metric in _EVALUATED_EXAMPLES:
    values = np.stack([table[f'{model}/{metric}'] for model in models], axis=1)
    table[f'{metric_names.BEST}/{metric}'] = values[np.arange(num_clients), chosen]
  return pd.DataFrame(table)
