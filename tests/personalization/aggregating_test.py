"""Tests of aggregating adapted models, with work whose models are numbers."""

import types

import numpy as np
import pandas as pd
import tqdm
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg import parts
from tff_lg.personalization import aggregating

# Validation accuracy of clients 3, 1, 2 and 0 by setting, at epochs 0, 2 and 4.
_OF_ALL = [[0, 0.1, 0.5], [0, 0.3, 0.4]]
_CURVES = np.array([_OF_ALL, _OF_ALL, _OF_ALL, [[0, 9, 9], [0, 0, 0]]])
_CLIENTS = np.array([3, 1, 2, 0])


class _Work:
  """A client's adapted model is its number."""

  def __init__(self, *not_finite):
    self.not_finite, self.sent, self.evaluated = not_finite, [], []

  def aggregate(self, clients, setting, epoch, client_weight):
    self.sent.append((clients.tolist(), setting, epoch))
    weight = client_weight * ~np.isin(clients, self.not_finite)
    mean = (clients * weight).sum() / weight.sum() if weight.any() else np.nan
    return {'0': np.float32(mean), 'client_weight': weight.sum()}

  def evaluate(self, clients, weights):
    self.evaluated.append((clients.tolist(), weights))
    return {'local_test/accuracy': clients / 10}


class AggregateAdaptedTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path

  def _aggregate(self, work, epochs=2, **changes):
    clients = pd.DataFrame({'num_train': [10, 20, 30, 50]})
    source = types.SimpleNamespace(
      clients=clients.assign(**changes),
      is_held_out=np.array([True, False, False, False]),
      config=config_lib.TrainConfig(client_weighting='examples'),
      model=types.SimpleNamespace(metric_names=('accuracy',)),
    )
    config = config_lib.AdaptConfig(
      epochs=4, evaluate_every_epochs=2, selection_metric='accuracy', aggregate_epochs=(2, 4)
    )
    done = parts.Parts(self.folder, 'fine_tune', 2, tqdm.tqdm(disable=True))
    return aggregating.aggregate_adapted(
      config, source, _CLIENTS, work, _CURVES, np.full(4, 5), epochs, done
    )

  def test_weighted_mean_over_chunks(self):
    work = _Work()
    result = self._aggregate(work)
    # The held-out client 0 sends nothing, and its validation data choose nothing.
    self.assertEqual(work.sent, [([3, 1], 1, 2), ([2], 1, 2)])
    ((clients, models),) = work.evaluated
    self.assertEqual((clients, len(models)), ([3, 1, 2, 0], 4))
    self.assertAlmostEqual(models[0][0], (3 * 50 + 1 * 20 + 2 * 30) / 100, places=6)
    np.testing.assert_array_equal(result['local_test/accuracy'], [0.3, 0.1, 0.2, 0])

  def test_setting_is_that_of_the_epoch(self):
    work = _Work()
    self._aggregate(work, epochs=4)
    self.assertEqual({sent[1:] for sent in work.sent}, {(0, 4)})

  def test_malicious_and_not_finite_clients_are_left_out(self):
    work = _Work(1, 2)
    self._aggregate(work)
    self.assertEqual(work.evaluated[0][1][0], (3.0,))
    self.folder = self.create_tempdir().full_path
    work = _Work()
    self._aggregate(work, is_malicious=[False, True, True, False])
    self.assertEqual(work.sent, [([3], 1, 2)])

  def test_nobody_is_finite(self):
    work = _Work(1, 2, 3)
    with self.assertLogs(level='WARNING') as logs:
      result = self._aggregate(work)
    self.assertIn('no client has finite weights after 2 epochs', logs.output[0])
    self.assertTrue(np.isnan(result['local_test/accuracy']).all())
    self.assertEqual(work.evaluated, [])

  def test_what_is_done_is_not_done_again(self):
    first = self._aggregate(_Work())
    work = _Work()
    again = self._aggregate(work)
    self.assertEqual((work.sent, work.evaluated), ([], []))
    np.testing.assert_array_equal(again['local_test/accuracy'], first['local_test/accuracy'])


if __name__ == '__main__':
  absltest.main()
