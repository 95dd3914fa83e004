"""Tests of FedRep, replayed in NumPy as Collins et al. write it."""

import numpy as np
from absl.testing import absltest

from tests.learning import testing
from tests.learning.methods import replay
from tff_lg import learning, simulation
from tff_lg.compatibility import tff

_HEAD_STEPS = 3


def setUpModule():
  simulation.set_execution_context()


def _replay(momentum=0.0):
  """Replays Algorithm 1: three steps on the head, then two on the body with new momentum."""
  base, heads = replay.BASE, [replay.HEAD] * 2
  for cohort in replay.COHORTS:
    bases = []
    for client in cohort:
      weights = np.array([base, heads[client]])
      for part, num_steps in ((1, _HEAD_STEPS), (0, 2)):
        velocity = np.float32(0)
        for _ in range(num_steps):
          velocity = momentum * velocity + replay.gradient(weights, client)[part]
          weights[part] -= replay.RATE * velocity
      bases.append(weights[0])
      heads[client] = weights[1]
    base = np.mean(bases, dtype=np.float32)
  return base, heads


class FedRepTest(absltest.TestCase):
  def test_three_rounds_of_two_clients(self):
    _, server_state, states = replay.run('fedrep', fedrep_head_epochs=_HEAD_STEPS)
    replay.assert_close(server_state, states, *_replay())

  def test_momentum_of_one_part_moves_no_other(self):
    optimizer = tff.learning.optimizers.build_sgdm(float(replay.RATE), 0.5)
    _, server_state, states = replay.run(
      'fedrep', fedrep_head_epochs=_HEAD_STEPS, optimizer=optimizer
    )
    replay.assert_close(server_state, states, *_replay(np.float32(0.5)))

  def test_optimizer_kept_by_the_client_has_a_state_of_each_part(self):
    settings = learning.ProcessSettings(
      tff.learning.optimizers.build_sgdm(0.1, 0.5),
      learning.TensorBatches(None),
      reset_client_optimizer=False,
    )
    process = learning.METHODS['fedrep'].build_process(testing.linear_model(), settings)
    weights = process.model.initial_weights
    start = process.initialize_client(weights)
    output = process.next(process.initialize(weights), [start], [testing.tensors((1, 1))])
    self.assertLen(output.client_states[0].optimizer_state, 2)
    for before, after in zip(
      start.optimizer_state, output.client_states[0].optimizer_state, strict=True
    ):
      self.assertLen(after['accumulator'], 1)
      self.assertNotEqual(before['accumulator'], after['accumulator'])

  def test_only_the_body_travels(self):
    process, *_ = replay.run('fedrep')
    self.assertLen(process.upload_type[0], 1)

  def test_data_sets_have_no_epochs_to_choose(self):
    settings = testing.settings(batches=learning.DatasetBatches())
    with self.assertRaisesRegex(ValueError, '^a phase with 10 epochs has DatasetBatches, expected'):
      learning.METHODS['fedrep'].build_process(testing.linear_model(), settings)


if __name__ == '__main__':
  absltest.main()
