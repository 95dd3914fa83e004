"""Tests of robust rules as aggregation factories: types, TFF's wrappers and algorithms."""

import collections

import numpy as np
from absl.testing import absltest, parameterized

from tests.aggregators import testing
from tests.learning import testing as learning_testing
from tests.runtime import testing as runtime_testing
from tff_lg import aggregators, learning, simulation
from tff_lg.aggregators.factories import gathering
from tff_lg.compatibility import tff

_TYPE = tff.to_type(collections.OrderedDict(b=(np.float32, [3]), a=(np.float32, [2, 2])))
_WEIGHT_TYPE = tff.TensorType(np.float32)
_RULES = {
  'median': aggregators.median,
  'trimmed_mean': lambda **options: aggregators.trimmed_mean(0.3, **options),
  'krum': lambda **options: aggregators.krum(0, 3, **options),
  'multi_krum': lambda **options: aggregators.multi_krum(0, 3, 2, **options),
  'geometric_median': aggregators.geometric_median,
  'norm_bounded_mean': lambda **options: aggregators.norm_bounded_mean(2.0, **options),
}
# One that gathers updates, as all others do, and the one that does not.
_TWO_RULES = {name: _RULES[name] for name in ('median', 'norm_bounded_mean')}


def setUpModule():
  simulation.set_execution_context()
  global _CONTEXTS
  _CONTEXTS = runtime_testing.contexts()


def _structure(vector):
  vector = np.asarray(vector, np.float32)
  return collections.OrderedDict(b=vector[:3], a=vector[3:].reshape(2, 2))


def _first_and_weights(stack, weights):
  return stack[0], {'weights': weights, 'last_column': stack[:, -1]}


class StackTest(parameterized.TestCase):
  @parameterized.parameters(1, 31, 32, 33, 64, 65, 100)
  def test_updates_keep_their_order_and_their_weights(self, num_clients):
    rows = testing.random_rows(num_clients, 2)
    weights = np.arange(num_clients) + 1
    output = testing.aggregate(_STACK, rows, weights)
    np.testing.assert_array_equal(output.result, rows[0])
    np.testing.assert_array_equal(output.measurements['weights'], weights)
    np.testing.assert_array_equal(output.measurements['last_column'], rows[:, -1])
    self.assertEqual(output.measurements['num_updates'], num_clients)

  def test_absent_clients_leave_no_gap(self):
    rows = testing.random_rows(90, 2)
    weights = np.arange(90) % 3
    output = testing.aggregate(_STACK, rows, weights)
    np.testing.assert_array_equal(output.measurements['last_column'], rows[weights > 0, -1])
    np.testing.assert_array_equal(output.measurements['weights'], weights[weights > 0])

  def test_update_that_is_not_finite_is_absent(self):
    rows = [[1.0, 2.0], [np.nan, 2.0], [3.0, np.inf], [5.0, 6.0], [7.0, 8.0]]
    output = testing.aggregate(_STACK, rows, [1, 1, 1, 1, np.inf])
    np.testing.assert_array_equal(output.measurements['last_column'], [2.0, 6.0])
    unweighted = testing.aggregate(aggregators.median(), rows)
    np.testing.assert_array_equal(unweighted.result, [5.0, 6.0])


_STACK = gathering.rule_factory(_first_and_weights, weighted=True)


class FactoriesTest(parameterized.TestCase):
  @parameterized.named_parameters(_RULES.items())
  def test_structure_and_absent_clients_on_both_runtimes(self, build):
    rows, weights = testing.random_rows(4), [1.0, 1.0, 0.0, 1.0]
    rows[2] = 50.0
    expected = _structure(testing.aggregate(build(), rows[[0, 1, 3]]).result)
    process = build(weighted=True).create(_TYPE, _WEIGHT_TYPE)
    self.assertEqual(process.next.type_signature.result.result.member, _TYPE)
    values = [_structure(row) for row in rows]
    for context in _CONTEXTS:
      with runtime_testing.installed(context):
        state = process.initialize()
        runtime_testing.assert_same(process.next(state, values, weights).result, expected)
        nobody = process.next(state, values, [0.0] * 4).result
        runtime_testing.assert_same(nobody, _structure(np.zeros(7)))

  @parameterized.named_parameters(_TWO_RULES.items())
  def test_inside_wrappers_of_tff(self, build):
    wrapped = tff.aggregators.add_measurements(
      tff.aggregators.zeroing_factory(
        50.0, tff.aggregators.clipping_factory(3.0, build(weighted=True))
      ),
      server_measurement_fn=lambda result: collections.OrderedDict(result=result),
    )
    rows = testing.random_rows(3)
    rows[0] *= 100
    rows[1] *= 10
    by_hand = np.stack([0 * rows[0], 3.0 * rows[1] / np.linalg.norm(rows[1]), rows[2]])
    output = testing.aggregate(wrapped, rows, [1.0, 2.0, 1.0])
    expected = testing.aggregate(build(weighted=True), by_hand, [1.0, 2.0, 1.0]).result
    np.testing.assert_allclose(output.result, expected, rtol=1e-4, atol=1e-5)
    self.assertEqual(output.measurements['zeroed_count'], 1)
    np.testing.assert_array_equal(output.measurements['result'], output.result)

  @parameterized.named_parameters(_TWO_RULES.items())
  def test_in_fed_avg_of_tff_and_in_ours(self, build):
    model = learning_testing.classifier()
    optimizer = tff.learning.optimizers.build_sgdm(0.1)
    data = learning_testing.random_datasets()
    weighted = tff.learning.algorithms.build_weighted_fed_avg(
      model.functional, optimizer, model_aggregator=build(weighted=True)
    )
    theirs = weighted.next(weighted.initialize(), data)
    unweighted = tff.learning.algorithms.build_unweighted_fed_avg(
      model.functional, optimizer, model_aggregator=build()
    )
    unweighted.next(unweighted.initialize(), data)
    process = learning.build_local_global_process(
      model,
      learning_testing.settings(batches=learning.DatasetBatches(), aggregator=build(weighted=True)),
    )
    client_state = process.initialize_client(model.initial_weights)
    ours = process.next(process.initialize(model.initial_weights), [client_state] * 3, data)
    for mine, other in zip(
      ours.server_state.global_weights, theirs.state.global_model_weights.trainable, strict=True
    ):
      np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-5)

  def test_refuses_updates_of_other_types(self):
    factory = aggregators.median()
    for dtype in (np.float64, np.int32):
      with self.assertRaisesRegex(TypeError, 'takes float32 updates of static shapes, found'):
        factory.create(tff.TensorType(dtype, [3]))
    with self.assertRaisesRegex(TypeError, 'should have the same dtype'):
      factory.create(tff.to_type((np.float32, np.float64)))


if __name__ == '__main__':
  absltest.main()
