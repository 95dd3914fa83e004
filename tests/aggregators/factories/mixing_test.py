"""Tests of pre-aggregation: each mixing against numpy, and before every rule."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.aggregators import testing
from tff_lg import aggregators, simulation
from tff_lg.aggregators.factories import gathering, mixing
from tff_lg.aggregators.factories.centred_clipping import centred_clipping_rule
from tff_lg.compatibility import tff


def setUpModule():
  simulation.set_execution_context()


def _mix(mixed, rows, weights=None, round_num=0):
  weights = np.ones(len(rows)) if weights is None else weights
  result = mixed(tf.constant(rows), tf.constant(weights, tf.float32), tf.constant(round_num))
  return tuple(each.numpy() for each in result)


class NearestNeighboursTest(parameterized.TestCase):
  @parameterized.parameters((5, 0), (7, 2), (3, 4))
  def test_means_of_the_nearest(self, num_clients, num_byzantine):
    rows = testing.random_rows(num_clients)
    apart = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    nearest = np.argsort(apart, axis=1)[:, : max(num_clients - num_byzantine, 1)]
    mixed = aggregators.nearest_neighbour_mixing(num_byzantine)
    result, weights = _mix(mixed, rows, np.arange(num_clients) + 1)
    np.testing.assert_allclose(result, rows[nearest].mean(axis=1), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(weights, np.arange(num_clients) + 1)

  def test_refuses(self):
    for build in (aggregators.nearest_neighbour_mixing, aggregators.adaptive_clipping):
      with self.assertRaisesRegex(ValueError, 'num_byzantine is -1, expected 0 or more'):
        build(-1)


class BucketingTest(parameterized.TestCase):
  def test_means_of_buckets(self):
    rows = np.float32([[1], [10], [100], [1000], [10000]])
    result, weights = _mix(aggregators.bucketing(2, seed=3), rows, [1, 2, 3, 4, 5])
    order = tf.random.experimental.stateless_shuffle(tf.range(5), seed=[3, 0]).numpy()
    for place, bucket in enumerate((order[:2], order[2:4], order[4:])):
      expected = np.average(rows[bucket], axis=0, weights=bucket + 1)
      np.testing.assert_allclose(result[place], expected, rtol=1e-6)
      np.testing.assert_allclose(weights[place], np.mean(bucket + 1))

  def test_each_round_deals_again_and_each_update_once(self):
    rows, mixed = np.eye(8, dtype=np.float32), aggregators.bucketing(2, seed=0)
    rounds = [_mix(mixed, rows, round_num=number)[0] for number in range(3)]
    for means in rounds:
      np.testing.assert_allclose(means.sum(axis=0), np.full(8, 0.5))
    self.assertFalse(np.array_equal(rounds[0], rounds[1]))
    np.testing.assert_array_equal(rounds[0], _mix(mixed, rows)[0])

  def test_refuses(self):
    with self.assertRaisesRegex(ValueError, 'bucket_size is 0, expected 1 or more'):
      aggregators.bucketing(0, seed=0)


class AdaptiveClippingTest(parameterized.TestCase):
  @parameterized.parameters((10, 0, 0), (10, 1, 1), (10, 2, 3), (10, 4, 4), (3, 2, 1))
  def test_longest_are_cut_to_the_next(self, num_clients, num_byzantine, num_clipped):
    rows = testing.random_rows(num_clients)
    norms = np.linalg.norm(rows, axis=1)
    bound = np.sort(norms)[::-1][num_clipped]
    result, _ = _mix(aggregators.adaptive_clipping(num_byzantine), rows)
    expected = rows * np.minimum(1, bound / norms)[:, None]
    np.testing.assert_allclose(result, expected, rtol=1e-5)
    self.assertEqual(np.count_nonzero(np.any(rows != expected, axis=1)), num_clipped)


class PreAggregatedTest(parameterized.TestCase):
  @parameterized.parameters(
    *(name for name, entry in aggregators.AGGREGATORS.items() if entry.rule)
  )
  def test_every_rule_sees_what_is_mixed(self, name):
    entry = aggregators.AGGREGATORS[name]
    given = {'num_byzantine': 1} if entry.cohort_options else {}
    setting = aggregators.Setting(clients_per_round=8, seed=0, budget=None)
    rule = entry.rule(entry.options(**given), setting)
    mixings = aggregators.adaptive_clipping(2), aggregators.nearest_neighbour_mixing(2)
    rows = testing.random_rows(8)
    once, _ = _mix(mixings[1], _mix(mixings[0], rows)[0])
    expected, _ = testing.apply(gathering.first_round(rule), once)
    composed = gathering.first_round(mixing.pre_aggregated(mixings, rule))
    np.testing.assert_allclose(testing.apply(composed, rows)[0], expected, rtol=1e-5, atol=1e-6)

  def test_rounds_are_counted_and_rules_keep_their_memory(self):
    rule = mixing.pre_aggregated([aggregators.bucketing(2, 0)], centred_clipping_rule(1.0))
    process = gathering.rule_factory(rule, weighted=True).create(
      tff.TensorType(np.float32, [1]), tff.TensorType(np.float32)
    )
    state = process.initialize()
    for round_num in (1, 2):
      output = process.next(state, [np.float32([9.0])] * 4, [1.0] * 4)
      state = output.state
      self.assertEqual(state[0], round_num)
      np.testing.assert_allclose(output.result, [round_num])
    self.assertEqual(output.measurements['num_updates'], 4)


if __name__ == '__main__':
  absltest.main()
