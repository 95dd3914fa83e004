"""An advice: all parts trained on the same data, then a model chosen for each client."""

import dataclasses
import os
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tff_lg import config as config_lib
from tff_lg import (
  csv_text,
  file_names,
  files,
  folder_lock,
  personalization,
  progress,
  simulation,
  verdicts,
)
from tff_lg import metrics as metrics_lib
from tff_lg.experiments import advise_choice
from tff_lg.experiments.advise_config import (
  FEDAVG,
  OWN,
  PLAIN,
  AdviseOptions,
  list_parts,
  list_settings,
)
from tff_lg.inputs import tasks
from tff_lg.run_folder import run_files, run_settings

ADAPTED = 'fedavg_adapted'


def run_advise(
  base: config_lib.TrainConfig, options: AdviseOptions, run_dir: str
) -> dict[str, Any]:
  """Trains all parts, each in a run folder of its own, and writes which model is for whom.

  Parts that are complete are not trained again, and one that was stopped resumes.

  Args:
    base: of `advise_config.base_config`.
    options: what is tried.
    run_dir: made if need be; gets `parts/`, `advice.csv` and `summary.json`.

  Returns:
    The summary.

  Raises:
    ValueError: the folder holds something else, or the data or the network cannot be used; one
      sentence, as for each part.
  """
  hparams = list_settings(base, options)
  run_settings.check_hparams(run_dir, hparams)
  with progress.stage('loading data'):
    federated_data = tasks.load_data(base.input_options)
  layers = tasks.build_model(base.input_options, federated_data).layer_names
  parts = list_parts(base, options, len(layers))
  adapts = bool(options.adaptation) and FEDAVG in parts
  with folder_lock.hold(run_dir):
    run_settings.claim_hparams(run_dir, hparams)
    left = _Remaining(len(parts) + adapts)
    for name, config in parts.items():
      with left.part(name):
        simulation.run_experiment(config, part_folder(run_dir, name))
    if adapts:
      with left.part(ADAPTED):
        personalization.run_adaptation(
          config_lib.AdaptConfig(
            from_run=part_folder(run_dir, FEDAVG),
            local_only_from=part_folder(run_dir, OWN),
            adaptation=options.adaptation,
            epochs=options.adaptation_epochs,
            seed=base.seed,
          ),
          part_folder(run_dir, ADAPTED),
        )
    return _write(list(parts), base.model_metrics[0], base.level, run_dir, adapts=adapts)


class _Remaining:
  """Tells before each part how long it will take to the end, by the parts that have ended."""

  def __init__(self, num_parts: int) -> None:
    self._num_parts, self._num_done = num_parts, 0
    self._began: list[float] = []

  def part(self, name: str) -> Any:
    """Names a part of the work, and tells of it."""
    self._tell(name)
    return progress.part(f'{name} ({self._num_done} of {self._num_parts})')

  def _tell(self, name: str) -> None:
    self._began.append(time.monotonic())
    durations = np.diff(self._began)
    left = self._num_parts - self._num_done
    self._num_done += 1
    # The first part, own models, has no rounds: it says little about the others.
    rest = f'; about {np.mean(durations[1:]) * left:.0f} s left' if len(durations) > 1 else ''
    print(f'Part {self._num_done} of {self._num_parts}: {name}{rest}', file=sys.stderr)


def part_folder(run_dir: str, part: str) -> str:
  """Returns the run folder of a part of an advice."""
  return os.path.join(run_dir, 'parts', part)


def _write(
  parts: Sequence[str], main_metric: str, level: float, run_dir: str, *, adapts: bool
) -> dict[str, Any]:
  """Chooses by the tables of all parts, and writes what comes of it."""
  tables = {name: run_files.load_results(part_folder(run_dir, name)) for name in parts}
  clients = tables[OWN][1]
  honest = np.full(len(clients), True)
  for _, table in tables.values():
    if 'is_malicious' in table:
      honest &= ~table['is_malicious'].to_numpy(bool)
  metric = metrics_lib.METRICS[main_metric]
  ids = clients['client_id'][honest]
  candidates = [
    _candidate(name, summary, table, honest, metric) for name, (summary, table) in tables.items()
  ]
  if adapts:
    adapted = run_files.load_results(part_folder(run_dir, ADAPTED))[1].set_index('client_id')
    texts = (f'best/{column}' for column in (verdicts.MARKS, verdicts.VALUES))
    marks = next((name for name in texts if name in adapted), None)
    source = next(each for each in candidates if each.name == FEDAVG)
    values = {part: adapted[f'best/{part}/{metric.name}'] for part in ('validation', 'local_test')}
    candidates.append(
      dataclasses.replace(
        source,
        name=ADAPTED,
        validation=values['validation'].reindex(ids).to_numpy(),
        test=values['local_test'].reindex(ids).to_numpy(),
        marks=None if marks is None else adapted[marks].reindex(ids).reset_index(drop=True),
      )
    )
  table, summary = advise_choice.choose(clients[honest], candidates, metric, level)
  write_advice(run_dir, table, summary)
  return summary


def write_advice(run_dir: str, table: pd.DataFrame, summary: dict[str, Any]) -> None:
  """Writes what an advice ends with; adds to the table the command that exports each model.

  Args:
    run_dir: its folder.
    table: of clients, see `advise_choice.choose`.
    summary: numbers by name.

  Raises:
    OSError: a file cannot be written.
  """
  table['export_command'] = [
    _export_command(run_dir, client, number) for number, client in enumerate(table['client_id'])
  ]
  escaped = table.assign(client_id=table['client_id'].map(csv_text.escape))
  path = os.path.join(run_dir, file_names.ADVICE)
  files.write_atomically(path, escaped.to_csv(index=False, lineterminator='\n'))
  run_files.write_tables(run_dir, summary, table)


def _candidate(
  name: str,
  summary: Mapping[str, Any],
  clients: pd.DataFrame,
  honest: np.ndarray,
  metric: metrics_lib.Metric,
) -> advise_choice.Candidate:
  table = clients[honest]
  marks = [column for column in (verdicts.MARKS, verdicts.VALUES) if column in table]
  return advise_choice.Candidate(
    name,
    validation=table[f'validation/{metric.name}'].to_numpy(np.float64),
    test=table[f'local_test/{metric.name}'].to_numpy(np.float64),
    num_bytes=summary.get('communication/bytes_total', 0) / len(clients),
    epsilon=summary.get('privacy/epsilon'),
    marks=table[marks[0]] if marks else None,
    is_reference=name.endswith(PLAIN),
  )


def _export_command(run_dir: str, client: str, number: int) -> str:
  output = os.path.join(run_dir, 'models', str(number))
  flags = (f'--run_dir={run_dir}', f'--client={client}', f'--output={output}')
  return f'python -m pipelines.export {shlex.join(flags)}'
