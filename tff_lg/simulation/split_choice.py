"""Choosing the global layers of a run: the theory orders the layers, validation data cut the order.

After the warm start each layer's alpha* = R / (R + T) is estimated from training data. Layers are
sorted by falling alpha*, and the first none, one, two ... of them are local: as many candidates as
there are layers. Each is tried for a few rounds from the same weights with the same cohorts. The
candidate with the best validation score is the run's split.

Liang et al. 2020 leaves the choice of the split open.
"""

import dataclasses
import math
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tff_lg import checksums, file_names, files, metric_names, models, strict_json, training
from tff_lg import config as config_lib
from tff_lg import metrics as metrics_lib
from tff_lg.config import own_models
from tff_lg.config.option import resolved
from tff_lg.simulation import layer_variances, loop_values, planned_run
from tff_lg.training import communication

_FOLDER = 'split'


@dataclasses.dataclass(frozen=True)
class Candidate:
  """A split that was tried.

  Attributes:
    local_layers: in order of falling alpha*.
    global_layers: the others, from the input on; one at least.
    parameters: weights that a client sends in a round.
    scores: the model's main metric and its loss after the last round tried, by name, pooled over
      all clients' validation examples. NaN if training could not continue.
  """

  local_layers: tuple[str, ...]
  global_layers: tuple[str, ...]
  parameters: int
  scores: Mapping[str, float]


@dataclasses.dataclass(frozen=True)
class SplitChoice:
  """The chosen split and the candidates; `split.json` in the run folder.

  Attributes:
    global_layers: picked, from the input on.
    layers: what was estimated of each.
    num_clients: that it was estimated from.
    candidates: from no local layer to all but one.
    num_rounds: for which each was tried.
    parameters_total: weights sent both ways for estimates and candidates, beside the run's own.
    bytes_total: the same in bytes.
  """

  global_layers: tuple[str, ...]
  layers: tuple[layer_variances.LayerVariance, ...]
  num_clients: int
  candidates: tuple[Candidate, ...]
  num_rounds: int
  parameters_total: int
  bytes_total: int

  def changes(self) -> dict[str, Any]:
    """Returns the options of a run that is given these layers, by name."""
    return {'global_layers': self.global_layers, 'auto_rounds': None}

  def summary(self) -> dict[str, Any]:
    """Returns its entries of `summary.json`."""
    return {
      'split/global_layers': ','.join(self.global_layers),
      f'split/{metric_names.PARAMETERS_TOTAL}': self.parameters_total,
      f'split/{metric_names.BYTES_TOTAL}': self.bytes_total,
    }

  def describe(self) -> str:
    """Returns text tables of the layers and of the candidates."""
    labels = [metrics_lib.METRICS[name].label for name in self.candidates[0].scores]
    width = max(28, *(2 + len(each.layer) for each in self.layers))
    lines = [
      f'Split picked by --global_layers=auto; variances from {self.num_clients} clients',
      f'{"layer":<{width}}{"side":<8}{"parameters":>12}{"device variance":>18}'
      f'{"data variance":>16}{"alpha*":>9}',
      *(
        f'{each.layer:<{width}}{"global" if each.layer in self.global_layers else "local":<8}'
        f'{each.parameters:>12,}{each.device_variance:>18.4g}{each.data_variance:>16.4g}'
        f'{each.alpha:>9.3f}'
        for each in self.layers
      ),
      '',
      f'Splits tried for {self.num_rounds} rounds, scores on pooled validation examples',
      f'{"local layers":<{width}}{"parameters sent":>20}' + _columns(labels),
    ]
    local_in_theory = {each.layer for each in self.layers if each.alpha > 0.5}
    for number, each in enumerate(self.candidates):
      scores = [f'{value:.4f}' for value in each.scores.values()]
      what = 'none' if not number else f'{"and " if number > 1 else ""}{each.local_layers[-1]}'
      notes = {
        'picked': each.global_layers == self.global_layers,
        'those with alpha* > 1/2': set(each.local_layers) == local_in_theory,
      }
      told = ', '.join(note for note, holds in notes.items() if holds)
      lines.append(f'{what:<{width}}{each.parameters:>20,}{_columns(scores)}  {told}')
    return '\n'.join(line.rstrip() for line in lines)


def choose_split(plan: planned_run.PlannedRun) -> SplitChoice:
  """Picks the split of a run, or reads what was picked before it was stopped.

  Args:
    plan: with `--global_layers=auto`. The warm start is run or resumed in its folder. Test data
      have no say.

  Returns:
    The choice, which is in `split.json`.

  Raises:
    ValueError: too few clients to estimate from; one sentence.
    training.RunError: training cannot continue with any of the splits.
  """
  run_dir = plan.run_dir
  choice = load_choice(run_dir)
  if choice is None:
    choice = _choose(plan)
    text = strict_json.dumps(dataclasses.asdict(choice), sort_keys=False)
    files.write_atomically(os.path.join(run_dir, file_names.SPLIT), text)
    print(choice.describe(), file=sys.stderr)
  shutil.rmtree(os.path.join(run_dir, _FOLDER), ignore_errors=True)
  return choice


