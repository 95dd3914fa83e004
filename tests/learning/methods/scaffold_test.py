"""Tests of SCAFFOLD, replayed in NumPy as Karimireddy et al. write it."""

from unittest import mock

import numpy as np
from absl.testing import absltest, parameterized

from tests.learning import testing
from tests.learning.methods import replay
from tff_lg import config, learning, simulation
from tff_lg.compatibility import tff
from tff_lg.simulation import run_phases


def setUpModule():
  simulation.set_execution_context()


def _replay(share):
  """Replays Algorithm 1, option II, with K = 2 steps and |S| / N as given; eta_g is 1."""
  x, c = np.array([replay.BASE, replay.HEAD]), np.zeros(2, np.float32)
  controls = [c, c]
  for cohort in replay.COHORTS:
    models, changes = [], []
    for client in cohort:
      y, c_i = x, controls[client]
      for _ in range(2):
        y = y - replay.RATE * (replay.gradient(y, client) - c_i + c)
      controls[client] = c_i - c + (x - y) / (2 * replay.RATE)
      models.append(y)
      changes.append(controls[client] - c_i)
    x = np.mean(models, axis=0, dtype=np.float32)
    c = c + share * np.mean(changes, axis=0, dtype=np.float32)
  return [*x, *c], controls


class ScaffoldTest(parameterized.TestCase):
  @parameterized.parameters(1.0, 0.5)
  def test_three_rounds_of_two_clients(self, share):
    _, server_state, states = replay.run('scaffold', cohort_share=share)
    replay.assert_close(server_state, states, *_replay(np.float32(share)))

  def test_first_round_is_that_of_fedavg(self):
    states = []
    for name in ('scaffold', 'fedavg'):
      process = testing.method_process(name, testing.linear_model())
      weights = process.model.initial_weights
      start = process.initialize_client(weights)
      data = [testing.tensors(replay.CLIENTS[0])]
      states.append(process.next(process.initialize(weights), [start], data).server_state)
    ours, theirs = states
    np.testing.assert_array_equal(ours.global_weights[:2], theirs.global_weights)

  def test_with_momentum_a_gradient_that_stays_is_the_control_variate(self):
    def slope(model, weights, initial_weights, x, y):
      return 3.0 * weights[0][0, 0] - 2.0 * weights[1][0, 0]

    settings = learning.ProcessSettings(
      tff.learning.optimizers.build_sgdm(0.1, 0.5),
      learning.TensorBatches(None, num_epochs=4),
      objective=slope,
    )
    process = learning.METHODS['scaffold'].build_process(testing.linear_model(), settings)
    weights = process.model.initial_weights
    start = process.initialize_client(weights)
    output = process.next(process.initialize(weights), [start], [testing.tensors((1, 1))])
    found = np.ravel(output.client_states[0].local_weights)
    np.testing.assert_allclose(found, [3, -2], rtol=1e-5)

  def test_twice_as_much_travels(self):
    process, server_state, states = replay.run('scaffold')
    self.assertLen(process.upload_type[0], 4)
    data = [testing.tensors((1, 0))] * 2
    base, head = np.ravel(server_state.global_weights[:2])
    for metrics in process.evaluate(server_state, states, data):
      self.assertAlmostEqual(float(metrics['loss']), float((base * head) ** 2), places=5)

  def test_optimizers_that_are_not_sgd_are_refused(self):
    with self.assertRaisesRegex(ValueError, 'scaffold needs SGD at the clients'):
      replay.run('scaffold', optimizer=tff.learning.optimizers.build_adam(0.1))

  @parameterized.parameters(
    ({'client_optimizer': 'adam'}, '--client_optimizer has to be sgd'),
    ({'keep_client_optimizer': True}, 'without --keep_client_optimizer'),
    ({'server_learning_rate': 0.5}, '--server_optimizer has to be sgd of learning rate 1'),
    ({'client_weighting': 'gradient_norm'}, 'does not fit scaffold'),
  )
  def test_config_is_refused(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(config.TrainConfig(method='scaffold', **changes))

  @parameterized.parameters((None, 0.25), (0.5, 0.5))
  def test_cohort_share_is_that_of_the_run(self, given, expected):
    options = {'method': 'scaffold', 'cohort_share': given, 'clients_per_round': 5}
    resolved = config.resolve(config.TrainConfig(**options))
    with mock.patch.object(learning.Method, 'build_process') as build:
      run_phases.build_phases(resolved, testing.classifier(), num_clients=20)
    self.assertEqual(build.call_args.kwargs['cohort_share'], expected)


if __name__ == '__main__':
  absltest.main()
