"""Tests of evaluating all clients' models, against numpy."""

import types
from unittest import mock

import numpy as np
from absl.testing import absltest

from tests.learning import testing
from tff_lg import data, learning, simulation
from tff_lg.client_states import client_store
from tff_lg.training import client_data, evaluation, round_metrics, selection


def setUpModule():
  simulation.set_execution_context()
  # A network 4-5-3 with a global output layer: one process for all tests.
  global _MODEL, _PROCESS
  _MODEL = testing.classifier().with_global_layers(('output',))
  _PROCESS = learning.build_local_global_process(_MODEL, testing.settings())


def _examples(size, seed=0) -> data.Examples:
  rng = np.random.default_rng(seed)
  x = rng.normal(size=(size, 4)).astype(np.float32)
  return data.Examples(x, rng.integers(0, 3, size).astype(np.int32))


def _weights(seed) -> tuple:
  rng = np.random.default_rng(seed)
  return tuple(rng.normal(size=w.shape).astype(np.float32) for w in _MODEL.initial_weights)


def _logits(weights, x) -> np.ndarray:
  hidden = np.maximum(x @ weights[0] + weights[1], 0)
  return hidden @ weights[2] + weights[3]


def _accuracy(scores, y) -> float:
  return np.mean(scores.argmax(axis=1) == y)


def _softmax(logits) -> np.ndarray:
  exponentials = np.exp(logits)
  return exponentials / exponentials.sum(axis=1, keepdims=True)


def _state(weights) -> learning.ClientState:
  return learning.ClientState(_MODEL.split(weights)[1], ())


def _server_state(weights) -> learning.ServerState:
  return _PROCESS.initialize(weights)


class ClientsTest(absltest.TestCase):
  def test_each_client_with_its_own_weights_on_its_own_data(self):
    examples = [_examples(6, 1), _examples(0), _examples(9, 2)]
    local = [_weights(10), _weights(11), _weights(12)]
    values = evaluation.evaluate_clients(
      _PROCESS,
      _server_state(_weights(0)),
      [_state(weights) for weights in local],
      [client_data.to_tensors(part) for part in examples],
    )
    merged = [(*weights[:2], *_weights(0)[2:]) for weights in local]
    logits = [_logits(weights, part.x) for weights, part in zip(merged, examples, strict=True)]
    self.assertEqual(set(values), {'accuracy', 'loss'})
    for client in (0, 2):
      y = examples[client].y
      self.assertAlmostEqual(values['accuracy'][client], _accuracy(logits[client], y), places=6)
      loss = -np.log(_softmax(logits[client])[np.arange(len(y)), y]).mean()
      self.assertAlmostEqual(values['loss'][client], loss, places=5)
    # A client without examples has no accuracy, rather than one of 0.
    self.assertTrue(np.isnan(values['accuracy'][1]) and np.isnan(values['loss'][1]))

  def test_tensors_are_the_examples(self):
    examples = _examples(3)
    tensors = client_data.to_tensors(examples)
    np.testing.assert_array_equal(tensors.x, examples.x)
    np.testing.assert_array_equal(tensors.y, examples.y)

  def test_a_few_clients_at_a_time_give_the_same(self):
    states = [_state(_weights(client)) for client in range(5)]
    data = {
      part: [client_data.to_tensors(_examples(size, size)) for size in sizes]
      for part, sizes in (('validation', (4, 0, 5, 6, 7)), ('test', (7, 8, 9, 2, 3)))
    }
    server_state = _server_state(_weights(9))
    with mock.patch.object(client_store, 'CLIENTS_AT_A_TIME', 2):
      found = evaluation.evaluate_parts(_PROCESS, server_state, states, data)
    for part, of_part in data.items():
      np.testing.assert_equal(
        found[part], evaluation.evaluate_clients(_PROCESS, server_state, states, of_part)
      )

  def test_pooled_is_the_mean_over_examples(self):
    # (2 * 0.5 + 6 * 1) / 8; the client without examples has no say.
    pooled = evaluation.pooled(np.array([0.5, np.nan, 1.0]), np.array([2, 0, 6]))
    self.assertEqual(pooled, 0.875)

  def test_pooled_root_mean_squared_error(self):
    # 4 and 1 as mean squares over one and three examples.
    found = evaluation.pooled(np.array([2.0, 1.0]), np.array([1, 3]), 'rmse')
    self.assertAlmostEqual(found, (7 / 4) ** 0.5)

  def test_scores_of_rounds_say_what_is_better(self):
    values = {'mae': np.array([2.0, np.nan, np.nan]), 'loss': np.array([9.0, np.nan, np.nan])}
    num_examples = np.array([1, 0, 2])
    scores = evaluation.round_scores(values, num_examples, 'mae', 'client')
    np.testing.assert_array_equal(scores, [-2, np.nan, -np.inf])
    values = {'mae': np.array([2.0, 4.0, np.nan]), 'loss': np.zeros(3)}
    scores = evaluation.round_scores(values, np.array([3, 1, 0]), 'mae', 'pooled')
    np.testing.assert_array_equal(scores, [-2.5] * 3)

  def test_examples_that_define_no_metric_do_not_count(self):
    values = {'auc': np.array([0.5, np.nan, np.nan]), 'loss': np.array([1.0, 1.0, np.nan])}
    num_examples = np.array([4, 4, 4])
    scores = evaluation.round_scores(values, num_examples, 'auc', 'client')
    np.testing.assert_array_equal(scores, [0.5, np.nan, -np.inf])
    metrics = round_metrics.of_evaluation(
      {'validation': {name: value[:2] for name, value in values.items()}},
      {'validation': num_examples[:2]},
      {'': [0, 1]},
    )
    self.assertEqual(metrics['validation/auc/mean_over_clients'], 0.5)
    self.assertNotIn('validation/auc/pooled', metrics)
    self.assertEqual(metrics['validation/loss/pooled'], 1.0)

  def test_a_model_that_has_diverged_is_not_left_out_of_the_mean(self):
    values, num_examples = np.array([0.5, np.nan, 1.0]), np.array([2, 1, 6])
    self.assertTrue(np.isnan(evaluation.pooled(values, num_examples)))
    metrics = round_metrics.of_evaluation(
      {'validation': {'loss': values}},
      {'validation': num_examples},
      {'': range(3), 'others/': [0, 2]},
    )
    self.assertTrue(np.isnan(metrics['validation/loss/mean_over_clients']))
    self.assertEqual(metrics['others/validation/loss/mean_over_clients'], 0.75)
    self.assertEqual(metrics['others/validation/loss/pooled'], 0.875)


