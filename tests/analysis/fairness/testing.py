"""Devices' outputs, made up, with figures known by hand."""

import types
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd


class Outputs(NamedTuple):
  """As `fairness.Outputs` describes it."""

  h: np.ndarray
  probability: np.ndarray
  guesses: np.ndarray
  y: np.ndarray
  attributes: np.ndarray


class Traffic(NamedTuple):
  """Communication of a run."""

  parameters: int = 70
  bytes: int = 280


class Run(NamedTuple):
  """As `fairness.collect` takes it."""

  train: tuple
  test: tuple
  test_by_round: tuple
  strength: float = 0.0
  partition: str = 'iid'
  method: str = 'fedavg'
  seed: int = 0
  traffic: Traffic = Traffic()
  left_out: int = 0
  own_models: Mapping[str, float | str] = types.MappingProxyType({})
  diverged: str = ''


def device(seed: int = 0, n: int = 40) -> Outputs:
  """Makes a device; the sign of h's first number is an attribute, another is not in h.

  The adversary knows the second attribute and takes the first for its contrary. Income is the
  first attribute, and predicted without error.
  """
  rng = np.random.default_rng(seed)
  h = rng.normal(size=(n, 2)).astype(np.float32)
  h[:, 0] += np.sign(h[:, 0])
  first = (h[:, 0] > 0).astype(np.int32)
  second = (np.arange(n) % 2).astype(np.int32)
  guesses = np.stack([1 - first, second], axis=1).astype(np.float32)
  probability = np.where(first, 0.9, 0.1).astype(np.float32)
  return Outputs(h, probability, guesses, first, np.stack([first, second], axis=1))


def results(seeds=(0, 1)) -> pd.DataFrame:
  """Makes results: accuracy .8 and .82 by seed, less by 1 point with adversary, 2 in non-IID."""
  rows = []
  for seed in seeds:
    for partition in ('iid', 'non_iid'):
      for method, strength in (('fedavg', 0.0), ('lg_fedavg', 0.0), ('lg_fedavg', 2.5)):
        row = {'partition': partition, 'method': method, 'lambda': strength, 'seed': seed}
        row['local_test/accuracy/pooled'] = (
          0.8 + 0.02 * seed - 0.01 * (strength > 0) - 0.02 * (partition == 'non_iid')
        )
        row['local_test/accuracy/majority'] = 0.75
        row['local_test/auc/mean_over_clients'] = 0.9
        for what in ('adversary_auc', 'probe_auc/logistic', 'probe_auc/boosting'):
          row[f'local_test/{what}/mean_over_clients'] = 0.65
          for name in ('race', 'sex'):
            row[f'local_test/{what}/{name}/mean_over_clients'] = 0.6 + 0.1 * (name == 'sex')
        for name in ('race', 'sex'):
          row[f'local_test/demographic_parity_difference/{name}/pooled'] = 0.1
          row[f'local_test/equalized_odds_difference/{name}/pooled'] = float('nan')
        rows.append(row)
  return pd.DataFrame(rows)
