"""Tests of where a run is kept: nothing in memory, the same bits in a folder."""

import contextlib
import os
from concurrent import futures

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import folder_lock, learning, simulation, training
from tff_lg.training import storage


def setUpModule():
  simulation.set_execution_context()
  global _PHASE
  process = learning.build_local_global_process(
    testing.classifier().with_global_layers(('output',)),
    testing.settings(0.1, learning.TensorBatches(3)),
  )
  _PHASE = training.Phase('lg', process, 3)


def _clients(size=6):
  rng = np.random.default_rng(0)
  x, y = rng.normal(size=(2, 6, 4)).astype(np.float32), rng.integers(0, 3, (2, 6), np.int32)
  tensors = list(map(learning.ClientTensors, x, y))
  chosen_by = [learning.ClientTensors(each.x[:size], each.y[:size]) for each in tensors]
  return training.Clients(['a', 'b'], {'train': tensors, 'validation': chosen_by})


def _head(tensors):
  return tensors._replace(x=tensors.x[:3], y=tensors.y[:3])


def _leaves(state):
  models = [(weights, list(states)) for _, weights, states in state.selection.groups()]
  everything = (state.server_state, state.clients.get(range(2)), models)
  return [np.asarray(leaf) for leaf in tf.nest.flatten(everything)]


class RunInMemoryTest(parameterized.TestCase):
  def test_same_bits_as_in_a_folder_and_no_file(self):
    folder = self.create_tempdir().full_path
    with contextlib.chdir(folder):
      in_memory = training.run([_PHASE], _clients())
    self.assertEmpty(os.listdir(folder))
    for client_store in ('memory', 'disk'):
      state = training.run(
        [_PHASE], _clients(), run_dir=f'{folder}/{client_store}', client_store=client_store
      )
      np.testing.assert_equal(_leaves(state), _leaves(in_memory))
      state.clients.close()
    self.assertEqual(in_memory.round_num, 3)

  def test_without_evaluation_no_model_is_chosen(self):
    clients = training.Clients(['a', 'b'], {'train': _clients().parts['train']})
    state = training.run([_PHASE], clients, evaluation=training.NEVER)
    np.testing.assert_array_equal(state.selection.best_round, [-1, -1])
    evaluated = training.run([_PHASE], _clients())
    np.testing.assert_equal(
      tf.nest.flatten(state.server_state), tf.nest.flatten(evaluated.server_state)
    )

  def test_nothing_is_restored(self):
    self.assertIsNone(storage.RunStorage([_PHASE], 2).restore())

  @parameterized.parameters(
    ({'client_store': 'disk'}, 'client_store is disk, which needs a run_dir'),
    ({'phases': []}, 'phases is empty, expected at least one'),
    ({'evaluation': training.Evaluation(metric='auc')}, 'metric is auc, expected one of loss, acc'),
    ({'clients': _clients(0)}, 'No client that is evaluated has validation examples'),
  )
  def test_values_that_do_not_fit(self, values, sentence):
    values = {'phases': [_PHASE], 'clients': _clients(), **values}
    with self.assertRaisesRegex(ValueError, sentence):
      training.run(**values)


class RunInFolderTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path

  def _run(self, clients):
    return training.run([_PHASE], clients, evaluation=training.NEVER, run_dir=self.folder)

  def test_folder_has_one_writer(self):
    with futures.ThreadPoolExecutor(1) as other:
      lock = other.submit(folder_lock.FolderLock, self.folder).result()
      sentence = f'^run_dir={self.folder} is in use by process {os.getpid()} on '
      with self.assertRaisesRegex(folder_lock.FolderInUseError, sentence):
        self._run(_clients())
      other.submit(lock.release).result()
    self._run(_clients())
    self.assertFalse(folder_lock.is_held(self.folder))
    self.assertNoCommonElements(os.listdir(self.folder), ['lock'])

  @parameterized.named_parameters(
    ('negated', lambda ids, train: (ids, [each._replace(x=-each.x) for each in train]), 'examples'),
    ('shorter', lambda ids, train: (ids, [train[0], _head(train[1])]), "clients' ids or sizes"),
    ('renamed', lambda ids, train: (['a', 'c'], train), "clients' ids or sizes"),
    ('fewer', lambda ids, train: (ids[:1], train[:1]), 'number of clients'),
  )
  def test_other_data_are_refused(self, changed, what):
    clients = training.Clients(['a', 'b'], {'train': _clients().parts['train']})
    for _ in range(2):
      self._run(clients)
    ids, train = changed(clients.ids, clients.parts['train'])
    other = training.Clients(ids, {'train': train})
    with self.assertRaisesRegex(ValueError, f' run_dir={self.folder} began .*: the {what} differ'):
      self._run(other)
    self.assertFalse(folder_lock.is_held(self.folder))
    with folder_lock.hold(self.folder):  # Whoever holds the lock has compared the data.
      self._run(other)


class PlanTest(absltest.TestCase):
  def test_refuses(self):
    with self.assertRaisesRegex(ValueError, 'start_from is first, expected one of last, best'):
      training.Phase('lg', _PHASE.process, 3, 'first')
    with self.assertRaisesRegex(ValueError, 'choose_by is test, expected one of validation, local'):
      training.Evaluation(choose_by='test')
    with self.assertRaisesRegex(ValueError, 'scope is all, expected client or pooled'):
      training.Evaluation(scope='all')
    tensors = _clients().parts['train']
    with self.assertRaisesRegex(ValueError, 'parts has test, expected train among them'):
      training.Clients(['a', 'b'], {'test': tensors})
    with self.assertRaisesRegex(ValueError, 'validation is of 1 clients, expected 2'):
      training.Clients(['a', 'b'], {'train': tensors, 'validation': tensors[:1]})


class StartTest(absltest.TestCase):
  def test_begins_another_run_and_stays_as_it_is(self):
    clients, state = _clients(), training.run([_PHASE], _clients())
    before = _leaves(state)
    more = training.run([_PHASE], clients, start=state.as_start())
    self.assertEqual((more.round_num, more.server_state.round_num), (3, 6))
    self.assertEqual(more.traffic, state.traffic)
    np.testing.assert_equal(_leaves(state), before)
    with self.assertRaisesRegex(ValueError, 'start is after round 3 of phase 0, where the run has'):
      training.run([_PHASE], clients, start=state)

  def test_weights_of_ones_own(self):
    initial = _PHASE.process.model.initial_weights
    server = tuple(w + 1 for w in initial)
    of_clients = [tuple(w + number for w in initial) for number in (2, 3)]
    state = training.initial_state(_PHASE, 2, server, of_clients)
    _, local = _PHASE.process.model.split(initial)
    np.testing.assert_array_equal(state.server_state.global_weights[0], server[2])
    self.assertEqual((state.round_num, state.phase), (0, 0))
    for number, of_client in zip((2, 3), state.clients.get(range(2)), strict=True):
      np.testing.assert_array_equal(of_client.local_weights[0], local[0] + number)


if __name__ == '__main__':
  absltest.main()
