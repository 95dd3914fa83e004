"""A small run folder of invented numbers, for tests and for trying the report.

Its hparams.json says so (`synthetic`), and so does everything made from it.
"""

import io
import json
import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from tff_lg import file_names, files, metric_names
from tff_lg.analysis import names
from tff_lg.analysis.run_folder import SYNTHETIC
from tff_lg.learning.methods import METHODS

_NUM_CLASSES = 10
_TEST_EXAMPLES = 40
_EVALUATE_EVERY = 4
_CLIENTS_PER_ROUND = 10
# Size of the LG-FedAvg paper's MNIST network: all of it, and its global part.
_PARAMETERS = {'fedavg': 633_226, 'lg_fedavg': 99_978, names.LOCAL_ONLY: 0}
_SPLIT = """\
weight                      side    shape               parameters         bytes
dense_1/kernel              local   (784, 512)             401,408     1,605,632
output/kernel               global  (128, 10)                1,280         5,120
(an invented excerpt)"""


class _Run(NamedTuple):
  """The numbers from which one method's folder is invented."""

  method: str
  phases: Sequence[tuple[str, int]]  # (method, number of rounds), in order.
  accuracy: np.ndarray  # [num_clients] float64, the final local test accuracy.


def write_synthetic_run_folder(
  run_dir: str, *, num_clients: int = 20, num_rounds: int = 40, seed: int = 0
) -> str:
  """Writes a run folder of LG-FedAvg with its baselines, all of it invented.

  Args:
    run_dir: the folder; made if need be, a synthetic one is overwritten.
    num_clients: a positive int.
    num_rounds: rounds of each method, at least 2; half of LG-FedAvg's are warm start.
    seed: of the invented numbers; the same seed gives the same files.

  Returns:
    `run_dir`.

  Raises:
    ValueError: `run_dir` holds something else, such as a real run.
  """
  check_folder(run_dir)
  rng = np.random.default_rng(seed)
  own = _as_shares(np.clip(rng.beta(14, 1.5, num_clients), 0.5, 1))
  fedavg = _as_shares(np.clip(rng.normal(0.9, 0.03, num_clients), 0, 1))
  gain = rng.normal(0.03, 0.03, num_clients)
  warm_start = num_rounds // 2
  run = _Run(
    'lg_fedavg',
    (('fedavg', warm_start), ('lg_fedavg', num_rounds - warm_start)),
    _as_shares(np.clip(own + gain, 0, 1)),
  )
  baselines = (
    _Run(names.LOCAL_ONLY, ((names.LOCAL_ONLY, num_rounds),), own),
    _Run('fedavg', (('fedavg', num_rounds),), fedavg),
  )
  label_counts = _label_counts(rng, num_clients)
  _write_run(run_dir, run, baselines, label_counts, rng)
  for baseline in baselines:
    folder = os.path.join(run_dir, file_names.BASELINES, baseline.method)
    _write_run(folder, baseline, (), label_counts, rng)
  return run_dir


def check_folder(run_dir: str) -> None:
  """Checks that invented numbers may be written into a folder.

  Args:
    run_dir: the folder; it need not exist.

  Raises:
    ValueError: it holds something else than invented numbers.
  """
  if _holds_something_else(run_dir):
    raise ValueError(
      f'{run_dir}: the folder holds more than invented numbers, and must not be overwritten; '
      'name another folder.'
    )


def _holds_something_else(run_dir: str) -> bool:
  if not os.path.isdir(run_dir) or not os.listdir(run_dir):
    return False
  try:
    with open(os.path.join(run_dir, file_names.HPARAMS), encoding='utf-8') as file:
      return not json.load(file).get(SYNTHETIC, False)
  except (OSError, ValueError, AttributeError):
    return True


def _write_run(
  run_dir: str,
  run: _Run,
  baselines: Sequence[_Run],
  label_counts: pd.DataFrame,
  rng: np.random.Generator,
) -> None:
  """Writes one folder, hparams.json first, so that a half-written one is known for synthetic."""
  hparams = {
    SYNTHETIC: True,
    'task': 'mnist',
    'method': run.method,
    'num_clients': len(run.accuracy),
    'clients_per_round': min(_CLIENTS_PER_ROUND, len(run.accuracy)),
    'rounds': run.phases[-1][1],
    'warm_start_rounds': sum(rounds for _, rounds in run.phases[:-1]),
    'protocol': 'validation',
  }
  communication = _communication(run)
  metrics = _metrics(run, communication, rng)
  clients = _clients(run, baselines, label_counts)
  parquet = io.BytesIO()
  clients.to_parquet(parquet, index=False)
  contents = {
    file_names.HPARAMS: json.dumps(hparams, indent=2),
    file_names.FLAGS: ''.join(f'--{name}={value}\n' for name, value in hparams.items()),
    file_names.METRICS: metrics.to_csv(index=False),
    file_names.COMMUNICATION: communication.to_csv(index=False),
    file_names.CLIENTS: parquet.getvalue(),
    file_names.LABEL_COUNTS: label_counts.to_csv(),
    file_names.MODEL_SPLIT: _SPLIT,
    file_names.SUMMARY: json.dumps(_summary(run, metrics), indent=2),
    file_names.TIMING: json.dumps({'seconds': 75.0, 'rounds_per_second': 2.5}),
  }
  for name, content in contents.items():
    files.write_atomically(os.path.join(run_dir, name), content)


