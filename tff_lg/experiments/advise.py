"""An advice: all parts trained on the same data, then a model chosen for each client."""

import contextlib
import dataclasses
import os
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tff_lg import config as config_lib
from tff_lg import (
  csv_text,
  file_names,
  files,
  folder_lock,
  metric_names,
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
# After so many rounds, or a tenth of them, there is an estimate of the time that is left.
_FIRST_ROUNDS = 3


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
    shared = {name: _shared_rounds(base, parts, name, run_dir) for name in parts}
    rounds = [
      config.rounds if shared[name].taken_from else config.total_rounds
      for name, config in parts.items()
    ]
    left = _Remaining([*rounds, *[base.total_rounds] * adapts])
    for name, config in parts.items():
      folder = part_folder(run_dir, name)
      with left.part(name, folder):
        simulation.run_experiment(config, folder, shared=shared[name])
    if adapts:
      folder = part_folder(run_dir, ADAPTED)
      with left.part(ADAPTED, folder):
        personalization.run_adaptation(
          config_lib.AdaptConfig(
            from_run=part_folder(run_dir, FEDAVG),
            local_only_from=part_folder(run_dir, OWN),
            adaptation=options.adaptation,
            epochs=options.adaptation_epochs,
            seed=base.seed,
          ),
          folder,
        )
    return _write(list(parts), base.model_metrics[0], base.level, run_dir, adapts=adapts)


def _shared_rounds(
  base: config_lib.TrainConfig,
  parts: Mapping[str, config_lib.TrainConfig],
  name: str,
  run_dir: str,
) -> simulation.SharedRounds:
  """Returns the rounds that a part has in common with another: FedAvg's with warm starts."""
  source = f'{FEDAVG}{PLAIN}' if name.endswith(PLAIN) else FEDAVG
  if config_lib.find_warm_start_baseline(base) != FEDAVG:
    return simulation.SharedRounds()
  if name == source:
    return simulation.SharedRounds(kept_round=base.warm_start_rounds)
  names = list(parts)
  is_later = names.index(source) < names.index(name)
  taken_from = part_folder(run_dir, source) if parts[name].warm_start_rounds and is_later else None
  return simulation.SharedRounds(taken_from=taken_from)


class _Remaining:
  """Tells how long it will take to the end: by the first rounds, then by the parts that ended."""

  def __init__(self, rounds: Sequence[int]) -> None:
    """Takes the rounds that each part trains, or that take as long as its work."""
    self._rounds, self._num_begun = list(rounds), 0
    # Of trained parts, without own models, which have no rounds.
    self._seconds: list[float] = []
    self._num_trained = 0

  @contextlib.contextmanager
  def part(self, name: str, folder: str) -> Iterator[None]:
    """Names a part of the work, and tells of it."""
    own, *later = self._rounds[self._num_begun :]
    self._num_begun += 1
    number = f'{self._num_begun} of {len(self._rounds)}'
    rest = ''
    if self._num_trained:
      per_round = sum(self._seconds) / self._num_trained
      rest = f'; about {per_round * (own + sum(later)):.0f} s left'
    progress.tell(f'Part {number}: {name}{rest}')
    has_rounds = name != OWN and not run_settings.is_complete(folder)
    began, times = time.monotonic(), []

    def watch(num_done: int, num_rounds: int) -> None:
      times.append(time.monotonic() - began)
      if len(times) == max(_FIRST_ROUNDS, num_rounds // 10):
        left = seconds_left(times, num_done, num_rounds, later)
        progress.tell(f'About {left:.0f} s left in all parts, estimated by {len(times)} rounds')

    with progress.part(f'{name} ({number})', watch if has_rounds and not self._seconds else None):
      yield
    if has_rounds:
      self._seconds.append(time.monotonic() - began)
      self._num_trained += own


def seconds_left(
  times: Sequence[float], num_done: int, num_rounds: int, later: Sequence[int]
) -> float:
  """Estimates how long parts take to the end.

  The first round also compiles, so the others give the time of a round.

  Args:
    times: seconds from the beginning of a part to the end of each of its rounds, two or more.
    num_done: rounds of the part that are done; more than `times` if the part was resumed.
    num_rounds: of the part.
    later: rounds of the parts that have not begun.
  """
  per_round = (times[-1] - times[0]) / (len(times) - 1)
  of_later = (times[0] + per_round * (rounds - 1) for rounds in later)
  return per_round * (num_rounds - num_done) + sum(of_later)


def part_folder(run_dir: str, part: str) -> str:
  """Returns the run folder of a part of an advice."""
  return os.path.join(run_dir, file_names.PARTS, part)


def _write(
  parts: Sequence[str], main_metric: str, level: float, run_dir: str, *, adapts: bool
) -> dict[str, Any]:
  """Chooses by the tables of all parts, and writes what comes of it."""
  tables = {name: run_files.load_results(part_folder(run_dir, name)) for name in parts}
  clients = tables[OWN][1]
  honest = np.full(len(clients), True)
  for _, table in tables.values():
    if metric_names.IS_MALICIOUS in table:
      honest &= ~table[metric_names.IS_MALICIOUS].to_numpy(bool)
  metric = metrics_lib.METRICS[main_metric]
  test, validation = metric_names.local_test(metric.name), metric_names.validation(metric.name)
  ids = clients['client_id'][honest]
  candidates = [
    _candidate(name, summary, table, honest, metric) for name, (summary, table) in tables.items()
  ]
  if adapts:
    adapted = run_files.load_results(part_folder(run_dir, ADAPTED))[1].set_index('client_id')
    texts = (f'{metric_names.BEST}/{column}' for column in (verdicts.MARKS, verdicts.VALUES))
    marks = next((name for name in texts if name in adapted), None)
    source = next(each for each in candidates if each.name == FEDAVG)
    candidates.append(
      dataclasses.replace(
        source,
        name=ADAPTED,
        validation=adapted[f'{metric_names.BEST}/{validation}'].reindex(ids).to_numpy(),
        test=adapted[f'{metric_names.BEST}/{test}'].reindex(ids).to_numpy(),
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
    validation=table[metric_names.validation(metric.name)].to_numpy(np.float64),
    test=table[metric_names.local_test(metric.name)].to_numpy(np.float64),
    num_bytes=summary.get(metric_names.BYTES_TOTAL, 0) / len(clients),
    epsilon=summary.get(metric_names.EPSILON),
    marks=table[marks[0]] if marks else None,
    is_reference=name.endswith(PLAIN),
  )


def _export_command(run_dir: str, client: str, number: int) -> str:
  output = os.path.join(run_dir, 'models', str(number))
  flags = (f'--run_dir={run_dir}', f'--client={client}', f'--output={output}')
  return f'python -m pipelines.export {shlex.join(flags)}'
