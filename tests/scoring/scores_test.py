"""Tests of the chosen models' test scores, by hand and against numpy and scikit-learn."""

import types
from unittest import mock

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized
from sklearn import metrics

from tests.learning import testing
from tff_lg import config as config_lib
from tff_lg import data, learning, models, simulation
from tff_lg.inputs import tasks
from tff_lg.scoring import scores
from tff_lg.training import evaluation


def setUpModule():
  simulation.set_execution_context()


def _server_state(*global_weights) -> learning.ServerState:
  return learning.ServerState(global_weights, (), (), 0)


def _run_state(server_state, *groups):
  """Returns a run with this choice of models: (clients, global weights, their states) each."""
  selection = types.SimpleNamespace(
    groups=lambda among=None: [(np.array(clients), *rest) for clients, *rest in groups]
  )
  return types.SimpleNamespace(server_state=server_state, selection=selection)


def _examples(x, y) -> data.Examples:
  return data.Examples(np.array(x, np.float32), np.array(y, np.int32))


def _echo(server_state, client_states, x):
  """Returns the features as probabilities, in the order that the global weight says."""
  del client_states
  return [np.asarray(part)[:, :: server_state.global_weights[0]] for part in x]


class AddScoresTest(absltest.TestCase):
  """Clients 0 and 2 have a model that reads features forwards, client 1 one backwards."""

  def _add_scores(self, *tests, metrics=('accuracy',)):
    self.table = pd.DataFrame({'client_id': list('abc')})
    none = _examples(np.zeros([0, tests[0].x.shape[1]]), [])
    clients = tuple(
      data.ClientExamples(name, none, none, test) for name, test in zip('abc', tests, strict=True)
    )
    num_classes = tests[0].x.shape[1]
    federated_data = data.FederatedData(clients, none, num_classes, tuple('xyz'[:num_classes]))
    state = _run_state(_server_state(9), ((0, 2), (1,), [None, None]), ((1,), (-1,), [None]))
    return scores.add_scores(
      self.table,
      federated_data,
      types.SimpleNamespace(predict=_echo, model=types.SimpleNamespace(metric_names=metrics)),
      state,
    )

  def _of_two_classes(self, *pairs, backwards=False):
    p = np.array([p for p, _ in pairs])
    x = np.stack([p, 1 - p] if backwards else [1 - p, p], axis=1)
    return _examples(x, [y for _, y in pairs])

  def test_two_classes(self):
    first = self._of_two_classes((0.1, 0), (0.4, 1), (0.45, 0), (0.8, 1))
    second = self._of_two_classes((0.9, 1), (0.7, 1), backwards=True)
    third = self._of_two_classes((0.2, 0), (0.3, 1))
    summary = self._add_scores(first, second, third)
    # Of four pairs of a positive and a negative, 0.4 and 0.45 are the wrong way round.
    np.testing.assert_array_equal(self.table['local_test/auc'], [0.75, np.nan, 1.0])
    self.assertEqual(summary['local_test/auc/mean_over_clients'], 0.875)
    self.assertEqual(summary['local_test/auc/std_over_clients'], 0.125)
    # Pooled, 0.4 is below 0.45, and so is 0.3: of 5 * 3 pairs, 13 are right.
    self.assertAlmostEqual(summary['pooled_test/auc'], 13 / 15)
    # 0.4 and 0.3 are taken for negatives.
    self.assertEqual(summary['pooled_test/accuracy'], 6 / 8)

  def test_client_without_examples(self):
    first = self._of_two_classes((0.1, 0), (0.4, 1))
    none = _examples(np.zeros([0, 2]), [])
    summary = self._add_scores(first, none, none)
    np.testing.assert_array_equal(self.table['local_test/auc'], [1.0, np.nan, np.nan])
    self.assertEqual(summary['pooled_test/accuracy'], 0.5)
    self.assertEqual(summary['local_test/auc/std_over_clients'], 0)

  def test_one_class_at_each_client(self):
    ones, zeros = self._of_two_classes((0.6, 1)), self._of_two_classes((0.7, 0), (0.1, 0))
    back = self._of_two_classes((0.9, 1), backwards=True)
    summary = self._add_scores(ones, back, zeros)
    self.assertTrue(self.table['local_test/auc'].isna().all())
    self.assertNotIn('local_test/auc/mean_over_clients', summary)
    self.assertEqual(summary, {'pooled_test/accuracy': 0.75, 'pooled_test/auc': 0.75})

  def test_model_that_diverged_is_not_an_error(self):
    diverged = self._of_two_classes((np.nan, 0), (np.nan, 1))
    good = self._of_two_classes((0.1, 0), (0.4, 1))
    summary = self._add_scores(good, diverged, good)
    np.testing.assert_array_equal(self.table['local_test/auc'], [1.0, np.nan, 1.0])
    self.assertTrue(np.isnan(summary['pooled_test/auc']))

  def test_three_classes_have_no_auc(self):
    one = _examples([[0.2, 0.5, 0.3], [0.6, 0.2, 0.2]], [1, 1])
    back = _examples([[0.5, 0.2, 0.3]], [2])
    summary = self._add_scores(one, back, one)
    self.assertEqual(summary, {'pooled_test/accuracy': 3 / 5})
    self.assertEqual(list(self.table), ['client_id', 'local_test/correct'])
    self.assertEqual(list(self.table['local_test/correct']), ['10', '1', '10'])

  def test_nobody_has_test_examples(self):
    none = _examples(np.zeros([0, 2]), [])
    self.assertEqual(self._add_scores(none, none, none), {})
    self.assertEqual(list(self.table), ['client_id'])


