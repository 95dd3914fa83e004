"""Tests of pFedMe, replayed in NumPy as T. Dinh et al. write it."""

import numpy as np
from absl.testing import absltest

from tests.learning import testing
from tests.learning.methods import replay
from tff_lg import simulation

_STRENGTH, _PERSONAL_RATE, _STEPS = np.float32(2), np.float32(0.0625), 3


def setUpModule():
  simulation.set_execution_context()


def _replay():
  """Replays Algorithm 1 with R = 2 batches and K = 3 steps on each; beta is 1."""
  w = np.array([replay.BASE, replay.HEAD])
  personal = [w, w]
  for cohort in replay.COHORTS:
    updated = []
    for client in cohort:
      of_client = theta = w
      for _ in range(2):
        for _ in range(_STEPS):
          gradient = replay.gradient(theta, client) + _STRENGTH * (theta - of_client)
          theta = theta - _PERSONAL_RATE * gradient
        of_client = of_client - replay.RATE * _STRENGTH * (of_client - theta)
      updated.append(of_client)
      personal[client] = theta
    w = np.mean(updated, axis=0, dtype=np.float32)
  return w, personal


def _run(**changes):
  options = {
    'pfedme_strength': float(_STRENGTH),
    'pfedme_steps': _STEPS,
    'pfedme_personal_rate': float(_PERSONAL_RATE),
  }
  return replay.run('pfedme', **options | changes)


class PFedMeTest(absltest.TestCase):
  def test_three_rounds_of_two_clients(self):
    _, server_state, states = _run()
    replay.assert_close(server_state, states, *_replay())

  def test_clients_predict_with_personal_models(self):
    process, server_state, states = _run()
    data = [testing.tensors((1, 0))] * 2
    for state, metrics in zip(states, process.evaluate(server_state, states, data), strict=True):
      base, head = np.ravel(state.local_weights)
      self.assertAlmostEqual(float(metrics['loss']), float((base * head) ** 2), places=5)

  def test_a_whole_model_travels_each_way(self):
    process, *_ = _run()
    self.assertLen(process.upload_type[0], 2)

  def test_client_without_examples_keeps_its_model(self):
    process, server_state, states = _run()
    output = process.next(server_state, states, [testing.tensors((1, 1)), testing.tensors()])
    np.testing.assert_array_equal(output.client_states[1].local_weights, states[1].local_weights)

  def test_no_steps_are_refused(self):
    with self.assertRaisesRegex(ValueError, '^pfedme_steps is 0, expected more than 0.$'):
      _run(pfedme_steps=0)


if __name__ == '__main__':
  absltest.main()
