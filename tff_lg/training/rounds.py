"""The round loop: sample a cohort, run a round, evaluate, release, checkpoint.

A run is a list of phases, each a process and a number of rounds; LG-FedAvg after a FedAvg warm
start is two. What is random follows from seed and round, so a resumed run gives the same bits.
"""

import dataclasses
import functools
import os
import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tff_lg import aggregators, checkpoints, files, progress, seeds
from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg.client_states import client_stores
from tff_lg.config.option import resolved
from tff_lg.learning import client_work
from tff_lg.learning import process as process_lib
from tff_lg.models import local_global
from tff_lg.training import (
  client_data,
  cohorts,
  communication,
  divergence,
  early_stopping,
  evaluation,
  releases,
  round_metrics,
  run_state,
)
from tff_lg.training import selection as selection_lib


class RunError(RuntimeError):
  """A run that cannot go on; one sentence, the last checkpoint is kept."""


class DivergenceError(RunError):
  """No client of a round has a finite update, or the server's weights are not finite."""


@dataclasses.dataclass(frozen=True)
class Phase:
  """Some rounds of one process.

  Attributes:
    method: its name.
    process: its computations.
    num_rounds: how many rounds.
  """

  method: str
  process: process_lib.LocalGlobalProcess
  num_rounds: int