def load_choice(run_dir: str) -> SplitChoice | None:
  """Reads what a run picked; None if it has not, or was given its layers.

  Raises:
    ValueError: the file is damaged; one sentence.
  """
  path = os.path.join(run_dir, file_names.SPLIT)
  if not os.path.exists(path):
    return None
  checksums.check(path)

  def choice(found: dict[str, Any]) -> SplitChoice:
    found['layers'] = [layer_variances.LayerVariance(**each) for each in found['layers']]
    found['candidates'] = [_candidate(each) for each in found['candidates']]
    return SplitChoice(**_with_tuples(found))

  return strict_json.load(path, choice, 'delete it to pick the layers again')


def nested_splits(
  layers: Sequence[layer_variances.LayerVariance],
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
  """Returns the candidates: of the layers by falling alpha* the first few are local.

  Args:
    layers: from the input on; of equals the first comes first.

  Returns:
    (local layers, global layers), from none local to all but one.
  """
  order = [each.layer for each in sorted(layers, key=lambda each: -each.alpha)]
  return [
    (tuple(order[:num_local]), tuple(e.layer for e in layers if e.layer in order[num_local:]))
    for num_local in range(len(order))
  ]


def best_candidate(candidates: Sequence[Candidate], metric: str) -> Candidate:
  """Returns the best by one of their scores; of equals the one that sends less."""

  def score(candidate: Candidate) -> tuple[float, int]:
    value = metrics_lib.sign(metric) * candidate.scores[metric]
    return (-np.inf if np.isnan(value) else value), -candidate.parameters

  return max(candidates, key=score)


def _choose(plan: planned_run.PlannedRun) -> SplitChoice:
  """Ends the warm start, estimates, and tries the candidates in sub-folders of the run."""
  config, run_dir = plan.config, plan.run_dir
  clients = training.to_clients(plan.federated_data)
  values = loop_values.loop_values(config, len(clients), run_dir)
  warm = training.run(plan.phases, clients, **values)
  warm.clients.close()
  weights = warm.server_state.global_weights
  alone = plan.build_phases(config_lib.as_baseline(config, own_models.LOCAL_ONLY))[-1].process
  layers, num_clients = layer_variances.estimate_layers(
    config.sampling_options, alone, plan.federated_data, weights
  )
  # Down the weights, up an update from each half.
  traffic = communication.count_round(plan.phases[-1].process, num_clients, 2 * num_clients)
  candidates: list[Candidate] = []
  names = _score_names(config.model_metrics)
  failures: list[training.DivergenceError] = []
  for number, (local_layers, global_layers) in enumerate(nested_splits(layers)):
    folder = os.path.join(run_dir, _FOLDER, str(number))
    layers_of_candidate: dict[str, Any] = {'global_layers': global_layers}
    changed = dataclasses.replace(
      config,
      **layers_of_candidate,
      warm_start_rounds=0,
      rounds_until=None,
      rounds=resolved(config.auto_rounds),
      evaluate_every=resolved(config.auto_rounds),
      client_store='memory',
    )
    (phase,) = plan.build_phases(changed)
    try:
      values = loop_values.loop_values(changed, len(clients), folder)
      of_candidate, scores = _try(values, clients, phase, weights, names)
    except training.DivergenceError as error:
      failures.append(error.with_traceback(None))  # Which would keep the run's state.
      # Another split may do better. What this one sent is counted as if it had ended.
      cohort = resolved(config.clients_per_round)
      of_round = communication.count_round(phase.process, cohort, cohort)
      of_candidate, scores = (
        of_round * resolved(config.auto_rounds),
        dict.fromkeys(names, math.nan),
      )
    traffic += of_candidate
    parameters = sum(each.parameters for each in layers if each.layer in global_layers)
    candidates.append(Candidate(local_layers, global_layers, parameters, scores))
  if len(failures) == len(candidates):
    raise failures[0]
  return SplitChoice(
    best_candidate(candidates, resolved(config.selection_metric)).global_layers,
    layers,
    num_clients,
    tuple(candidates),
    resolved(config.auto_rounds),
    traffic.parameters,
    traffic.bytes,
  )


def _try(
  values: Mapping[str, Any],
  clients: training.Clients,
  phase: training.Phase,
  weights: models.ModelWeights,
  names: Sequence[str],
) -> tuple[communication.RoundTraffic, dict[str, float]]:
  """Runs one candidate; gives its traffic and, of its last round, pooled validation scores."""
  start = training.initial_state(phase, len(clients), weights)
  traffic = training.run([phase], clients, start=start, **values).traffic
  metrics = pd.read_csv(
    os.path.join(values['run_dir'], file_names.METRICS), float_precision='round_trip'
  )
  last = metrics.iloc[-1]
  return traffic, {
    name: float(last[metric_names.pooled(metric_names.validation(name))]) for name in names
  }


def _score_names(metrics: Sequence[str]) -> tuple[str, str]:
  """Returns the metrics that may compare splits, see `config.metric_options`."""
  return metrics[0], 'loss'


def _columns(texts: Iterable[str]) -> str:
  """Returns a line's columns of scores."""
  return ''.join(f'{text:>{width}}' for text, width in zip(texts, (18, 16), strict=True))


def _candidate(found: dict[str, Any]) -> Candidate:
  """Returns a candidate of `split.json`; older ones have accuracy and loss beside the rest."""
  values = _with_tuples(found)
  if 'scores' not in values:
    values['scores'] = {name: values.pop(name) for name in ('accuracy', 'loss')}
  return Candidate(**values | {'scores': _with_tuples(values['scores'])})


def _with_tuples(values: Mapping[str, Any]) -> dict[str, Any]:
  given = {name: math.nan if v is None else v for name, v in values.items()}
  return {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