def _communication(run: _Run) -> pd.DataFrame:
  """Returns the traffic: every client of the cohort sends its global weights once, both ways."""
  methods = [method for method, rounds in run.phases for _ in range(rounds)]
  cohort = min(_CLIENTS_PER_ROUND, len(run.accuracy))
  parameters = np.array([cohort * _PARAMETERS[method] for method in methods])
  return pd.DataFrame(
    {
      'round_num': np.arange(1, len(methods) + 1),
      'method': methods,
      'parameters_down': parameters,
      'parameters_up': parameters,
      'bytes_down': 4 * parameters,
      'bytes_up': 4 * parameters,
    }
  )


def _metrics(run: _Run, communication: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
  rounds = communication['round_num'].to_numpy()
  approach = 1 - np.exp(-4 * rounds / len(rounds))
  noise = 0.01 * rng.standard_normal((2, len(rounds)))
  local_test = np.clip(run.accuracy.mean() * approach + noise[0], 0, 1)
  evaluated = (rounds % _EVALUATE_EVERY == 0) | (rounds == len(rounds))
  at_evaluation = {
    metric_names.mean(metric_names.validation('loss')): 2.3 * (1 - approach) + 0.2,
    metric_names.mean(metric_names.validation('accuracy')): np.clip(local_test + noise[1], 0, 1),
    metric_names.mean(metric_names.LOCAL_ACCURACY): local_test,
    metric_names.std(metric_names.LOCAL_ACCURACY): np.full(len(rounds), run.accuracy.std()),
    metric_names.mean(metric_names.local_test('loss')): 2.3 * (1 - approach) + 0.22,
  }
  return pd.DataFrame(
    {
      'round_num': rounds,
      'method': communication['method'],
      metric_names.TRAIN_LOSS: 2.3 * (1 - approach) + 0.1 + np.abs(noise[1]),
      metric_names.NUM_CLIENTS_LEFT_OUT: 0,
      metric_names.PARAMETERS_TOTAL: _total(communication, 'parameters'),
      metric_names.BYTES_TOTAL: _total(communication, 'bytes'),
      **{name: np.where(evaluated, values, np.nan) for name, values in at_evaluation.items()},
    }
  )


def _total(communication: pd.DataFrame, what: str) -> pd.Series:
  return (communication[f'{what}_down'] + communication[f'{what}_up']).cumsum()


def _clients(run: _Run, baselines: Sequence[_Run], label_counts: pd.DataFrame) -> pd.DataFrame:
  table = {
    'client_id': label_counts.index,
    'num_train': label_counts.sum(axis=1).to_numpy(),
    'num_validation': 5,
    'num_test': _TEST_EXAMPLES,
    'num_classes': (label_counts > 0).sum(axis=1).to_numpy(),
    'best_round': sum(rounds for _, rounds in run.phases),
    metric_names.validation('accuracy'): run.accuracy,
    metric_names.LOCAL_ACCURACY: run.accuracy,
    metric_names.PARTICIPANT_ACCURACY: run.accuracy,
  }
  for baseline in baselines:
    for metric in (metric_names.LOCAL_ACCURACY, metric_names.PARTICIPANT_ACCURACY):
      table[f'{baseline.method}/{metric}'] = baseline.accuracy
  return pd.DataFrame(table)


def _label_counts(rng: np.random.Generator, num_clients: int) -> pd.DataFrame:
  """Returns uneven classes and sizes, as a Dirichlet of small concentration gives."""
  shares = rng.dirichlet(np.full(_NUM_CLASSES, 0.3), num_clients)
  sizes = rng.integers(30, 120, num_clients)
  counts = np.stack(
    [rng.multinomial(size, share) for size, share in zip(sizes, shares, strict=True)]
  )
  ids = pd.Index([f'client_{k:03d}' for k in range(num_clients)], name='client_id')
  return pd.DataFrame(counts, index=ids, columns=[str(label) for label in range(_NUM_CLASSES)])


def _summary(run: _Run, metrics: pd.DataFrame) -> dict[str, float | str]:
  federated = run.method != names.LOCAL_ONLY
  new_test = 0.95 if federated else 0.3
  rounds = {METHODS[method].rounds_entry: rounds for method, rounds in run.phases}
  return {
    metric_names.mean(metric_names.LOCAL_ACCURACY): float(run.accuracy.mean()),
    metric_names.std(metric_names.LOCAL_ACCURACY): float(run.accuracy.std()),
    **{
      metric_names.new_test('accuracy', name): new_test - 0.01 * i
      for i, name in enumerate(names.ENSEMBLES)
    },
    metric_names.PROTOCOL_NOTE: 'Synthetic: every number is invented.',
    metric_names.PARAMETERS_TOTAL: int(metrics[metric_names.PARAMETERS_TOTAL].iloc[-1]),
    metric_names.BYTES_TOTAL: int(metrics[metric_names.BYTES_TOTAL].iloc[-1]),
    **rounds,
  }


def _as_shares(accuracy: np.ndarray) -> np.ndarray:
  """Rounds to shares that a test set of `_TEST_EXAMPLES` can give."""
  return np.round(accuracy * _TEST_EXAMPLES) / _TEST_EXAMPLES
