"""Events around the rounds of a run, beside training: callbacks, one class per purpose."""

from collections.abc import Mapping, Sequence

import numpy as np

from tff_lg import progress
from tff_lg.learning import process as process_lib
from tff_lg.training import (
  communication,
  early_stopping,
  evaluation,
  plan,
  releases,
  round_metrics,
  run_state,
)


class Callback:
  """Is told what happens in one run; each method does nothing unless it is overridden.

  A run calls `load_arrays` if it resumes from a checkpoint that has arrays of the callback, then
  `on_run_begin`. After each round it calls `on_round_output`, `on_evaluation` and
  `on_client_metrics` if clients' models were evaluated, `on_round_end`, and `to_arrays` if a
  checkpoint is due. It ends with `on_run_end`.

  Attributes:
    name: under which a checkpoint has the callback's arrays; empty for a callback that keeps none.
  """

  name = ''

  @property
  def should_stop(self) -> bool:
    """Whether no further round is to be run; asked before each round."""
    return False

  def on_run_begin(self, state: run_state.RunState, phases: Sequence[plan.Phase]) -> None:
    """Is called before the first round.

    Args:
      state: where the run is, after its checkpoint if it resumes.
      phases: of the run.
    """

  def on_round_output(self, clients: Sequence[int], output: process_lib.RoundOutput) -> None:
    """Is called with what a round gave, before the run takes it over; also if it diverged.

    Args:
      clients: of the cohort, by index.
      output: of the round; what it has of clients is in the order of the cohort.
    """

  def on_evaluation(self, state: run_state.RunState, scores: np.ndarray) -> None:
    """Is called once clients' models have been evaluated.

    Args:
      state: after the round that was evaluated.
      scores: float64 [num_clients], greater is better; NaN for a client that is not judged.
    """

  def on_client_metrics(
    self,
    state: run_state.RunState,
    client_ids: Sequence[str],
    metrics: Mapping[str, evaluation.ClientValues],
  ) -> None:
    """Is called after `on_evaluation` with what was measured of each client.

    Args:
      state: after the round that was evaluated.
      client_ids: of all clients.
      metrics: by part of clients' data (`validation`, `local_test`), then by name, float64
        [num_clients]; NaN for a client without examples, or not evaluated.
    """

  def on_round_end(self, state: run_state.RunState, metrics: Mapping[str, float]) -> None:
    """Is called after each round.

    If a run continues with trained models, it is also called before the first round, with the
    metrics of their evaluation alone.

    Args:
      state: after the round, `state.round_num` counted from 1.
      metrics: of the round by name, such as `train/loss` and, where models were evaluated,
        `validation/accuracy/mean_over_clients`.
    """

  def on_run_end(self) -> None:
    """Is called at the end, also when the run ends by an error."""

  def to_arrays(self) -> dict[str, np.ndarray]:
    """Returns what a checkpoint keeps, by name; called only when one is due."""
    return {}

  def load_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
    """Restores what `to_arrays` gave; called before `on_run_begin` if the checkpoint has any."""


class ProgressBar(Callback):
  """Shows rounds as they go by: a bar on a terminal, elsewhere a line every 30 seconds."""

  def __init__(self) -> None:
    self._bar: progress.Bar | None = None
    self._phases: Sequence[plan.Phase] = ()

  def on_run_begin(self, state: run_state.RunState, phases: Sequence[plan.Phase]) -> None:
    """Begins the bar."""
    self._phases, total = phases, state.last_round(phases)
    method = phases[state.phase].method
    self._bar = progress.Bar(total, 'round', method, initial=state.round_num)

  def on_round_end(self, state: run_state.RunState, metrics: Mapping[str, float]) -> None:
    """Moves the bar."""
    if self._bar is not None:
      self._bar.total = state.last_round(self._phases)
      self._bar.set_description(self._phases[state.phase].method)
      self._bar.set_postfix(round_metrics.for_progress_bar(metrics), refresh=False)
      self._bar.update(state.round_num - self._bar.n)

  def on_run_end(self) -> None:
    """Ends the bar."""
    if self._bar is not None:
      self._bar.close()


