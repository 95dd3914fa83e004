"""Tests of FedNova, replayed in NumPy as Wang et al. write it."""

import numpy as np
from absl.testing import absltest, parameterized

from tests.learning import testing
from tests.learning.methods import replay
from tff_lg import config, learning, simulation
from tff_lg.compatibility import tff

# Examples, two and one, so that clients weigh 2/3 and 1/3 and differ in steps.
_CLIENTS = (((1.0, 1.0), (1.0, 1.0)), ((0.5, 3.0),))
_COHORTS = ((0, 1), (1,), (0, 1))
_EPOCHS = 2


def setUpModule():
  simulation.set_execution_context()


def _replay(momentum, server_momentum=0.0):
  """Replays normalised averaging with a_i of SGD with momentum, weights p_i by examples."""
  x, velocity, tau_eff = np.array([replay.BASE, replay.HEAD]), np.zeros(2, np.float32), 1.0
  for cohort in _COHORTS:
    sizes = np.array([len(_CLIENTS[client]) for client in cohort])
    p = sizes / sizes.sum()
    directions, taus = [], []
    for client in cohort:
      y, v, a = x, 0.0, []
      num_steps = _EPOCHS * len(_CLIENTS[client])
      for k in range(num_steps):
        v = momentum * v + replay.gradient(y, client)
        y = y - replay.RATE * v
        a.append(sum(momentum**j for j in range(num_steps - k)))
      taus.append(sum(a))
      directions.append((x - y) / sum(a))
    tau_eff = np.dot(p, taus)
    velocity = server_momentum * velocity + tau_eff * np.dot(p, directions)
    x = (x - velocity).astype(np.float32)
  return [*x, tau_eff]


def _run(momentum=0.0, **changes):
  settings = learning.ProcessSettings(
    tff.learning.optimizers.build_sgdm(float(replay.RATE), momentum),
    learning.TensorBatches(1, num_epochs=_EPOCHS),
    **changes,
  )
  process = learning.METHODS['fednova'].build_process(testing.linear_model(), settings)
  weights = process.model.initial_weights
  server_state, state = process.initialize(weights), process.initialize_client(weights)
  for cohort in _COHORTS:
    data = [testing.tensors(*_CLIENTS[client]) for client in cohort]
    server_state = process.next(server_state, [state] * len(cohort), data).server_state
  return process, server_state


class FedNovaTest(parameterized.TestCase):
  @parameterized.parameters(0.0, 0.5)
  def test_three_rounds_of_two_clients(self, momentum):
    _, server_state = _run(momentum)
    replay.assert_close(server_state, [], _replay(momentum), [])

  def test_server_with_momentum(self):
    server = tff.learning.optimizers.build_sgdm(1.0, 0.5)
    _, server_state = _run(server_optimizer=server)
    replay.assert_close(server_state, [], _replay(0.0, server_momentum=0.5), [])

  def test_equal_numbers_of_steps_are_fedavg(self):
    _, ours, _ = replay.run('fednova')
    _, theirs, _ = replay.run('fedavg')
    np.testing.assert_allclose(ours.global_weights[:2], theirs.global_weights, rtol=1e-5)

  def test_only_a_number_more_travels(self):
    process, server_state = _run()
    self.assertEqual([w.shape for w in process.upload_type[0]], [(1, 1), (1, 1), ()])
    self.assertLen(process.merge(server_state.global_weights, ()), 2)

  def test_round_without_clients_leaves_the_model(self):
    process, before = _run()
    state = process.initialize_client(process.model.initial_weights)
    after = process.next(before, [state], [testing.tensors()]).server_state
    for one, other in zip(before.global_weights, after.global_weights, strict=True):
      np.testing.assert_array_equal(one, other)

  def test_optimizers_that_are_not_sgd_are_refused(self):
    with self.assertRaisesRegex(ValueError, 'fednova needs SGD at the clients'):
      replay.run('fednova', optimizer=tff.learning.optimizers.build_adam(0.1))

  @parameterized.parameters(
    ({'client_optimizer': 'adam'}, 'fednova counts steps of SGD: --client_optimizer has to be sgd'),
    ({'keep_client_optimizer': True}, 'without --keep_client_optimizer'),
    ({'client_weighting': 'gradient_norm'}, 'does not fit fednova'),
  )
  def test_config_is_refused(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(config.TrainConfig(method='fednova', **changes))


if __name__ == '__main__':
  absltest.main()
