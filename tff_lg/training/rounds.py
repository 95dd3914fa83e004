"""The round loop: sample a cohort, run a round, evaluate, tell callbacks, checkpoint.

A run is a list of phases, each a process and a number of rounds; LG-FedAvg after a FedAvg warm
start is two. All randomness follows from seed and round, so a resumed run gives the same bits.
"""

import dataclasses
import functools
import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tff_lg import aggregators, checkpoints, errors, files, metric_names, seeds
from tff_lg.client_states import MEMORY
from tff_lg.learning import client_work
from tff_lg.models import local_global
from tff_lg.training import callbacks as callbacks_lib
from tff_lg.training import (
  client_data,
  cohorts,
  communication,
  divergence,
  evaluation,
  plan,
  round_metrics,
  run_state,
  storage,
)

# A round's number and a client's index to the seed of its work, int32 [2].
SeedOf = Callable[[int, int], np.ndarray]


class RunError(errors.RunFailure):
  """A run that cannot continue; one sentence, the last checkpoint is kept."""


class DivergenceError(RunError):
  """No client of a round has a finite update, or the server's weights are not finite.

  Attributes:
    num_clients_left_out: clients of the round whose update was not finite.
  """

  def __init__(self, message: str, num_clients_left_out: int = 0) -> None:
    super().__init__(message)
    self.num_clients_left_out = num_clients_left_out


def run(
  phases: Sequence[plan.Phase],
  clients: client_data.Clients,
  draw_cohort: cohorts.DrawCohort | None = None,
  *,
  evaluation: plan.Evaluation = plan.EACH_ROUND,
  callbacks: Sequence[callbacks_lib.Callback] = (),
  run_dir: str | None = None,
  checkpoint_every: int = 10,
  kept_round: int | None = None,
  client_store: str = MEMORY,
  seed: int | SeedOf = 0,
  start: run_state.RunState | None = None,
  newcomers: Sequence[client_work.ClientState] = (),
  budget: aggregators.PrivacyBudget | None = None,
  wording: divergence.Wording | None = None,
) -> run_state.RunState:
  """Trains clients' models to the end of the last phase.

  With a run folder, a stopped run resumes from its newest checkpoint to the same bits. A finished
  run continues if its last phase has more rounds now. Equal values give equal bits.

  Args:
    phases: processes with their numbers of rounds, at least one.
    clients: their names and data.
    draw_cohort: round number, counted from 0, to the clients that take part in it; all of them by
      default. It depends on the round's number alone.
    evaluation: how often models are evaluated, and what the best round is best in.
    callbacks: told what happens, in this order.
    run_dir: the run folder, made if need be; None for a run in memory, without checkpoints.
    checkpoint_every: rounds between checkpoints; the last round of a phase has one as well.
    kept_round: has a checkpoint that stays, for another run to begin with.
    client_store: where client states are between rounds: `memory`, or `disk` in the run folder.
    seed: of the order of examples, augmentation and dropout, not negative. Or a function
      (round number, client index) -> the seed of that client's work in that round; both count
      from 0.
    start: the trained models that a run continues with: another run's `state.as_start()`, or an
      `initial_state`. They are evaluated first, and `start` does not change. By default a run
      begins with the model's initial weights.
    newcomers: states of the last clients, whom `start` does not know.
    budget: of a private run; its `privacy/epsilon` becomes a metric of each round.
    wording: what messages call the settings; plain words by default.

  Returns:
    The state after the last round. `server_state` and `clients` are of that round, `selection` has
    each client's chosen model. The store `clients` is open: close it where it is on disk.

  Raises:
    ValueError: the values do not fit each other, another process writes in the run folder, or its
      run began with other data; one sentence.
    RunError: the disk is full, or training diverged (DivergenceError).
    files.FolderGoneError: the run folder was deleted meanwhile.
    checkpoints.CheckpointError: the newest checkpoint or clients' store is damaged.
  """
  loop = _RoundLoop(
    tuple(phases),
    clients,
    # A cohort is wanted when its data are read ahead, and in its round.
    functools.lru_cache(2)(draw_cohort or cohorts.everybody(len(clients))),
    evaluation,
    tuple(callbacks),
    storage.RunStorage(phases, len(clients), run_dir, client_store, kept_round),
    checkpoint_every,
    kept_round,
    seed,
    budget,
    divergence.UpdateWatch(clients.ids, wording or divergence.Wording()),
  )
  return loop.run(start, newcomers)


