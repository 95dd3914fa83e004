"""Tests of kNN-Per on clients of a run, replayed in NumPy on a small perceptron."""

import dataclasses
import types

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg import data, simulation
from tff_lg.inputs import tasks
from tff_lg.personalization import adaptation_work, adapting, knn_work
from tff_lg.simulation import trained_run

_CONFIG = config_lib.AdaptConfig(
  adaptation=('knn_per',),
  knn_neighbours=(2, 4),
  knn_weight=(0.5, 1.0),
  selection_metric='loss',
)
# k, then lambda, of each setting.
_SETTINGS = ((2, 0.5), (2, 1.0), (4, 0.5), (4, 1.0))


def setUpModule():
  simulation.set_execution_context()


def _source(num_validation=(9, 0, 9)):
  """Makes three clients; the second has no validation data, the third no training data."""
  config = config_lib.resolve(
    config_lib.TrainConfig(task='digits', num_clients=3, partition='iid', score_on_others=True)
  )
  loaded = tasks.load_data(config.input_options)
  clients = []
  for number, client in enumerate(loaded.clients):
    sizes = {'train': 12 if number < 2 else 0, 'validation': num_validation[number], 'test': 11}
    parts = {name: getattr(client, name).take(np.arange(size)) for name, size in sizes.items()}
    clients.append(dataclasses.replace(client, **parts))
  federated_data = dataclasses.replace(
    loaded, clients=tuple(clients), test=loaded.test.take(np.arange(30))
  )
  model = tasks.build_model(config.input_options, federated_data)
  return trained_run.TrainedRun(
    config=config,
    federated_data=federated_data,
    model=model,
    weights=(model.initial_weights,) * 3,
    clients=pd.DataFrame(index=range(3)),
    local_only=None,
  )


def _forward(source, x):
  """Returns representations and probabilities of the perceptron."""
  by_name = dict(zip(source.model.weight_names, source.model.initial_weights, strict=True))
  hidden = x.reshape(len(x), -1)
  *others, last = source.model.layer_names
  for layer in others:
    hidden = np.maximum(hidden @ by_name[f'{layer}/kernel'] + by_name[f'{layer}/bias'], 0)
  logits = hidden @ by_name[f'{last}/kernel'] + by_name[f'{last}/bias']
  exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
  return hidden, exponentials / exponentials.sum(axis=1, keepdims=True)


def _replay(source, client, examples, k, weight):
  """Computes probabilities by kNN-Per, from all distances."""
  train = source.federated_data.clients[client].train
  (of_train, _), (found, probabilities) = (_forward(source, each.x) for each in (train, examples))
  votes = np.zeros_like(probabilities)
  for row, one in enumerate(found):
    distance = np.linalg.norm(of_train - one, axis=1)
    for nearest in np.argsort(distance)[:k]:
      votes[row, train.y[nearest]] += np.exp(-distance[nearest])
  votes /= votes.sum(axis=1, keepdims=True)
  return (1 - weight) * probabilities + weight * votes


def _accuracy(probabilities, y):
  return np.mean(probabilities.argmax(axis=1) == y)


class KnnWorkTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.source = _source()
    cls.work = knn_work.KnnWork('knn_per', _CONFIG, cls.source)
    cls.tried = cls.work.try_all(np.arange(3))

  def test_every_setting_on_validation_data(self):
    self.assertEqual([tuple(setting.values()) for setting in self.work.settings], [*_SETTINGS])
    examples = self.source.federated_data.clients[0].validation
    rows = np.arange(len(examples))
    for index, (k, weight) in enumerate(_SETTINGS):
      expected = _replay(self.source, 0, examples, k, weight)
      accuracy = self.tried['validation/accuracy'][0, index, 1]
      self.assertAlmostEqual(accuracy, _accuracy(expected, examples.y), places=6)
      loss = -np.log(np.maximum(expected[rows, examples.y], 1e-7)).mean()
      np.testing.assert_allclose(self.tried['validation/loss'][0, index, 1], loss, rtol=1e-4)

  def test_who_has_chosen(self):
    np.testing.assert_array_equal(self.tried['is_chosen'], [True, False, True])
    np.testing.assert_array_equal(self.tried['num_validation'], [9, 0, 9])
    np.testing.assert_array_equal(np.isnan(self.tried['local_test/accuracy']), [False, True, False])

  def test_client_without_training_data_keeps_the_model(self):
    for values in (self.tried['validation/loss'], self.tried['validation/accuracy']):
      np.testing.assert_array_equal(values[2], np.full((4, 2), values[2, 0, 0]))

  def test_test_data_of_a_setting(self):
    found = self.work.train_to(np.array([1]), 3, 1)
    clients, test = self.source.federated_data.clients, self.source.federated_data.test
    expected = _accuracy(_replay(self.source, 1, clients[1].test, 4, 1.0), clients[1].test.y)
    self.assertAlmostEqual(found['local_test/accuracy'][0], expected, places=6)
    others = data.concatenate([clients[0].test, clients[2].test])
    expected = _accuracy(_replay(self.source, 1, others, 4, 1.0), others.y)
    self.assertAlmostEqual(found['others_test/accuracy'][0], expected, places=6)
    right = _replay(self.source, 1, test, 4, 1.0).argmax(axis=1) == test.y
    own = clients[1].train.y
    occurs = [label for label in own if label in test.y]
    by_label = [right[test.y == label].mean() for label in occurs]
    self.assertAlmostEqual(found['participant_test/accuracy'][0], np.mean(by_label))

  def test_epoch_zero_is_the_federated_model(self):
    found = self.work.train_to(np.arange(3), 1, 0)
    expected = adaptation_work.ModelEvaluator(self.source)(np.arange(3), self.source.weights)
    for name, values in expected.items():
      np.testing.assert_array_equal(found[name], values)

  def test_numbers_and_aggregation_are_refused(self):
    for changes, has_classes, sentence in (
      ({}, False, 'a vote on the class of an example'),
      ({'aggregate_epochs': (1,)}, True, 'trains no weights to aggregate'),
    ):
      of_run = types.SimpleNamespace(has_plain_labels=has_classes)
      source = dataclasses.replace(self.source, federated_data=of_run)
      with self.assertRaisesRegex(ValueError, sentence):
        adapting.check_adaptable(dataclasses.replace(_CONFIG, **changes), source, np.arange(3))


if __name__ == '__main__':
  absltest.main()