class SelectedTest(absltest.TestCase):
  """Three clients: the first has its best model in round 1, the others in round 2."""

  def setUp(self):
    super().setUp()
    self.selection = selection.ModelSelection(_PROCESS, 3)
    for round_num, scores in ((1, [0.9, 0.1, 0.1]), (2, [0.5, 0.5, 0.5])):
      self.selection.offer(
        round_num,
        np.array(scores),
        _weights(round_num)[2:],
        [_state(_weights(10 * round_num + client)) for client in range(3)],
      )
    self.chosen = [
      (*_weights(local)[:2], *_weights(of_round)[2:])
      for local, of_round in ((10, 1), (21, 2), (22, 2))
    ]
    # The state's own global weights are in no model that was chosen.
    self.server_state = _server_state(_weights(99))

  def test_chosen_models_on_own_data(self):
    examples = [_examples(size, size) for size in (6, 7, 8)]
    values = evaluation.evaluate_selected(
      _PROCESS, self.server_state, self.selection, list(map(client_data.to_tensors, examples))
    )
    expected = [
      _accuracy(_logits(weights, part.x), part.y)
      for weights, part in zip(self.chosen, examples, strict=True)
    ]
    np.testing.assert_allclose(values['accuracy'], expected, rtol=1e-6)

  def test_probabilities_of_chosen_models_in_the_order_of_the_clients(self):
    x = [_examples(size, size).x for size in (6, 0, 8)]
    tensors = [client_data.to_tensors(_examples(size, size)) for size in (6, 0, 8)]
    got = evaluation.predict_selected(
      _PROCESS, self.server_state, self.selection, tensors, np.arange(3)
    )
    for predicted, weights, examples in zip(got, self.chosen, x, strict=True):
      self.assertEqual(predicted.shape, (len(examples), 3))
      np.testing.assert_allclose(predicted, _softmax(_logits(weights, examples)), rtol=1e-4)

  def test_of_some_clients(self):
    parts = [client_data.to_tensors(_examples(size, size)) for size in (6, 7, 8)]
    test, some = _examples(9, 9), np.array([0, 2])
    chosen = _PROCESS, self.server_state, self.selection
    whole = evaluation.evaluate_selected(*chosen, parts)['accuracy']
    accuracy = evaluation.evaluate_selected(*chosen, parts, some)['accuracy']
    np.testing.assert_array_equal(accuracy, [whole[0], np.nan, whole[2]])
    (predicted,) = evaluation.predict_selected(*chosen, parts, np.array([2]))
    self.assertAlmostEqual(_accuracy(predicted, parts[2].y.numpy()), whole[2])
    of_all = evaluation.evaluate_new_test(*chosen, test).class_accuracy
    got = evaluation.evaluate_new_test(*chosen, test, some)
    np.testing.assert_array_equal(got.class_accuracy[some], of_all[some])
    self.assertTrue(np.isnan(got.class_accuracy[1]).all())
    votes = np.stack([_logits(self.chosen[client], test.x) for client in some])
    best = votes.argmax(axis=2)
    # Of two different votes that for the lower class wins.
    self.assertAlmostEqual(
      got.accuracy['ensemble_vote'], (best.min(axis=0) == test.y).mean(), places=6
    )

  def test_new_test_of_ensembles_and_of_the_mean_of_the_weights(self):
    # More than one batch of an ensemble, and a rest.
    test = _examples(1300)
    with mock.patch.object(client_store, 'CLIENTS_AT_A_TIME', 1):
      got = evaluation.evaluate_new_test(_PROCESS, self.server_state, self.selection, test)
    probabilities = np.stack([_softmax(_logits(weights, test.x)) for weights in self.chosen])
    votes = np.eye(3)[probabilities.argmax(axis=2)]
    mean = [np.mean(parts, axis=0) for parts in zip(*self.chosen, strict=True)]
    expected = {
      'ensemble_probability': _accuracy(probabilities.sum(axis=0), test.y),
      'ensemble_log_probability': _accuracy(np.log(probabilities).sum(axis=0), test.y),
      'ensemble_vote': _accuracy(votes.sum(axis=0), test.y),
      'weight_average': _accuracy(_logits(mean, test.x), test.y),
    }
    self.assertEqual(set(got.accuracy), set(expected))
    for name, value in expected.items():
      self.assertAlmostEqual(got.accuracy[name], value, places=6, msg=name)
    # Otherwise this would not tell one from the other.
    self.assertLen(set(expected.values()), 4)
    is_right = probabilities.argmax(axis=2) == test.y
    by_class = [is_right[:, test.y == label].mean(axis=1) for label in range(3)]
    np.testing.assert_allclose(got.class_accuracy, np.transpose(by_class), rtol=1e-6)

  def test_class_that_the_test_set_has_not(self):
    test = _examples(40)
    test = test.take(np.flatnonzero(test.y != 1))
    got = evaluation.evaluate_new_test(_PROCESS, self.server_state, self.selection, test)
    np.testing.assert_array_equal(np.isnan(got.class_accuracy), [[False, True, False]] * 3)