def initial_state(
  phase: plan.Phase,
  num_clients: int,
  weights: local_global.ModelWeights,
  client_weights: Sequence[local_global.ModelWeights] = (),
) -> run_state.RunState:
  """Returns the state before a run's first round, for `start` of `run`.

  Args:
    phase: the run's first.
    num_clients: how many clients there are.
    weights: of the server, all of the model's.
    client_weights: of each client, all of the model's; the server's by default.
  """
  state = storage.RunStorage([phase], num_clients).start(0, weights)
  states = [phase.process.initialize_client(of_client) for of_client in client_weights]
  state.clients.put(0, range(len(states)), states)
  return state


@dataclasses.dataclass(eq=False)
class _RoundLoop:
  """One run: the values of `run`, its storage, and what watches over its updates."""

  phases: tuple[plan.Phase, ...]
  clients: client_data.Clients
  draw_cohort: cohorts.DrawCohort
  evaluation: plan.Evaluation
  callbacks: tuple[callbacks_lib.Callback, ...]
  storage: storage.RunStorage
  checkpoint_every: int
  kept_round: int | None
  seed: int | SeedOf
  budget: aggregators.PrivacyBudget | None
  watch: divergence.UpdateWatch

  def __post_init__(self) -> None:
    if not self.phases:
      raise ValueError('phases is empty, expected at least one.')
    names = [callback.name for callback in self.callbacks if callback.name]
    for number, name in enumerate(names):
      if name in (*run_state.PREFIXES, *names[:number]):
        raise ValueError(f'A callback has the name {name}, expected one that is not in use.')
    if self._metric not in ('loss', *self.phases[0].process.model.metric_names):
      known = ', '.join(('loss', *self.phases[0].process.model.metric_names))
      raise ValueError(f'metric is {self._metric}, expected one of {known}.')
    part = evaluation.PARTS[self.evaluation.choose_by]
    if self.evaluation.every is not None and not self._num_examples[part].any():
      raise ValueError(f'No client that is evaluated has {part} examples to choose models by.')

  def run(
    self, start: run_state.RunState | None, newcomers: Sequence[client_work.ClientState]
  ) -> run_state.RunState:
    """Runs to the end; see `run`."""
    try:
      return self._run(start, newcomers)
    except BaseException as error:
      self.storage.close()
      if self.clients.reader is not None:
        self.clients.reader.give_up()
      if isinstance(error, OSError | checkpoints.CheckpointError):
        self.storage.check()  # Whatever could not be read or written then.
      if isinstance(error, OSError) and error.errno in files.FULL_DISK:
        raise RunError(
          f'The disk of {self.storage.run_dir} is full ({error}). {self.storage.kept()} Rerun to '
          'resume once there is space.'
        ) from error
      raise
    finally:
      try:
        for callback in self.callbacks:
          callback.on_run_end()
      finally:
        self.storage.unlock()

  def _run(
    self, start: run_state.RunState | None, newcomers: Sequence[client_work.ClientState]
  ) -> run_state.RunState:
    self.storage.open(self.clients)
    restored = self._restore()
    state = restored or self._begin(start, newcomers)
    for callback in self.callbacks:
      callback.on_run_begin(state, self.phases)
    if start is not None and restored is None and self.evaluation.every is not None:
      self._end_round(state, self._evaluate(state))
    while not self._should_stop():
      if state.is_phase_over(self.phases):
        if state.phase + 1 == len(self.phases):
          break
        state = self._next_phase(state)
      began = time.monotonic()
      metrics = self._one_round(state)
      if self._is_due(state, self.evaluation.every):
        metrics.update(self._evaluate(state))
        until = self.phases[state.phase].until
        if until is not None and until(metrics):
          state.goals_reached += (state.phase,)
      state.seconds += time.monotonic() - began
      self._end_round(state, metrics)
      if self._is_due(state, self.checkpoint_every) or state.round_num == self.kept_round:
        self._save(state)
    state.warning = self.watch.warning
    return state

  def _end_round(self, state: run_state.RunState, metrics: Mapping[str, float]) -> None:
    for callback in self.callbacks:
      callback.on_round_end(state, metrics)

  def _should_stop(self) -> bool:
    return any(callback.should_stop for callback in self.callbacks)

  def _is_due(self, state: run_state.RunState, every: int | None) -> bool:
    is_last = state.is_phase_over(self.phases) or self._should_stop()
    return every is not None and (is_last or state.round_num % every == 0)

  def _begin(
    self, start: run_state.RunState | None, newcomers: Sequence[client_work.ClientState]
  ) -> run_state.RunState:
    """Returns the state before the first round, with a copy of the client states of `start`."""
    if start is None:
      return self.storage.start(0, self.phases[0].process.model.initial_weights)
    if start.phase >= len(self.phases) or start.round_num >= start.last_round(self.phases):
      raise ValueError(
        f'start is after round {start.round_num} of phase {start.phase}, where the run has no more '
        'rounds: give as_start() of it.'
      )
    own = self.storage.start(start.phase, start.start_weights, start.phase_start)
    for clients, states in start.clients.written():
      own.clients.put(start.round_num, clients, states)
    if newcomers:
      everybody = range(len(self.clients))
      own.clients.put(start.round_num, everybody[-len(newcomers) :], newcomers)
    return dataclasses.replace(start, clients=own.clients, selection=own.selection)

  def _next_phase(self, state: run_state.RunState) -> run_state.RunState:
    """Starts the next phase from this one's global weights, which are the network's."""
    phase = self.phases[state.phase + 1]
    weights = state.server_state.global_weights
    if phase.start_from == 'best':
      ((_, weights, _),) = state.selection.groups()
    state.clients.close()
    start_weights = phase.process.warm_start(weights)
    following = self.storage.start(state.phase + 1, start_weights, state.round_num)
    kept = {name: getattr(state, name) for name in run_state.OVER_PHASES}
    return dataclasses.replace(following, **kept)

  def _one_round(self, state: run_state.RunState) -> dict[str, float]:
    """Runs a round, changes the state to the one after it, and returns the round's metrics."""
    cohort = self.draw_cohort(state.round_num)
    data = [
      self.clients.parts['train'][client]._replace(
        seed=self._seed_of(state.round_num, client),
        work_share=work_share,
      )
      for client, work_share in zip(cohort.clients, cohort.work_shares, strict=True)
    ]
    self._prefetch(state)
    process = self.phases[state.phase].process
    output = process.next(state.server_state, state.clients.get(cohort.clients), data)
    for callback in self.callbacks:
      callback.on_round_output(cohort.clients, output)
    fault = self.watch.check(state.round_num + 1, cohort.clients, output)
    if fault is not None:
      if self.watch.jump is not None:  # The model is ruined since then.
        self.storage.remove_from(self.watch.jump.round_num)
      left_out = int(output.metrics.num_clients_left_out)
      raise DivergenceError(f'{fault} {self.storage.kept()}'.strip(), left_out)
    state.server_state = output.server_state
    state.round_num += 1
    state.num_empty += int(output.metrics.num_clients == 0)
    state.num_void += int(divergence.is_void(output.metrics))
    state.clients.put(state.round_num, cohort.clients, output.client_states)
    state.traffic += communication.count_round(process, len(cohort.clients), cohort.num_uploads)
    metrics = round_metrics.of_training(output.metrics, state.traffic)
    if self.budget is not None:
      metrics[metric_names.EPSILON] = self.budget.epsilon(state.round_num)
    return metrics

  def _seed_of(self, round_num: int, client: int) -> np.ndarray:
    if callable(self.seed):
      return self.seed(round_num, client)
    return seeds.tensor_seed(self.seed, seeds.Purpose.SHUFFLING, round_num, client)

  def _prefetch(self, state: run_state.RunState) -> None:
    """Begins to read the data of the next round's cohort where they are read when needed."""
    data, following = self.clients.parts['train'], state.round_num + 1
    is_round = following < state.last_round(self.phases)
    if is_round and isinstance(data, client_data.UnreadTensors):
      data.prefetch(self.draw_cohort(following).clients)

  def _evaluate(self, state: run_state.RunState) -> dict[str, float]:
    """Evaluates clients and offers their models for selection; returns metrics by name."""
    how, num_examples = self.evaluation, self._num_examples
    client_states = state.clients.snapshot(range(len(self.clients)))
    sizes = {name: num_examples[part] for name, part in evaluation.PARTS.items()}
    values = evaluation.evaluate_parts(
      self.phases[state.phase].process,
      state.server_state,
      client_states,
      {
        name: self.clients.parts[part]
        for name, part in evaluation.PARTS.items()
        if num_examples[part].any()
      },
      how.clients,
    )
    scores = {
      part: evaluation.round_scores(of_part, sizes[part], self._metric, how.scope)
      for part, of_part in values.items()
    }
    weights, chosen_by = state.server_state.global_weights, scores.pop(how.choose_by)
    test_scores = scores.get(metric_names.LOCAL_TEST)  # None where test data choose.
    state.selection.offer(state.round_num, chosen_by, weights, client_states, test_scores)
    for callback in self.callbacks:
      callback.on_evaluation(state, chosen_by)
      callback.on_client_metrics(state, self.clients.ids, values)
    groups: dict[str, Sequence[int]] = {'': range(len(self.clients))}
    groups |= {f'{name}/': of_group for name, of_group in how.groups.items()}
    metrics = round_metrics.of_evaluation(values, sizes, groups)
    if how.clients is not None:
      metrics[metric_names.NUM_EVALUATED] = len(how.clients)
    return metrics

  @property
  def _metric(self) -> str:
    """Returns the metric that the best round is best in."""
    return self.evaluation.metric or self.phases[0].process.model.metric_names[0]

  @functools.cached_property
  def _num_examples(self) -> dict[str, np.ndarray]:
    """Examples of each client by part, int64 [num_clients]; none of those not evaluated."""
    found = {}
    for part in evaluation.PARTS.values():
      tensors = self.clients.parts.get(part)
      found[part] = np.zeros(len(self.clients), np.int64)
      if tensors is not None:
        found[part] = evaluation.count_examples(self.phases[0].process.model, tensors)
      if self.evaluation.clients is not None:
        is_evaluated = np.isin(np.arange(len(self.clients)), self.evaluation.clients)
        found[part] = np.where(is_evaluated, found[part], 0)
    return found

  def _save(self, state: run_state.RunState) -> None:
    self.storage.check()
    arrays: dict[str, np.ndarray] = {}
    for callback in self.callbacks:
      if of_callback := callback.to_arrays():
        arrays |= checkpoints.with_prefix(callback.name, of_callback)
    jump = self.watch.jump
    # Until the model has recovered, what came before may be the last good state.
    self.storage.keep_before = None if jump is None else jump.round_num
    self.storage.save(state, arrays, {'watch': self.watch.to_meta()})

  def _restore(self) -> run_state.RunState | None:
    """Returns the state at the newest checkpoint, which callbacks get as well; None without one."""
    restored = self.storage.restore(read_only=False)
    if restored is None:
      return None
    arrays, meta = dict(restored.arrays), restored.meta
    # Checkpoints of older versions have no watch, and early stopping among the plain values.
    if 'watch' in meta:
      self.watch.load_meta(meta['watch'])
    progress = {name: np.asarray(value) for name, value in meta.get('progress', {}).items()}
    arrays |= checkpoints.with_prefix(callbacks_lib.EarlyStopping.name, progress)
    for callback in self.callbacks:
      if callback.name and (kept := checkpoints.without_prefix(callback.name, arrays)):
        callback.load_arrays(kept)
    return restored.state
