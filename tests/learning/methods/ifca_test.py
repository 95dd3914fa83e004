"""Tests of IFCA, replayed in NumPy as Ghosh et al. write it."""

import functools

import numpy as np
from absl.testing import absltest, parameterized

from tests.learning import testing
from tests.learning.methods import replay
from tff_lg import learning, simulation
from tff_lg.compatibility import tff
from tff_lg.training import communication

_SEEDS = np.array([[3, 0], [5, 0]], np.int32)


def setUpModule():
  simulation.set_execution_context()


def _loss(weights, client):
  (base, head), (x, y) = weights, replay.CLIENTS[client]
  return (head * base * x - y) ** 2


def _replay(starts):
  """Replays Algorithm 1 with tau = 2 steps and model averaging, from models that all differ."""
  models, chosen = [np.array(start, np.float32) for start in starts], [0, 0]
  for cohort in replay.COHORTS:
    trained = {}
    for client in cohort:
      best = chosen[client] = int(np.argmin([_loss(one, client) for one in models]))
      weights = models[best]
      for _ in range(2):
        weights = weights - replay.RATE * replay.gradient(weights, client)
      trained.setdefault(best, []).append(weights)
    for cluster, of_cluster in trained.items():
      models[cluster] = np.mean(of_cluster, axis=0, dtype=np.float32)
  return [*np.ravel(models), *[0] * len(starts)], np.eye(len(starts))[chosen]


@functools.cache
def _process(num_clusters=2):
  settings = learning.ProcessSettings(
    tff.learning.optimizers.build_sgdm(float(replay.RATE)),
    learning.TensorBatches(None, num_epochs=2),
  )
  return learning.METHODS['ifca'].build_process(
    testing.linear_model(), settings, num_clusters=num_clusters
  )


def _weights(process, starts):
  """Returns all weights, with models of these numbers."""
  *_, shares, chosen = process.model.initial_weights
  return (*(np.float32([[number]]) for number in np.ravel(starts)), shares, chosen)


def _run(process, weights, seeds=_SEEDS):
  server_state = process.initialize(weights)
  states = [process.initialize_client(weights)] * 2
  for cohort in replay.COHORTS:
    data = [testing.tensors(replay.CLIENTS[one])._replace(seed=seeds[one]) for one in cohort]
    output = process.next(server_state, [states[client] for client in cohort], data)
    server_state = output.server_state
    for client, state in zip(cohort, output.client_states, strict=True):
      states[client] = state
  return server_state, states


class IfcaTest(parameterized.TestCase):
  @parameterized.parameters(
    # Each has a model; both have the second, as the first is bad; three models.
    (((1, 2), (1.5, 3)),),
    (((9, 9), (1, 2)),),
    (((0.5, 1), (2, 2.5), (9, 9)),),
  )
  def test_three_rounds_of_two_clients(self, starts):
    process = _process(len(starts))
    server_state, states = _run(process, _weights(process, starts))
    replay.assert_close(server_state, states, *_replay(starts))

  def test_one_cluster_is_fedavg(self):
    process = _process(1)
    ours, _ = _run(process, process.model.initial_weights)
    _, theirs, _ = replay.run('fedavg')
    np.testing.assert_array_equal(ours.global_weights[:2], theirs.global_weights)

  def test_equal_models_part_by_the_clients_seeds(self):
    process = _process()
    weights = process.model.initial_weights
    state, data = process.initialize_client(weights), testing.tensors((1, 1))
    chosen = set()
    for seed in range(8):
      data = data._replace(seed=np.array([seed, 0], np.int32))
      output = process.next(process.initialize(weights), [state], [data])
      (of_client,) = output.client_states[0].local_weights
      chosen.add(int(np.argmax(of_client)))
      # The model of the other cluster is as it was.
      others = np.ravel(output.server_state.global_weights[:4]).reshape(2, 2)
      np.testing.assert_array_equal(others[1 - np.argmax(of_client)], [1, 2])
    self.assertEqual(chosen, {0, 1})

  def test_clients_predict_with_the_model_of_their_cluster(self):
    process = _process()
    server_state, states = _run(process, _weights(process, ((1, 2), (1.5, 3))))
    models = np.ravel(server_state.global_weights[:4]).reshape(2, 2)
    metrics = process.evaluate(server_state, states, [testing.tensors((1, 0))] * 2)
    for client, (base, head) in enumerate(models):
      self.assertAlmostEqual(float(metrics[client]['loss']), float((base * head) ** 2), places=4)

  def test_newcomers_choose_by_their_data(self):
    process = _process()
    server_state, _ = _run(process, _weights(process, ((1, 2), (1.5, 3))))
    weights = process.newcomer(server_state.global_weights, process.model.initial_weights)
    data = [testing.tensors(client) for client in replay.CLIENTS] + [testing.tensors()]
    states = process.settle(
      server_state.global_weights, [process.initialize_client(weights)] * 3, data
    )
    found = [np.argmax(state.local_weights[0]) for state in states]
    self.assertEqual(found, [0, 1, 0])

  def test_all_models_travel_down_and_one_up(self):
    traffic = communication.count_round(_process(3), num_downloads=1, num_uploads=1)
    self.assertEqual((traffic.parameters_down, traffic.parameters_up), (3 * 2, 2 + 1))

  def test_warm_start_begins_in_all_clusters(self):
    process = _process(3)
    start = process.warm_start('ab')
    self.assertEqual(start[:6], ('a', 'b') * 3)
    self.assertLen(start, 8)

  def test_no_cluster_is_refused(self):
    with self.assertRaisesRegex(ValueError, '^num_clusters is 0, expected'):
      _process(0)


if __name__ == '__main__':
  absltest.main()