class ParticipantAccuracyTest(absltest.TestCase):
  def test_two_clients_and_three_classes(self):
    # 3/4 * 1.0 + 1/4 * 0.2, and 1/2 * 0.4 + 1/2 * 0.8.
    got = evaluation.participant_accuracy(
      np.array([[1.0, 0.2, 0.0], [0.4, 0.0, 0.8]]), np.array([[3, 1, 0], [5, 0, 5]])
    )
    np.testing.assert_allclose(got, [0.8, 0.6])

  def test_classes_without_test_examples_do_not_count(self):
    # 1/4 * 1.0 + 3/4 * 0.2 of the classes left; the second client has none of them.
    got = evaluation.participant_accuracy(
      np.array([[1.0, 0.2, np.nan], [0.4, 0.0, np.nan]]), np.array([[1, 3, 9], [0, 0, 5]])
    )
    np.testing.assert_allclose(got, [0.4, np.nan])


class OneModelTest(absltest.TestCase):
  def test_all_weights_global_is_one_model_for_all(self):
    process = learning.build_local_global_process(_MODEL.with_all_global(), testing.settings())
    selected = selection.ModelSelection(process, 3)
    clients = [learning.ClientState((), ())] * 3
    selected.offer(1, np.array([0.5, 0.5, 0.5]), _weights(1), clients)
    asked = []

    def ensemble(server_state, client_states, x):
      asked.append(len(client_states))
      return process.ensemble(server_state, client_states, x)

    counted = types.SimpleNamespace(
      model=process.model, ensemble=ensemble, evaluate=process.evaluate
    )
    test = _examples(40)
    got = evaluation.evaluate_new_test(counted, process.initialize(_weights(0)), selected, test)
    accuracy = _accuracy(_logits(_weights(1), test.x), test.y)
    for name, value in got.accuracy.items():
      self.assertAlmostEqual(value, accuracy, places=6, msg=name)
    self.assertEqual(asked, [1])
    logits = _logits(_weights(1), test.x)
    by_class = [_accuracy(logits[test.y == label], label) for label in range(3)]
    np.testing.assert_allclose(got.class_accuracy, [by_class] * 3)


if __name__ == '__main__':
  absltest.main()
