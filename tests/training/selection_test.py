"""Tests of choosing each client's model."""

import types

import numpy as np
from absl.testing import absltest

from tff_lg import learning
from tff_lg.training import selection

_NAN = float('nan')


def _selection(*weight_is_global, num_clients=3) -> selection.ModelSelection:
  model = types.SimpleNamespace(weight_is_global=weight_is_global)
  return selection.ModelSelection(types.SimpleNamespace(model=model), num_clients)


def _offer(selected, round_num, scores, test_scores=None):
  """Offers models whose weights say the round, and the client."""
  states = [
    learning.ClientState((np.array([100 * round_num + k]),), ()) for k in range(len(scores))
  ]
  test_scores = None if test_scores is None else np.array(test_scores)
  selected.offer(round_num, np.array(scores), (np.array([round_num]),), states, test_scores)


def _chosen(selected) -> dict[int, tuple[int, int]]:
  """Returns, by client, its global and its local weight."""
  return {
    int(client): (int(global_weights[0][0]), int(state.local_weights[0][0]))
    for clients, global_weights, states in selected.groups()
    for client, state in zip(clients, states, strict=True)
  }


class PerClientTest(absltest.TestCase):
  """Some weights are local: a model and a best round for each client."""

  def test_each_client_has_its_own_best_round(self):
    selected = _selection(True, False)
    _offer(selected, 10, [0.5, 0.9, 0.1])
    _offer(selected, 20, [0.6, 0.8, 0.3])
    _offer(selected, 30, [0.4, 0.7, 0.2])
    np.testing.assert_array_equal(selected.best_round, [20, 10, 20])
    np.testing.assert_array_equal(selected.best_score, [0.6, 0.9, 0.3])
    self.assertEqual(_chosen(selected), {0: (20, 2000), 1: (10, 1001), 2: (20, 2002)})

  def test_ties_go_to_the_later(self):
    selected = _selection(True, False)
    _offer(selected, 10, [0.5, 0.5, 0.0])
    _offer(selected, 20, [0.5, 0.4, 0.0])
    np.testing.assert_array_equal(selected.best_round, [20, 10, 20])

  def test_client_without_data_keeps_its_newest_model(self):
    selected = _selection(True, False)
    _offer(selected, 10, [_NAN, 0.9, _NAN])
    _offer(selected, 20, [_NAN, 0.8, _NAN])
    np.testing.assert_array_equal(selected.best_round, [20, 10, 20])
    np.testing.assert_array_equal(selected.best_score, [-np.inf, 0.9, -np.inf])

  def test_groups_are_by_round_and_rounds_of_nobody_are_forgotten(self):
    selected = _selection(True, False)
    _offer(selected, 10, [0.5, 0.9, 0.1])
    _offer(selected, 20, [0.6, 0.8, 0.3])
    _offer(selected, 30, [0.7, 0.7, 0.4])
    groups = [(clients.tolist(), int(w[0][0])) for clients, w, _ in selected.groups()]
    self.assertEqual(groups, [([1], 10), ([0, 2], 30)])

  def test_weights_of_the_chosen_models(self):
    selected = _selection(True, False)
    _offer(selected, 10, [0.5, 0.9, 0.1])
    _offer(selected, 20, [0.6, 0.8, 0.3])
    process = types.SimpleNamespace(merge=lambda ours, own: (int(ours[0][0]), int(own[0][0])))
    weights = [(20, 2000), (10, 1001), (20, 2002)]
    self.assertEqual(selection.selected_weights(process, selected), weights)
    some = selection.selected_weights(process, selected, np.array([1]))
    self.assertEqual(some, [(), (10, 1001), ()])

  def test_nothing_chosen_before_the_first_offer(self):
    self.assertEqual(_selection(True, False).groups(), [])


