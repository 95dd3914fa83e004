"""Tests of callbacks: when a run calls them, and what a checkpoint keeps for them."""

import csv
import os
from unittest import mock

import numpy as np
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import checkpoints, learning, seeds, simulation, training
from tff_lg.training import early_stopping


def setUpModule():
  simulation.set_execution_context()
  # A network 4-5-3 with a global output layer: one process for all tests.
  global _PROCESS
  model = testing.classifier().with_global_layers(('output',))
  _PROCESS = learning.build_local_global_process(
    model, testing.settings(0.1, learning.TensorBatches(3))
  )


def _clients():
  rng = np.random.default_rng(0)

  def tensors(size):
    x = rng.normal(size=(size, 4)).astype(np.float32)
    return learning.ClientTensors(x, rng.integers(0, 3, size).astype(np.int32))

  parts = {part: [tensors(6) for _ in range(3)] for part in ('train', 'validation')}
  return training.Clients(['a', 'b', 'c'], parts)


def _run(num_rounds, *callbacks, **values):
  phases = [training.Phase('lg', _PROCESS, num_rounds)]
  cohorts = training.CohortSampler(3, 2)
  return training.run(phases, _clients(), cohorts, callbacks=callbacks, **values)


class Recorder(training.Callback):
  """Writes down what it is called with."""

  name = 'recorder'

  def __init__(self, stops_after=99):
    self.calls, self._stops_after, self._round_num = [], stops_after, 0

  @property
  def should_stop(self):
    return self._round_num >= self._stops_after

  def on_run_begin(self, state, phases):
    self.calls.append(('begin', state.round_num, phases[0].num_rounds))

  def on_evaluation(self, state, scores):
    self.calls.append(('evaluation', state.round_num, len(scores)))

  def on_round_end(self, state, metrics):
    self._round_num = state.round_num
    self.calls.append(('round', state.round_num, 'validation/loss/pooled' in metrics))

  def on_run_end(self):
    self.calls.append(('end',))

  def to_arrays(self):
    self.calls.append(('save',))
    return {'round_num': np.asarray(self._round_num)}

  def load_arrays(self, arrays):
    self.calls.append(('load', int(arrays['round_num'])))


class OrderTest(parameterized.TestCase):
  def test_calls_of_a_run_and_of_one_that_resumes(self):
    folder = self.create_tempdir().full_path
    values = {
      'run_dir': folder,
      'checkpoint_every': 2,
      'evaluation': training.Evaluation(every=2),
    }
    first, second = Recorder(), Recorder()
    _run(3, first, **values)
    self.assertEqual(
      first.calls,
      [
        ('begin', 0, 3),
        ('round', 1, False),
        ('evaluation', 2, 3),
        ('round', 2, True),
        ('save',),
        ('evaluation', 3, 3),
        ('round', 3, True),
        ('save',),
        ('end',),
      ],
    )
    # Without a checkpoint of its own a callback has nothing to load.
    newcomer = Recorder()
    newcomer.name = 'newcomer'
    _run(4, second, newcomer, **values)
    after = [('evaluation', 4, 3), ('round', 4, True), ('save',), ('end',)]
    self.assertEqual(second.calls, [('load', 3), ('begin', 3, 4), *after])
    self.assertEqual(newcomer.calls, [('begin', 3, 4), *after])

  def test_continuing_with_trained_models_reports_their_metrics_first(self):
    start = training.initial_state(
      training.Phase('lg', _PROCESS, 1), 3, _PROCESS.model.initial_weights
    )
    recorder, history = Recorder(), training.History()
    _run(1, recorder, history, start=start)
    self.assertEqual(
      recorder.calls[:3], [('begin', 0, 1), ('evaluation', 0, 3), ('round', 0, True)]
    )
    self.assertEqual([row['round_num'] for row in history.rows], [0, 1])
    self.assertNotIn('train/loss', history.rows[0])

  def test_outputs_of_rounds_and_seeds_of_ones_own(self):
    class Keeps(training.Callback):
      def __init__(self):
        self.states = {}

      def on_round_output(self, clients, output):
        self.states |= dict(zip(clients, output.client_states, strict=True))

    of_number, of_function, of_another = Keeps(), Keeps(), Keeps()
    state = _run(2, of_number, seed=3)
    for client, kept in of_number.states.items():
      (stored,) = state.clients.get([client])
      for left, right in zip(kept.local_weights, stored.local_weights, strict=True):
        np.testing.assert_array_equal(left, right)

    def seed_of(round_num, client):
      return seeds.tensor_seed(3, seeds.Purpose.SHUFFLING, round_num, client)

    same = _run(2, of_function, seed=seed_of)
    np.testing.assert_array_equal(
      state.server_state.global_weights[0], same.server_state.global_weights[0]
    )
    other = _run(2, of_another, seed=lambda round_num, client: seed_of(round_num, client + 1))
    self.assertFalse(
      np.array_equal(state.server_state.global_weights[0], other.server_state.global_weights[0])
    )

  def test_a_run_that_fails_ends_as_well(self):
    recorder = Recorder()

    class Fails(training.Callback):
      def on_round_end(self, state, metrics):
        raise KeyboardInterrupt

    with self.assertRaises(KeyboardInterrupt):
      _run(3, recorder, Fails())
    self.assertEqual(recorder.calls, [*recorder.calls[:3], ('end',)])
    self.assertEqual(recorder.calls[-2][:2], ('round', 1))

  def test_stops_with_a_checkpoint_of_the_round(self):
    folder = self.create_tempdir().full_path
    state = _run(9, Recorder(stops_after=2), run_dir=folder)
    self.assertEqual(state.round_num, 2)
    self.assertEqual(os.listdir(f'{folder}/checkpoints'), ['round_00000002.npz'])

  @parameterized.parameters('clients', 'tables')
  def test_names_are_in_use_once(self, name):
    recorder = Recorder()
    recorder.name = name
    with self.assertRaisesRegex(ValueError, f'has the name {name}, expected one that is not in'):
      _run(1, training.MetricsFiles('nowhere'), recorder)
    self.assertFalse(os.path.exists('nowhere'))


