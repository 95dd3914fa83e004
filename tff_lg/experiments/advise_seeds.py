"""One advice of several, which differ in their seed alone."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from tff_lg import config as config_lib
from tff_lg import metric_names, verdicts
from tff_lg import metrics as metrics_lib
from tff_lg.experiments import advise, advise_choice
from tff_lg.run_folder import run_files


def combine(base: config_lib.TrainConfig, run_dir: str, folders: Sequence[str]) -> dict[str, Any]:
  """Writes the advice that several seeds give together.

  Scores are means over seeds: those on validation data choose a model, those on test data measure
  its gain. A test example counts once, with its mean over seeds.

  Args:
    base: of one of them.
    run_dir: gets `advice.csv`, tables and `summary.json`.
    folders: of an advice for each seed, complete, in `run_dir`.

  Returns:
    The summary, as for one advice. It also has `num_seeds`, and `first_run`, whose models are
    exported. `gain/std_over_seeds` is the standard deviation over seeds of this advice's gain,
    the mean over clients. `advice/agreement` is the share of the single seeds' advice that agrees
    with this one. The table has `gain_std_over_seeds` and `seeds_that_agree` by client.

  Raises:
    ValueError: a file is damaged, or seeds have no client in common; one sentence.
  """
  found = [run_files.load_results(folder) for folder in folders]
  summaries = [summary for summary, _ in found]
  tables = [table.set_index('client_id') for _, table in found]
  ids = [client for client in tables[0].index if all(client in table.index for table in tables)]
  if not ids:
    raise ValueError(f'The seeds in {run_dir} have no client in common: expected the same clients.')
  metric = metrics_lib.METRICS[base.model_metrics[0]]
  test, validation = metric_names.local_test(metric.name), metric_names.validation(metric.name)
  # Own models first, as in the columns of the table.
  parts = [name.removesuffix(f'/{test}') for name in tables[0] if name.endswith(f'/{test}')]

  def over_seeds(column: str) -> np.ndarray:
    return np.stack([table.loc[ids, column].to_numpy(np.float64) for table in tables])

  candidates = [
    advise_choice.Candidate(
      part,
      validation=over_seeds(f'{part}/{validation}').mean(axis=0),
      test=over_seeds(f'{part}/{test}').mean(axis=0),
      num_bytes=summaries[0][metric_names.of_model(part, 'bytes_per_client')],
      epsilon=summaries[0].get(metric_names.of_model(part, 'epsilon')),
      scores=_scores(folders, part, ids),
      is_reference=summaries[0][metric_names.of_model(part, 'is_reference')],
    )
    for part in parts
  ]
  clients = tables[0].loc[ids].reset_index()
  table, summary = advise_choice.choose(clients, candidates, metric, base.level)
  tests = np.stack([over_seeds(f'{part}/{test}') for part in parts])
  chosen = [parts.index(part) for part in table[metric_names.ADVICE]]
  gains = metric.sign * (tests[chosen, :, np.arange(len(ids))].T - tests[0])
  table['gain_std_over_seeds'] = gains.std(axis=0, ddof=1)
  advised = np.stack([each.loc[ids, metric_names.ADVICE].to_numpy(str) for each in tables])
  agrees = advised == table[metric_names.ADVICE].to_numpy(str)
  table['seeds_that_agree'] = agrees.sum(axis=0)
  summary |= {
    'num_seeds': len(folders),
    metric_names.std_over_seeds('gain'): float(np.nanmean(gains, axis=1).std(ddof=1)),
    metric_names.AGREEMENT: float(agrees.mean()),
    'first_run': os.path.relpath(folders[0], run_dir),
  }
  advise.write_advice(run_dir, table, summary)
  return summary


def _scores(folders: Sequence[str], part: str, ids: Sequence[str]) -> list[np.ndarray] | None:
  """Returns the metric of test examples by client, [num_seeds, num_examples]; None without."""
  start = f'{metric_names.BEST}/' if part == advise.ADAPTED else ''
  of_seeds = []
  for folder in folders:
    table = run_files.load_results(advise.part_folder(folder, part))[1].set_index('client_id')
    for column, parse in ((verdicts.MARKS, verdicts.from_marks), (verdicts.VALUES, _values)):
      if f'{start}{column}' in table:
        of_seeds.append([parse(text) for text in table.loc[ids, f'{start}{column}']])
        break
    else:
      return None
  by_client = list(zip(*of_seeds, strict=True))
  if any(len({len(of_seed) for of_seed in of_client}) > 1 for of_client in by_client):
    return None
  return [np.stack(of_client).astype(np.float64) for of_client in by_client]


def _values(text: object) -> np.ndarray:
  return verdicts.from_values(text)