class AddNewTestTest(absltest.TestCase):
  def _add(self, class_accuracy):
    def of(labels):
      return _examples(np.zeros([len(labels), 1]), labels)

    clients = (
      data.ClientExamples('a', of([0, 0, 1]), of([0]), of([2])),
      data.ClientExamples('b', of([0, 2]), of([]), of([1])),
    )
    table = pd.DataFrame({'client_id': ['a', 'b']})
    new_test = evaluation.NewTest({'ensemble_vote': 0.5}, np.array(class_accuracy))
    with mock.patch.object(evaluation, 'evaluate_new_test', return_value=new_test):
      summary = scores.add_new_test(
        table,
        data.FederatedData(clients, of([0, 1, 2]), 3, tuple('xyz')),
        mock.Mock(),
        mock.Mock(),
      )
    return table, summary

  def test_training_and_validation_examples_are_the_weights(self):
    # 3/4 * 1.0 + 1/4 * 0.2 and 1/2 * 0.4 + 1/2 * 0.8; test examples have no say.
    table, summary = self._add([[1.0, 0.2, 0.0], [0.4, 0.0, 0.8]])
    np.testing.assert_allclose(table['participant_test/accuracy'], [0.8, 0.6])
    self.assertAlmostEqual(summary['participant_test/accuracy/mean_over_clients'], 0.7)
    self.assertAlmostEqual(summary['participant_test/accuracy/std_over_clients'], 0.1)

  def test_test_set_without_any_of_the_classes(self):
    table, summary = self._add([[np.nan] * 3] * 2)
    self.assertTrue(table['participant_test/accuracy'].isna().all())
    self.assertEqual(summary, {'new_test/accuracy/ensemble_vote': 0.5})


def _config(model, **changes):
  return config_lib.resolve(
    config_lib.TrainConfig(
      task='embeddings', embeddings='set.npz', model=model, hidden_units=(3,), **changes
    )
  )


def _process(conditioning, global_layers=None):
  keras_model = models.build_cgau(
    (4,), 2, (3,), conditioning=conditioning, num_clients=3, dropout_rate=0.0
  )
  model = tasks.as_local_global(keras_model)
  model = model.with_global_layers(global_layers or models.cgau_global_layers(1))
  return learning.build_local_global_process(model, testing.settings())


def _random_weights(model, seed) -> dict[str, np.ndarray]:
  rng = np.random.default_rng(seed)
  return {
    name: rng.normal(size=weight.shape).astype(np.float32)
    for name, weight in zip(model.weight_names, model.initial_weights, strict=True)
  }


