"""Tests of scores on the other clients' test data, by hand."""

import types
from unittest import mock

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg import data, learning
from tff_lg.scoring import others
from tff_lg.training import selection

_ON = config_lib.SelectionOptions(score_on_others=True)


def _data(*tests):
  """Makes clients with these test examples, (feature, label) each."""

  def examples(pairs):
    x, y = zip(*pairs, strict=True) if pairs else ((), ())
    return data.Examples(np.array(x, np.float32), np.array(y, np.int32))

  none = examples(())
  clients = [data.ClientExamples(str(n), none, none, examples(of)) for n, of in enumerate(tests)]
  return data.FederatedData(tuple(clients), none, 2, ('a', 'b'))


def _evaluate(server_state, states, of_clients):
  """Evaluates models that call a number above a client's threshold, if positive, a 1."""
  found = []
  for state, (x, y) in zip(
    states, ((of.x.numpy(), of.y.numpy()) for of in of_clients), strict=True
  ):
    right = (server_state.global_weights[0] * x > state) == y
    found.append({'accuracy': right.mean() if len(y) else 0.0, 'num_examples': len(y)})
  return found


_MODEL = types.SimpleNamespace(metric_names=('accuracy',), weight_is_global=(True, False))
_PROCESS = types.SimpleNamespace(evaluate=_evaluate, model=_MODEL)
_THRESHOLDS = (1.5, 2.5, -2.5)


def _chosen_models():
  """Returns the models of three clients; the third's is of another round, whose weight is -1."""
  chosen = selection.ModelSelection(_PROCESS, 3)
  chosen.offer(0, np.array([1.0, 1.0, 0.0]), (1,), _THRESHOLDS)
  chosen.offer(1, np.array([0.0, 0.0, 1.0]), (-1,), _THRESHOLDS)
  return selection.ChosenModels(learning.ServerState((), (), (), 0), chosen)


class AddScoresTest(absltest.TestCase):
  def _add(self, federated_data, evaluated=None, **columns):
    self.table = pd.DataFrame({'client_id': list('abc'), **columns})
    pool = others.pool_tests(_ON, federated_data, evaluated)
    return others.add_scores(self.table, pool, _PROCESS, _chosen_models())

  def test_each_model_on_the_examples_of_the_others(self):
    # Clients have two, one and three examples, each with a feature of its own.
    federated_data = _data([(1, 0), (2, 0)], [(3, 1)], [(4, 1), (0, 0), (2, 1)])
    summary = self._add(federated_data)
    # The first: 3, 4, 0 and 2 are right. The second: 1, 2, 4 and 0 right, 2 wrong. The third says
    # 1 below 2.5: 1, 2 and 3 are wrong.
    np.testing.assert_array_equal(self.table['others_test/accuracy'], [1.0, 0.8, 0.0])
    self.assertEqual(
      list(summary), [f'others_test/accuracy/{n}_over_clients' for n in ('mean', 'std')]
    )
    self.assertAlmostEqual(summary['others_test/accuracy/mean_over_clients'], 0.6)
    self.assertAlmostEqual(summary['others_test/accuracy/std_over_clients'], (0.56 / 3) ** 0.5)
    # In all, 5, 5 and 1 of the six are right, of which 1, 1 and 1 are of the client itself.
    np.testing.assert_allclose(
      self.table['others_test/accuracy'], [(5 - 1) / (6 - 2), (5 - 1) / (6 - 1), (1 - 1) / (6 - 3)]
    )

  def test_memory_is_bounded(self):
    federated_data = _data([(1, 0), (2, 0)], [(3, 1)], [(4, 1), (0, 0), (2, 1)])
    pool = others.pool_tests(_ON, federated_data, None)
    self.assertEqual(pool.clients_at_a_time, others._BYTES_AT_A_TIME // (6 * (4 + 4)))
    self._add(federated_data)
    at_once = self.table
    with mock.patch.object(others, '_BYTES_AT_A_TIME', 1):
      self.assertEqual(pool.clients_at_a_time, 1)
      self._add(federated_data)
    pd.testing.assert_frame_equal(self.table, at_once)

  def test_clients_that_are_not_evaluated_are_nobody(self):
    federated_data = _data([(1, 0), (2, 0)], [(3, 1)], [(4, 1), (0, 0), (2, 1)])
    self._add(federated_data, np.array([0, 2]), is_evaluated=[True, False, True])
    np.testing.assert_array_equal(self.table['others_test/accuracy'], [1.0, np.nan, 0.0])

  def test_others_without_examples(self):
    summary = self._add(_data([(1, 0), (2, 0)], [], []))
    # Of the last two clients the model is right on 1 and 2, and wrong.
    np.testing.assert_array_equal(self.table['others_test/accuracy'], [np.nan, 1.0, 0.0])
    self.assertEqual(summary['others_test/accuracy/mean_over_clients'], 0.5)
    self.assertEqual(self._add(_data([], [], [])), {})

  def test_only_on_request(self):
    federated_data = _data([(1, 0)], [(3, 1)])
    self.assertIsNone(others.pool_tests(config_lib.SelectionOptions(), federated_data, None))


if __name__ == '__main__':
  absltest.main()