class PerRoundTest(absltest.TestCase):
  """All weights are global: one model and one best round, by the mean over clients."""

  def test_best_mean_wins(self):
    selected = _selection(True, True)
    _offer(selected, 10, [0.9, 0.5, 0.4])
    _offer(selected, 20, [0.6, 0.6, 0.5])
    np.testing.assert_array_equal(selected.best_round, [10, 10, 10])
    np.testing.assert_allclose(selected.best_score, [0.6, 0.6, 0.6])
    _offer(selected, 30, [0.0, 1.0, 1.0])
    np.testing.assert_array_equal(selected.best_round, [30, 30, 30])

  def test_ties_go_to_the_later(self):
    selected = _selection(True, True)
    _offer(selected, 10, [1.0, 0.0, 0.5])
    _offer(selected, 20, [0.0, 1.0, 0.5])
    np.testing.assert_array_equal(selected.best_round, [20, 20, 20])

  def test_clients_without_data_have_no_say(self):
    selected = _selection(True, True)
    _offer(selected, 10, [0.6, _NAN, 0.8])
    _offer(selected, 20, [0.5, _NAN, 0.8])
    np.testing.assert_array_equal(selected.best_round, [10, 10, 10])
    np.testing.assert_allclose(selected.best_score, [0.7, 0.7, 0.7])

  def test_without_any_data_the_newest_is_kept(self):
    selected = _selection(True, True)
    _offer(selected, 10, [_NAN, _NAN, _NAN])
    _offer(selected, 20, [_NAN, _NAN, _NAN])
    np.testing.assert_array_equal(selected.best_round, [20, 20, 20])

  def test_round_with_a_model_that_diverged_is_not_chosen(self):
    for is_global in (True, False):
      selected = _selection(True, is_global)
      _offer(selected, 10, [-1.0, -1.0, -1.0])
      _offer(selected, 20, [-np.inf] * 3)
      np.testing.assert_array_equal(selected.best_round, [10, 10, 10])
      np.testing.assert_array_equal(selected.best_score, [-1, -1, -1])


class TestScoreTest(absltest.TestCase):
  """Test data would have chosen other rounds than validation data."""

  def _test_score(self, is_global, *test_scores):
    selected = _selection(True, is_global)
    for round_num, of_round in enumerate(test_scores):
      _offer(selected, round_num, [0.9 - round_num] * 3, of_round)
    np.testing.assert_array_equal(selected.best_round, [0, 0, 0])
    return selected.test_score

  def test_each_client_with_its_own_model_has_its_best(self):
    found = self._test_score(False, [0.1, 0.5, _NAN], [0.3, 0.2, _NAN])
    np.testing.assert_array_equal(found, [0.3, 0.5, -np.inf])

  def test_one_model_for_all_has_the_best_mean(self):
    found = self._test_score(True, [0.1, 0.5, _NAN], [0.3, 0.2, _NAN])
    np.testing.assert_allclose(found, [0.3, 0.3, 0.3])

  def test_unknown_if_a_round_is_not_scored(self):
    self.assertIsNone(self._test_score(False, [0.1] * 3, None))
    self.assertIsNone(self._test_score(False, None, [0.1] * 3))


class CheckpointTest(absltest.TestCase):
  def _restored(self, selected):
    restored = _selection(True, False)
    state = learning.ClientState((np.zeros([1]),), ())
    restored.load_arrays(selected.to_arrays(), state, (np.zeros([1]),))
    return restored

  def test_restored_selection_continues_as_the_other(self):
    selected = _selection(True, False)
    _offer(selected, 10, [0.5, 0.9, _NAN], [0.7, 0.1, 0.2])
    _offer(selected, 20, [0.6, 0.8, _NAN], [0.6, 0.2, 0.1])
    restored = self._restored(selected)
    self.assertEqual(_chosen(restored), _chosen(selected))
    for one in (selected, restored):
      _offer(one, 30, [0.6, 0.85, _NAN], [0.5, 0.4, 0.1])
    self.assertEqual(_chosen(restored), _chosen(selected))
    np.testing.assert_array_equal(restored.best_score, selected.best_score)
    np.testing.assert_array_equal(restored.test_score, [0.7, 0.4, 0.2])

  def test_rounds_of_an_older_version_have_no_test_scores(self):
    selected = _selection(True, False)
    _offer(selected, 10, [0.5, 0.9, 0.1])
    restored = self._restored(selected)
    _offer(restored, 20, [0.6, 0.8, 0.1], [0.5, 0.5, 0.5])
    self.assertIsNone(restored.test_score)

  def test_before_the_first_offer(self):
    self.assertEqual(self._restored(_selection(True, False)).groups(), [])

  def test_model_that_did_not_change_is_one_array(self):
    # As the store gives it: the state of a client that was not sampled.
    selected = _selection(True, False, num_clients=2)
    state = learning.ClientState((np.zeros([1]),), ())
    selected.offer(10, np.array([0.5, 0.5]), (np.ones([1]),), [state, state])
    arrays = selected.to_arrays()
    self.assertIs(arrays['client/0/0'], arrays['client/1/0'])


if __name__ == '__main__':
  absltest.main()