class MetricsFiles(Callback):
  """Writes `metrics.csv`, `communication.csv` and `tensorboard/`, see `releases`.

  The tables are written when a checkpoint is due, which also holds them: a resumed run has each
  round once.
  """

  name = releases.CHECKPOINT_NAME

  def __init__(self, folder: str) -> None:
    """Writes to `folder`, the run folder by custom; nothing before the run begins."""
    self._folder = folder
    self._tables: Mapping[str, str] | None = None
    self._methods: list[str] = []
    self._traffic = communication.RoundTraffic()

  def on_run_begin(self, state: run_state.RunState, phases: Sequence[plan.Phase]) -> None:
    """Takes the rows of the rounds that are done."""
    self._methods, self._traffic = [phase.method for phase in phases], state.traffic
    self._releaser = releases.MetricsReleaser(self._folder, state.round_num, self._tables)
    if self._tables is not None:
      self._releaser.flush()  # Of the rounds up to the checkpoint, whatever the files have.

  def on_round_end(self, state: run_state.RunState, metrics: Mapping[str, float]) -> None:
    """Adds a row to each table, and the metrics to TensorBoard."""
    of_round = state.traffic - self._traffic
    self._traffic = state.traffic
    self._releaser.release(state.round_num, self._methods[state.phase], metrics, of_round)

  def to_arrays(self) -> dict[str, np.ndarray]:
    """Writes the tables; returns their texts in UTF-8."""
    return releases.to_arrays(self._releaser.flush())

  def load_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
    """Restores the tables; of a checkpoint that has none, they are read from the files."""
    self._tables = releases.from_arrays(arrays)


class EarlyStopping(Callback):
  """Ends the last phase once the clients' mean score has not improved for some rounds."""

  name = 'early_stopping'

  def __init__(self, patience: int) -> None:
    """Waits for so many rounds without a better score, which evaluations tell."""
    self._patience = patience
    self._last_phase = 0
    self._progress: early_stopping.Progress | None = None

  @property
  def should_stop(self) -> bool:
    """Whether there has been no better score for long enough."""
    return self._progress is not None and self._progress.is_over

  def on_run_begin(self, state: run_state.RunState, phases: Sequence[plan.Phase]) -> None:
    """Begins to wait where the last phase begins."""
    self._last_phase = len(phases) - 1
    if self._progress is None or state.phase < self._last_phase:
      before = sum(phase.num_rounds for phase in phases[:-1])
      self._progress = early_stopping.Progress(best_round=before)

  def on_evaluation(self, state: run_state.RunState, scores: np.ndarray) -> None:
    """Takes an evaluated round of the last phase into account."""
    if self._progress is not None and state.phase == self._last_phase:
      self._progress = self._progress.after(state.round_num, scores, self._patience)

  def to_arrays(self) -> dict[str, np.ndarray]:
    """Returns the progress so far."""
    found = {} if self._progress is None else self._progress._asdict()
    return {name: np.asarray(value) for name, value in found.items()}

  def load_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
    """Restores it."""
    found = {name: value.item() for name, value in arrays.items()}
    self._progress = early_stopping.Progress(**found)


class History(Callback):
  """Keeps the metrics of each round in memory, over a resume too.

  Attributes:
    rows: a mapping a round, of `round_num` and the round's metrics by name.
  """

  name = 'history'

  def __init__(self) -> None:
    self.rows: list[dict[str, float]] = []

  def on_round_end(self, state: run_state.RunState, metrics: Mapping[str, float]) -> None:
    """Adds a row."""
    self.rows.append({'round_num': state.round_num, **metrics})

  def to_arrays(self) -> dict[str, np.ndarray]:
    """Returns one column per metric; rows without it do not count."""
    names = dict.fromkeys(name for row in self.rows for name in row)
    return {
      name: np.array(
        [(number, row[name]) for number, row in enumerate(self.rows) if name in row], np.float64
      )
      for name in names
    }

  def load_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
    """Restores the rows."""
    self.rows = [{} for _ in arrays['round_num']]
    for name, column in arrays.items():
      for number, value in column.tolist():
        self.rows[int(number)][name] = int(value) if name == 'round_num' else value