class RoundLoop:
  """Runs the phases of one run in its folder.

  Attributes:
    client_data: each client's tensors, by part: train, validation, test.
    evaluated: the clients that are evaluated and chosen by, by index; None for all.
  """

  def __init__(
    self,
    config: config_lib.TrainConfig,
    federated_data: data_lib.FederatedData,
    phases: Sequence[Phase],
    folder: str,
    *,
    budget: aggregators.PrivacyBudget | None = None,
    is_malicious: np.ndarray | None = None,
    draw_cohort: Callable[[int], cohorts.Cohort] | None = None,
    groups: Mapping[str, Sequence[int]] | None = None,
    patience: int | None = None,
  ) -> None:
    """Prepares a run; nothing is written before `run`.

    Args:
      config: resolved.
      federated_data: the clients' data.
      phases: at least one.
      folder: the run folder, which may hold a run to go on with.
      budget: of a private run, shown as it is spent.
      is_malicious: bool [num_clients], who attacks; None for nobody.
      draw_cohort: the cohort of any round, counted from 0; as the config says by default.
      groups: clients by index, evaluated together under `<name>/...`, beside all of them.
      patience: the last phase ends early after so many rounds without a better mean score of
        clients on the data that models are chosen by; None for never.
    """
    self._config = config
    self._phases = tuple(phases)
    self._folder = folder
    self._reader = federated_data.reader
    self._ids = [client.client_id for client in federated_data.clients]
    self.client_data = {
      part: client_data.part_tensors(federated_data, part)
      for part in ('train', 'validation', 'test')
    }
    if is_malicious is not None:
      self.client_data['train'] = [
        tensors._replace(is_malicious=malicious)
        for tensors, malicious in zip(self.client_data['train'], is_malicious, strict=True)
      ]
    self._sizes: dict[str, np.ndarray] = {}
    self.evaluated = cohorts.draw_evaluated(config, len(self._ids))
    part = evaluation.PARTS[config.choices.choose_by]
    if self.evaluated is not None and not self.num_examples(part).any():
      raise ValueError(
        f'--max_evaluated_clients is {len(self.evaluated)}, but none of the clients drawn has '
        f'{part} examples to choose models by: evaluate more.'
      )
    self._budget, self._patience = budget, patience
    draw_cohort = draw_cohort or cohorts.CohortSampler(config, len(self._ids))
    # A cohort is wanted when its data are read ahead, and in its round.
    self._draw_cohort = functools.lru_cache(2)(draw_cohort)
    self._groups: dict[str, Sequence[int]] = {'': range(len(self._ids))}
    self._groups |= {f'{name}/': clients for name, clients in (groups or {}).items()}
    self._checkpoints = checkpoints.CheckpointManager(os.path.join(folder, 'checkpoints'))
    self._clients: client_stores.ClientStateStore | None = None
    server_learning_rate = config_lib.learning_rate(config, 'server')
    wording = divergence.of_flags(config.aggregator, server_learning_rate)
    self._watch = divergence.UpdateWatch(self._ids, wording)
    self._folder_watch: files.FolderWatch | None = None

  def run(
    self,
    start: run_state.RunState | None = None,
    newcomers: Sequence[client_work.ClientState] = (),
  ) -> run_state.RunState:
    """Runs to the end of the last phase, from the newest checkpoint if there is one.

    Args:
      start: where a run begins that goes on with trained models, which are evaluated as of
        round 0; it stays as it is. By default a run begins with the initial weights.
      newcomers: states of the last clients, whom `start` does not know.

    Returns:
      The state after the last round, its clients' store open.

    Raises:
      RunError: training diverged (DivergenceError), or the disk is full.
      files.FolderGoneError: the folder was deleted meanwhile.
      checkpoints.CheckpointError: the newest checkpoint, or its clients' store, is damaged.
    """
    try:
      return self._run(start, newcomers)
    except BaseException as error:
      if self._clients is not None:
        self._clients.close()
      if self._reader is not None:
        self._reader.give_up()
      if self._folder_watch and isinstance(error, OSError | checkpoints.CheckpointError):
        self._folder_watch.check()  # Whatever could not be read or written then.
      if isinstance(error, OSError) and error.errno in files.FULL_DISK:
        raise RunError(
          f'The disk of {self._folder} is full ({error}). {self._kept()}, the same command goes on '
          'from there when there is space.'
        ) from error
      raise

  def _kept(self) -> str:
    saved = self._checkpoints.rounds()
    return f'The checkpoint of round {saved[-1]} is kept' if saved else 'No checkpoint is kept'

  def _run(
    self, start: run_state.RunState | None, newcomers: Sequence[client_work.ClientState]
  ) -> run_state.RunState:
    self._folder_watch = files.FolderWatch(self._folder)
    restored = self.restore(read_only=False)
    goes_on = restored is not None
    state = self._begin(start, newcomers) if restored is None else restored
    releaser = releases.MetricsReleaser(self._folder, state.round_num, state.tables)
    if goes_on:
      releaser.flush()  # Of the rounds up to the checkpoint, whatever the files have.
    if start is not None and not goes_on:
      method, no_traffic = self._phases[state.phase].method, communication.RoundTraffic()
      releaser.release(state.round_num, method, self._evaluate(state), no_traffic)
    total = sum(phase.num_rounds for phase in self._phases)
    method = self._phases[state.phase].method
    with progress.Bar(total, 'round', method, initial=state.round_num) as bar:
      while state.round_num < total and not state.progress.is_over:
        if state.round_num == self._phase_end(state.phase):
          state = self._next_phase(state)
        began = time.monotonic()
        metrics, traffic = self._one_round(state)
        if self._is_due(state, self._config.evaluate_every):
          metrics.update(self._evaluate(state))
        state.seconds += time.monotonic() - began
        releaser.release(state.round_num, self._phases[state.phase].method, metrics, traffic)
        if self._is_due(state, self._config.checkpoint_every):
          self._folder_watch.check()
          state.tables = releaser.flush()
          self._save(state)
        bar.set_description(self._phases[state.phase].method)
        bar.set_postfix(round_metrics.for_progress_bar(metrics), refresh=False)
        bar.update()
    return state

  def _phase_end(self, phase: int) -> int:
    return sum(phase.num_rounds for phase in self._phases[: phase + 1])

  def _is_due(self, state: run_state.RunState, every: int) -> bool:
    is_last = state.round_num == self._phase_end(state.phase) or state.progress.is_over
    return is_last or state.round_num % every == 0

  def start(
    self, phase: int, weights: local_global.ModelWeights, read_only: bool = False
  ) -> run_state.RunState:
    """The state in which a phase begins, by its index, with these weights for everybody."""
    process = self._phases[phase].process
    self._clients = client_stores.create_client_store(
      self._config.client_store,
      self._folder,
      phase,
      process.initialize_client(weights),
      len(self._ids),
      read_only,
    )
    round_num = self._phase_end(phase - 1) if phase else 0
    return run_state.RunState(
      round_num=round_num,
      phase=phase,
      start_weights=weights,
      server_state=process.initialize(weights),
      clients=self._clients,
      selection=selection_lib.ModelSelection(process, len(self._ids), self._clients.chosen),
      traffic=communication.RoundTraffic(),
      progress=early_stopping.Progress(best_round=round_num),
    )

  def _begin(
    self, start: run_state.RunState | None, newcomers: Sequence[client_work.ClientState]
  ) -> run_state.RunState:
    """The state before the first round, with a copy of the client states of `start`."""
    if start is None:
      return self.start(0, self._phases[0].process.model.initial_weights)
    own = self.start(start.phase, start.start_weights)
    for clients, states in start.clients.written():
      own.clients.put(start.round_num, clients, states)
    if newcomers:
      everybody = range(len(self._ids))
      own.clients.put(start.round_num, everybody[-len(newcomers) :], newcomers)
    fresh = {name: getattr(own, name) for name in ('clients', 'selection', 'progress')}
    return dataclasses.replace(start, **fresh, tables={})

  def _next_phase(self, state: run_state.RunState) -> run_state.RunState:
    """Starts the next phase from this one's global weights, which are the network's."""
    weights = state.server_state.global_weights
    if self._config.choices.warm_start_from == 'best':
      ((_, weights, _),) = state.selection.groups()
    start_weights = self._phases[state.phase + 1].process.warm_start(weights)
    state.clients.close()
    following = self.start(state.phase + 1, start_weights)
    kept = {name: getattr(state, name) for name in run_state.OVER_PHASES}
    return dataclasses.replace(following, **kept)

  def _one_round(
    self, state: run_state.RunState
  ) -> tuple[dict[str, float], communication.RoundTraffic]:
    """Runs a round and changes the state to the one after it."""
    cohort = self._draw_cohort(state.round_num)
    data = [
      self.client_data['train'][client]._replace(
        seed=seeds.tensor_seed(self._config.seed, seeds.Purpose.SHUFFLING, state.round_num, client),
        work_share=work_share,
      )
      for client, work_share in zip(cohort.clients, cohort.work_shares, strict=True)
    ]
    self._prefetch(state.round_num + 1)
    process = self._phases[state.phase].process
    output = process.next(state.server_state, state.clients.get(cohort.clients), data)
    fault = self._watch.check(state.round_num + 1, cohort.clients, output)
    if fault is not None:
      if self._watch.jump is not None:  # The model is ruined since then.
        self._checkpoints.remove_from(self._watch.jump.round_num)
      raise DivergenceError(f'{fault} {self._kept()}.')
    state.server_state = output.server_state
    state.round_num += 1
    state.num_empty += int(output.metrics.num_clients == 0)
    state.num_void += int(divergence.is_void(output.metrics))
    state.clients.put(state.round_num, cohort.clients, output.client_states)
    traffic = communication.count_round(process, len(cohort.clients), cohort.num_uploads)
    state.traffic += traffic
    metrics = round_metrics.of_training(output.metrics, state.traffic)
    if self._budget is not None:
      metrics['privacy/epsilon'] = self._budget.epsilon(state.round_num)
    return metrics, traffic

  def _prefetch(self, round_num: int) -> None:
    """Begins to read the data of a round's cohort where they are read when needed."""
    data = self.client_data['train']
    is_round = round_num < self._phase_end(len(self._phases) - 1)
    if is_round and isinstance(data, client_data.UnreadTensors):
      data.prefetch(self._draw_cohort(round_num).clients)

  def _evaluate(self, state: run_state.RunState) -> dict[str, float]:
    """Evaluates all clients, or those drawn for it, and offers their models for selection."""
    client_states = state.clients.snapshot(range(len(self._ids)))
    num_examples = {name: self.num_examples(part) for name, part in evaluation.PARTS.items()}
    values = evaluation.evaluate_parts(
      self._phases[state.phase].process,
      state.server_state,
      client_states,
      {
        name: self.client_data[part]
        for name, part in evaluation.PARTS.items()
        if num_examples[name].any()
      },
      self.evaluated,
    )
    choose_by = self._config.choices.choose_by
    scores = evaluation.round_scores(
      values[choose_by],
      num_examples[choose_by],
      resolved(self._config.selection_metric),
      resolved(self._config.selection_scope),
    )
    weights = state.server_state.global_weights
    state.selection.offer(state.round_num, scores, weights, client_states)
    if self._patience is not None and state.phase == len(self._phases) - 1:
      state.progress = state.progress.after(state.round_num, scores, self._patience)
    metrics = round_metrics.of_evaluation(values, num_examples, self._groups)
    if self.evaluated is not None:
      metrics['evaluated/num_clients'] = len(self.evaluated)
    return metrics

  def num_examples(self, part: str) -> np.ndarray:
    """Each client's examples, int64 [num_clients]; none of clients that are not evaluated."""
    if part not in self._sizes:
      model = self._phases[0].process.model
      sizes = evaluation.count_examples(model, self.client_data[part])
      if self.evaluated is not None:
        sizes = np.where(np.isin(np.arange(len(sizes)), self.evaluated), sizes, 0)
      self._sizes[part] = sizes
    return self._sizes[part]

  def _save(self, state: run_state.RunState) -> None:
    jump = self._watch.jump
    # Until the model has recovered, what came before may be the last good state.
    self._checkpoints.keep_before = None if jump is None else jump.round_num
    arrays, meta = state.to_checkpoint()
    self._checkpoints.save(state.round_num, arrays, {**meta, 'watch': self._watch.to_meta()})
    self._settle(state)

  def _settle(self, state: run_state.RunState) -> None:
    """Frees what no checkpoint that is kept needs."""
    saved = self._checkpoints.rounds()
    state.clients.settle(saved)
    if state.phase and saved[0] > self._phase_end(state.phase - 1):
      client_stores.remove_client_stores(self._folder, state.phase)

  def restore(self, read_only: bool = True) -> run_state.RunState | None:
    """The state at the newest checkpoint, None without one; CheckpointError if it is damaged.

    Its clients' store is open; `read_only` if nobody goes on with the run in this folder.
    """
    loaded = self._checkpoints.load_latest()
    if loaded is None:
      return None
    round_num, arrays, meta = loaded
    state = self.start(meta['phase'], run_state.start_weights(arrays), read_only)
    state.load_checkpoint(round_num, arrays, meta)
    if 'watch' in meta:  # Checkpoints of older versions have none.
      self._watch.load_meta(meta['watch'])
    if not read_only:
      self._settle(state)
    return state
