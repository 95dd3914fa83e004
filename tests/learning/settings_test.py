"""Tests of the defaults of a process."""

import dataclasses

import tensorflow as tf
from absl.testing import absltest

from tests.learning import testing
from tff_lg import learning
from tff_lg.compatibility import tff
from tff_lg.learning import evaluation


class ProcessSettingsTest(absltest.TestCase):
  def test_server_takes_the_mean_of_the_clients(self):
    optimizer = testing.settings().server_optimizer
    weights, update = (tf.constant([3.0]),), (tf.constant([1.0]),)
    state = optimizer.initialize((tf.TensorSpec([1]),))
    _, weights = optimizer.next(state, weights, update)
    self.assertEqual(weights[0], 3 - 1)

  def test_other_defaults_are_those_of_the_papers(self):
    settings = testing.settings()
    self.assertIs(settings.client_weighting, learning.CLIENT_WEIGHTINGS['examples'])
    self.assertIs(settings.objective, learning.supervised)
    self.assertIsNone(settings.client_learning_rate_fn)
    self.assertTrue(settings.reset_client_optimizer)
    self.assertIsNone(settings.update_attack)
    self.assertIsInstance(settings.aggregator, tff.aggregators.MeanFactory)

  def test_evaluation_sees_each_example_once_and_as_it_is(self):
    self.assertIsNone(testing.settings().evaluation_batches)
    batches = evaluation.default_batches(testing.linear_model())
    self.assertEqual(batches.batch_size, 512)
    self.assertEqual((batches.num_epochs, batches.shuffle, batches.augment), (1, False, None))

  def test_attack_needs_data_that_say_who_is_malicious(self):
    with self.assertRaisesRegex(
      ValueError, 'update_attack is given with DatasetBatches, expected TensorBatches'
    ):
      testing.settings(
        batches=learning.DatasetBatches(), update_attack=lambda updates, attacking, seeds: updates
      )

  def test_settings_are_a_value(self):
    with self.assertRaises(dataclasses.FrozenInstanceError):
      testing.settings().reset_client_optimizer = False


if __name__ == '__main__':
  absltest.main()
