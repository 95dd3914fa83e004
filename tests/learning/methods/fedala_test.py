"""Tests of FedALA, replayed in NumPy as Zhang et al. write it."""

import numpy as np
from absl.testing import absltest, parameterized

from tests.learning import testing
from tests.learning.methods import replay
from tff_lg import simulation


def setUpModule():
  simulation.set_execution_context()


def _replay(rate, epochs):
  """Replays two steps; the head is the higher layer. A client not sampled keeps head and W."""
  server = np.array([replay.BASE, replay.HEAD])
  heads, shares = [replay.HEAD] * 2, [np.float32(1)] * 2
  for cohort in replay.COHORTS:
    models = []
    for client in cohort:
      (base, received), own, share = server, heads[client], shares[client]
      for _ in range(epochs):
        share = np.clip(share, 0, 1)
        mixture = own + (received - own) * share
        _, slope = replay.gradient((base, mixture), client)
        share = share - rate * slope * (received - own)
      shares[client] = share = np.clip(share, 0, 1)
      weights = np.array([base, own + (received - own) * share])
      for _ in range(2):
        weights = weights - replay.RATE * replay.gradient(weights, client)
      heads[client] = weights[1]
      models.append(weights)
    server = np.mean(models, axis=0, dtype=np.float32)
  return server, list(zip(heads, shares, strict=True))


class FedAlaTest(parameterized.TestCase):
  # Steps of one, small ones, and such that go beyond [0, 1].
  @parameterized.parameters((1.0, 1), (0.125, 3), (8.0, 2))
  def test_three_rounds_of_two_clients(self, rate, epochs):
    _, server_state, states = replay.run('fedala', fedala_rate=rate, fedala_epochs=epochs)
    server, local = _replay(np.float32(rate), epochs)
    replay.assert_close(server_state, states, server, local)
    self.assertTrue(any(share < 1 for _, share in local))

  def test_first_round_is_that_of_fedavg(self):
    rounds = []
    for name in ('fedala', 'fedavg'):
      process = testing.method_process(name, testing.linear_model())
      weights = process.model.initial_weights
      data = [testing.tensors(replay.CLIENTS[0])]
      output = process.next(process.initialize(weights), [process.initialize_client(weights)], data)
      rounds.append(output.server_state.global_weights)
    np.testing.assert_array_equal(*rounds)

  def test_clients_predict_with_their_mixtures(self):
    process, server_state, states = replay.run('fedala', fedala_rate=0.125)
    base, received = np.ravel(server_state.global_weights)
    data = [testing.tensors((1, 0))] * 2
    for state, metrics in zip(states, process.evaluate(server_state, states, data), strict=True):
      own, share = np.ravel(state.local_weights)
      head = own + (received - own) * share
      self.assertAlmostEqual(float(metrics['loss']), float((base * head) ** 2), places=4)

  def test_parts(self):
    process, server_state, _ = replay.run('fedala', fedala_layers=('base',))
    self.assertEqual(process.warm_start('ab'), ('a', 'b', 'a', 1))
    newcomer = process.newcomer(server_state.global_weights, process.model.initial_weights)
    base, head = server_state.global_weights
    self.assertEqual(newcomer, (base, head, base, 1))
    self.assertLen(process.upload_type[0], 2)

  def test_unknown_layer_is_refused(self):
    with self.assertRaisesRegex(ValueError, 'fedala_layers is top, expected some of base, head'):
      replay.run('fedala', fedala_layers=('top',))


if __name__ == '__main__':
  absltest.main()