def _logits(weights, x, shift) -> np.ndarray:
  """Computes equation 1 of Rieger et al. 2020 with (v_f, v_g), and the output layer."""
  z = x @ weights['gated_1/kernel'] + weights['gated_1/bias'] + shift
  hidden = np.tanh(z[:, :3]) / (1 + np.exp(-z[:, 3:]))
  return hidden @ weights['output/kernel'] + weights['output/bias']


class UnknownClientTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    rng = np.random.default_rng(1)
    self.x = rng.normal(size=(60, 4)).astype(np.float32)
    self.y = rng.integers(0, 2, 60)

  def _federated_data(self, x):
    return data.FederatedData((), _examples(x, self.y), 2, ('rest', 'cough'))

  def _expect(self, summary, logits_by_start):
    expected = {}
    for start, logits in logits_by_start.items():
      prefix = f'unknown_client_test/{start}'
      expected[f'{prefix}/accuracy'] = np.mean(logits.argmax(axis=1) == self.y)
      expected[f'{prefix}/auc'] = metrics.roc_auc_score(self.y, logits[:, 1] - logits[:, 0])
    self.assertEqual(set(summary), set(expected))
    for name, value in expected.items():
      self.assertAlmostEqual(summary[name], value, places=6, msg=name)
    # Otherwise this would not tell one from the other.
    self.assertLen(set(expected.values()), 4)

  def test_shifts_in_the_global_model(self):
    process = _process('shared')
    weights = _random_weights(process.model, 2)
    client = learning.ClientState((), ())
    # The state's own weights are not those that were chosen.
    state = _run_state(
      process.initialize(process.model.initial_weights),
      ((0, 1, 2), tuple(weights.values()), [client] * 3),
    )
    x = models.append_client_index(self.x, models.UNKNOWN_CLIENT, 3)
    summary = scores.score_unknown_client(
      _config('cgau_shared').task_options, self._federated_data(x), process, state
    )
    mean = weights['gated_1/conditioning'].mean(axis=0)
    self._expect(
      summary,
      {'mean': _logits(weights, self.x, mean), 'zero': _logits(weights, self.x, 0)},
    )

  def test_shifts_of_the_clients_own(self):
    process = _process('local')
    own = [_random_weights(process.model, seed) for seed in (3, 4, 5)]
    global_weights, _ = process.model.split(tuple(own[0].values()))
    states = [
      learning.ClientState(process.model.split(tuple(weights.values()))[1], ()) for weights in own
    ]
    state = _run_state(
      process.initialize(process.model.initial_weights), ((0, 1, 2), global_weights, states)
    )
    summary = scores.score_unknown_client(
      _config('cgau_local').task_options, self._federated_data(self.x), process, state
    )
    shifts = [np.concatenate([w['shift_1/filter'], w['shift_1/gate']]) for w in own]
    self._expect(
      summary,
      {
        'mean': _logits(own[0], self.x, np.mean(shifts, axis=0)),
        'zero': _logits(own[0], self.x, 0),
      },
    )

  @parameterized.parameters('dense', 'gated')
  def test_models_that_know_no_clients(self, model):
    state = _run_state(None, ((0, 1), (), []))
    self.assertEqual(
      scores.score_unknown_client(_config(model).task_options, None, None, state), {}
    )

  def test_several_best_rounds(self):
    state = _run_state(None, ((0,), (), []), ((1,), (), []))
    self.assertEqual(
      scores.score_unknown_client(_config('cgau_local').task_options, None, None, state), {}
    )

  @parameterized.parameters(
    ('cgau_local', 'local', ('output',)),
    # All weights, as in FedAvg: the shifts are no client's own.
    ('cgau_local', 'local', ('gated_1', 'shift_1', 'output')),
    # The table of all clients' shifts at each client, as in local learning.
    ('cgau_shared', 'shared', ('output',)),
  )
  def test_other_splits(self, name, conditioning, global_layers):
    process = _process(conditioning, global_layers)
    state = _run_state(None, ((0, 1), (), []))
    self.assertEqual(
      scores.score_unknown_client(_config(name).task_options, None, process, state), {}
    )


if __name__ == '__main__':
  absltest.main()
