"""Tests of one adaptation of some clients, on a model of three classes and two features."""

import dataclasses

import numpy as np
import pandas as pd
from absl.testing import absltest

from tests.adaptation import testing
from tff_lg import config as config_lib
from tff_lg import data, simulation
from tff_lg.personalization import adaptation_work
from tff_lg.simulation import trained_run

_CONFIG = config_lib.AdaptConfig(
  epochs=4,
  evaluate_every_epochs=2,
  learning_rate=(0.5, 0.05),
  momentum=0.0,
  batch_size=5,
  selection_metric='loss',
  trained_layers=(),
  fisher_examples=7,
)


def setUpModule():
  simulation.set_execution_context()


def _examples(num_examples, seed):
  x = testing.two_features(num_examples, seed).x
  return data.Examples(x, np.digitize(x[:, 0], [-0.4, 0.4]).astype(np.int32))


def _source(num_validation=(6, 0, 5), shared=True):
  """Makes three clients; the second has no validation data, the third no test data."""
  clients = tuple(
    data.ClientExamples(
      f'c{i}', _examples(12 + i, 10 + i), _examples(n, 20 + i), _examples((8, 9, 0)[i], 30 + i)
    )
    for i, n in enumerate(num_validation)
  )
  model = testing.softmax_regression()
  weights = testing.weights(model, 1)
  return trained_run.TrainedRun(
    config=config_lib.TrainConfig(task='digits', score_on_others=True),
    federated_data=data.FederatedData(clients, _examples(40, 40), 3, ('a', 'b', 'c')),
    model=model,
    weights=tuple(weights if shared else testing.weights(model, i) for i in range(3)),
    clients=pd.DataFrame(index=range(3)),
    local_only=None,
  )


def _accuracy(weights, examples):
  bias, kernel = sorted(weights, key=np.ndim)
  return np.mean((examples.x @ kernel + bias).argmax(axis=1) == examples.y)


class PublicExamplesTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.clients = _source().federated_data.clients

  def test_all_there_are(self):
    found = adaptation_work.public_examples(self.clients, 100, seed=0)
    for name in ('x', 'y'):
      np.testing.assert_array_equal(
        getattr(found, name),
        np.concatenate([getattr(client.validation, name) for client in self.clients]),
      )

  def test_a_sample_has_each_example_at_most_once_and_repeats(self):
    rows = {tuple(x) for client in self.clients for x in client.validation.x}
    found, again, other = (
      adaptation_work.public_examples(self.clients, 5, seed).x for seed in (3, 3, 4)
    )
    self.assertLen({tuple(x) for x in found} & rows, 5)
    np.testing.assert_array_equal(found, again)
    self.assertFalse(np.array_equal(found, other))


class ModelEvaluatorTest(absltest.TestCase):
  def test_accuracies(self):
    source = _source()
    weights = [testing.weights(source.model, seed) for seed in (5, 6)]
    values = adaptation_work.ModelEvaluator(source)(np.array([2, 0]), weights)
    clients, test = source.federated_data.clients, source.federated_data.test
    np.testing.assert_allclose(
      values['local_test/accuracy'], [np.nan, _accuracy(weights[1], clients[0].test)], rtol=1e-6
    )
    others = [
      data.concatenate([clients[other].test for other in range(3) if other != client])
      for client in (2, 0)
    ]
    np.testing.assert_allclose(
      values['others_test/accuracy'], list(map(_accuracy, weights, others)), rtol=1e-6
    )
    for found, client, of_client in zip(
      values['participant_test/accuracy'], (2, 0), weights, strict=True
    ):
      own = np.concatenate([clients[client].train.y, clients[client].validation.y])
      expected = sum(
        np.mean(own == label) * _accuracy(of_client, test.take(np.flatnonzero(test.y == label)))
        for label in range(3)
      )
      self.assertAlmostEqual(found, expected)

  def test_others_took_part_and_were_evaluated(self):
    clients = pd.DataFrame({'is_held_out': [False, True, False], 'is_evaluated': [True] * 3})
    source = dataclasses.replace(_source(), clients=clients)
    np.testing.assert_array_equal(source.pool.owner, [0] * 8)


class AdaptationWorkTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.source = _source()
    cls.evaluator = adaptation_work.ModelEvaluator(cls.source)
    cls.work = cls._work('fine_tune', cls.source)

  @classmethod
  def _work(cls, name, source, **changes):
    config = dataclasses.replace(_CONFIG, **changes)
    return adaptation_work.AdaptationWork(name, config, source, cls.evaluator)

  def test_first_pass(self):
    tried = self.work.try_all(np.arange(3))
    self.assertEqual(tried['validation/accuracy'].shape, (3, 2, 3))
    np.testing.assert_array_equal(tried['num_validation'], [6, 0, 5])
    np.testing.assert_array_equal(tried['is_chosen'], [True, False, True])
    np.testing.assert_array_equal(tried['is_finite'], np.full([3, 2], True))
    for client in (0, 2):
      expected = _accuracy(
        self.source.weights[client], self.source.federated_data.clients[client].validation
      )
      np.testing.assert_allclose(
        tried['validation/accuracy'][client, :, 0], [expected] * 2, rtol=1e-6
      )
    # The second has not chosen, the third has no test data of its own.
    np.testing.assert_array_equal(np.isnan(tried['local_test/accuracy']), [False, True, True])
    np.testing.assert_array_equal(
      np.isnan(tried['participant_test/accuracy']), [False, True, False]
    )

  def test_both_passes_train_alike_whatever_the_chunk(self):
    tried = self.work.try_all(np.arange(3))
    curves = -tried['validation/loss'][0]  # [settings, epochs]
    epoch, setting = np.unravel_index(curves.T.argmax(), curves.T.shape)
    self.assertGreater(epoch, 0)
    trained = self.work.train_to(np.array([0]), int(setting), int(2 * epoch))
    for name in ('local_test/accuracy', 'participant_test/accuracy'):
      self.assertEqual(trained[name][0], tried[name][0])
    np.testing.assert_array_equal(trained['is_finite'], [True])

  def test_epoch_zero_is_the_model_as_it_was(self):
    trained = self.work.train_to(np.arange(3), 0, 0)
    federated = self.evaluator(np.arange(3), self.source.weights)
    for name, values in federated.items():
      np.testing.assert_array_equal(trained[name], values)

  def test_nobody_chooses_alone_if_all_choose_together(self):
    tried = self._work('freeze_base', self.source, choose='global').try_all(np.arange(3))
    self.assertFalse(tried['is_chosen'].any())
    self.assertNotIn('local_test/accuracy', tried)

  def test_training_that_is_not_finite_is_marked(self):
    rates = {'distillation_learning_rate': (0.5, 1e38), 'distillation_alpha': (0.5,)}
    tried = self._work('distillation', self.source, **rates).try_all(np.arange(3))
    np.testing.assert_array_equal(tried['is_finite'], [[True, False]] * 3)

  def test_form_of_the_fisher_information(self):
    options = {'ewc_learning_rate': (0.05,), 'ewc_strength': (1.0,)}
    weights, sums = self.source.weights[:1], {}
    for fisher, changes in (
      ('example', {}),
      ('batch', {'fisher': 'batch', 'fisher_batch_size': 7}),
      ('batches of one', {'fisher': 'batch', 'fisher_batch_size': 1}),
    ):
      work = self._work('ewc', self.source, **options, **changes)
      (measured,) = work._measure(list(weights))
      sums[fisher] = sum(np.sum(diagonal) for diagonal in measured)
    # The mean of squares is more than the square of the mean, of seven gradients not 7 times.
    self.assertGreater(sums['example'], 1.05 * sums['batch'])
    self.assertLess(sums['example'], 7 * sums['batch'])
    self.assertAlmostEqual(sums['batches of one'], sums['example'], places=5)

  def test_weights_that_clients_share_are_measured_once(self):
    for shared, expected in ((True, [1]), (False, [2, 1])):
      options = {'ewc_learning_rate': (0.05,), 'ewc_strength': (1.0,)}
      work = self._work('ewc', _source(shared=shared), **options)
      (process,) = work._processes
      sizes = []

      def measure(weights, public_data, process=process, sizes=sizes):
        self.assertLen(public_data.y, 7)
        sizes.append(len(weights))
        return process.measure(weights, public_data)

      work.__dict__['_processes'] = [dataclasses.replace(process, measure=measure)]
      for chunk in ([0, 1], [2]):
        work.train_to(np.array(chunk), 0, 2)
      self.assertEqual(sizes, expected)


if __name__ == '__main__':
  absltest.main()
