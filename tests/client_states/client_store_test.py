"""Tests of the clients' states in memory."""

import collections

import numpy as np
from absl.testing import absltest

from tff_lg import learning
from tff_lg.client_states import client_store


def _state(value, momentum=()) -> learning.ClientState:
  return learning.ClientState((np.full([2], value), np.full([1], value)), momentum)


class ClientStateStoreTest(absltest.TestCase):
  def test_clients_start_from_the_initial_state(self):
    initial = _state(0)
    store = client_store.ClientStateStore(initial)
    self.assertIs(store.get([5])[0], initial)
    self.assertEqual(store.to_arrays(0), {})

  def test_put_changes_those_clients_only(self):
    initial, two, four = _state(0), _state(2), _state(4)
    store = client_store.ClientStateStore(initial)
    store.put(1, [4, 2], [four, two])
    for got, want in zip(store.get([2, 3, 4]), (two, initial, four), strict=True):
      self.assertIs(got, want)

  def test_put_refuses_another_number_of_states(self):
    with self.assertRaises(ValueError):
      client_store.ClientStateStore(_state(0)).put(1, [1, 2], [_state(1)])

  def test_snapshot_and_choice_stay_as_they_are(self):
    store = client_store.ClientStateStore(_state(0))
    store.put(1, [1], [_state(1)])
    snapshot = store.snapshot(range(3))
    store.chosen.take(np.array([0, 1]), snapshot)
    store.put(2, [1, 2], [_state(3), _state(4)])
    np.testing.assert_equal(snapshot, [_state(0), _state(1), _state(0)])
    np.testing.assert_equal(store.chosen.get(np.array([1, 0])), [_state(1), _state(0)])
    np.testing.assert_equal(store.get([0, 1, 2]), [_state(0), _state(3), _state(4)])

  def test_written_are_those_that_were_put(self):
    store = client_store.ClientStateStore(_state(0))
    store.put(1, [4, 2], [_state(4), _state(2)])
    np.testing.assert_equal(list(store.written()), [([4, 2], [_state(4), _state(2)])])

  def test_arrays_restore_the_store(self):
    def momentum(value):
      # Keys out of alphabetical order, as in TFF's optimisers.
      return collections.OrderedDict(rate=np.float32(value), accumulator=(np.full([2], value),))

    store = client_store.ClientStateStore(_state(0, momentum(0)))
    store.put(1, [10, 2], [_state(1, momentum(2)), _state(3, momentum(4))])
    restored = client_store.ClientStateStore(_state(0, momentum(0)))
    restored.load_arrays(store.to_arrays(1), 1)
    for client in (10, 2, 3):
      (got,), (want,) = restored.get([client]), store.get([client])
      np.testing.assert_equal(got, want)
      self.assertIsInstance(got, learning.ClientState)
      self.assertEqual(list(got.optimizer_state), ['rate', 'accumulator'])

  def test_more_than_ten_leaves_keep_their_order(self):
    def state(start):
      leaves = tuple(np.full([1], start + i) for i in range(12))
      return learning.ClientState(leaves, ())

    store = client_store.ClientStateStore(state(0))
    store.put(1, [0], [state(100)])
    restored = client_store.ClientStateStore(state(0))
    restored.load_arrays(dict(reversed(store.to_arrays(1).items())), 1)
    np.testing.assert_equal(restored.get([0]), [state(100)])

  def test_states_without_arrays(self):
    empty = learning.ClientState((), ())
    store = client_store.ClientStateStore(empty)
    store.put(1, [1], [empty])
    store.load_arrays(store.to_arrays(1), 1)
    self.assertEqual(store.get([1]), [empty])


if __name__ == '__main__':
  absltest.main()