class HistoryTest(absltest.TestCase):
  def test_same_rows_after_a_resume(self):
    folder = self.create_tempdir().full_path
    whole, part, resumed = (training.History() for _ in range(3))
    _run(4, whole)
    _run(2, part, run_dir=folder)
    _run(4, resumed, run_dir=folder)
    self.assertEqual(part.rows, whole.rows[:2])
    self.assertEqual(resumed.rows, whole.rows)

  def test_arrays(self):
    history, restored = training.History(), training.History()
    history.rows = [
      {'round_num': 1, 'a': 0.1},
      {'round_num': 2, 'b': float('inf')},
      {'round_num': 3, 'a': 1e-9, 'b': 2.0},
    ]
    restored.load_arrays(history.to_arrays())
    self.assertEqual(restored.rows, history.rows)
    self.assertIsInstance(restored.rows[0]['round_num'], int)


class MetricsFilesTest(absltest.TestCase):
  def test_tables_of_a_run_in_memory(self):
    folder = self.create_tempdir().full_path
    state = _run(3, training.MetricsFiles(folder))
    with open(f'{folder}/communication.csv', encoding='utf-8') as file:
      rows = list(csv.DictReader(file))
    self.assertEqual([row['round_num'] for row in rows], ['1', '2', '3'])
    sent = [int(row['parameters_up']) for row in rows]
    self.assertEqual(sent, [2 * 18] * 3)
    self.assertEqual(sum(sent), state.traffic.parameters_up)
    self.assertEqual(
      sorted(os.listdir(folder)), ['communication.csv', 'metrics.csv', 'tensorboard']
    )


class ProgressBarTest(absltest.TestCase):
  def test_counts_rounds_from_where_a_run_resumes(self):
    folder = self.create_tempdir().full_path
    for num_rounds, initial in ((2, 0), (3, 2)):
      bar = training.ProgressBar()
      _run(num_rounds, bar, run_dir=folder)
      self.assertEqual(
        (bar._bar.initial, bar._bar.n, bar._bar.total), (initial, num_rounds, num_rounds)
      )
      self.assertStartsWith(bar._bar.postfix, 'loss=')


class EarlyStoppingTest(absltest.TestCase):
  def _stopping(self, phases=(4, 9), **state):
    stopping = training.EarlyStopping(2)
    state = mock.Mock(**{'phase': 1, 'round_num': 0, **state})
    stopping.on_run_begin(state, [mock.Mock(num_rounds=number) for number in phases])
    return stopping, state

  def test_waits_in_the_last_phase_alone(self):
    stopping, state = self._stopping(phase=0)
    for round_num in range(1, 5):
      state.round_num = round_num
      stopping.on_evaluation(state, np.array([-np.inf, np.nan]))
    self.assertFalse(stopping.should_stop)
    state.phase = 1
    for round_num, is_over in ((5, False), (6, True)):
      state.round_num = round_num
      stopping.on_evaluation(state, np.array([-np.inf, np.nan]))
      self.assertEqual(stopping.should_stop, is_over)

  def test_continues_to_wait_after_a_resume(self):
    stopping, state = self._stopping(round_num=5)
    stopping.on_evaluation(state, np.array([0.5, np.nan]))
    resumed = training.EarlyStopping(2)
    resumed.load_arrays(stopping.to_arrays())
    resumed.on_run_begin(state, [mock.Mock(num_rounds=4), mock.Mock(num_rounds=9)])
    self.assertEqual(resumed._progress, early_stopping.Progress(0.5, 5))
    state.round_num = 7
    resumed.on_evaluation(state, np.array([0.5, np.nan]))
    self.assertTrue(resumed.should_stop)

  def test_checkpoint_of_an_older_version_has_it_among_the_plain_values(self):
    folder = self.create_tempdir().full_path
    _run(2, run_dir=folder)
    manager = checkpoints.CheckpointManager(f'{folder}/checkpoints')
    round_num, arrays, meta = manager.load_latest()
    progress = early_stopping.Progress(0.5, 1, is_over=True)
    manager.save(round_num, arrays, {**meta, 'progress': progress._asdict()})
    stopping = training.EarlyStopping(9)
    self.assertEqual(_run(5, stopping, run_dir=folder).round_num, 2)
    self.assertEqual(stopping._progress, progress)


if __name__ == '__main__':
  absltest.main()
