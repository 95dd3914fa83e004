"""Tests of phases: which weights they move, and what surrounds their steps."""

import dataclasses

import numpy as np
from absl.testing import absltest

from tests.learning import running, testing
from tff_lg import learning, simulation
from tff_lg.learning import phases


def setUpModule():
  simulation.set_execution_context()


def _run(*phases, num_examples=1):
  """Runs a client on y = head * base * x from base 1 and head 2; rate 0.1, the base is global."""
  settings = dataclasses.replace(testing.settings(), phases=phases)
  model = testing.linear_model(('base',))
  process = learning.build_local_global_process(model, settings)
  output = running.run(process, model, [testing.tensors(*[(1, 1)] * num_examples)])
  (base,), (head,) = output.server_state.global_weights, output.client_states[0].local_weights
  return base.item(), head.item()


class PhaseTest(absltest.TestCase):
  def test_selects_and_replaces(self):
    phase = learning.Phase((False, True, True))
    self.assertEqual(phase.select('abc'), ('b', 'c'))
    self.assertEqual(phase.replace('abc', 'xy'), ('a', 'x', 'y'))
    self.assertEqual(learning.Phase().select('abc'), ('a', 'b', 'c'))
    self.assertEqual(learning.Phase().replace('abc', 'xyz'), ('x', 'y', 'z'))

  def test_one_after_another(self):
    # Residual 1, gradients 2 * (2, 1): head 1.8. Then residual 0.8, gradient 1.6 * 1.8: base.
    found = _run(learning.Phase((False, True)), learning.Phase((True, False)))
    np.testing.assert_allclose(found, [1 - 0.288, 1.8], rtol=1e-5)

  def test_changes_before_and_after(self):
    seen = []

    def finish(trained):
      seen.append(trained)
      base, head = trained.weights
      return base + trained.start[0], head

    phase = learning.Phase(
      (False, True),
      learning.TensorBatches(None, num_epochs=2),
      begin=lambda weights: (weights[0] * 2, weights[1]),
      before_step=lambda model, weights, received, x, y: (weights[0], weights[1] * 0),
      finish=finish,
    )
    # From base 2 and head 0 twice: residual -1, gradient -4.
    np.testing.assert_allclose(_run(phase), [4, 0.4], rtol=1e-5)
    self.assertEqual(seen[0].num_steps.dtype, 'int32')

  def test_without_a_step_nothing_changes(self):
    phase = learning.Phase(begin=lambda weights: tuple(2 * weight for weight in weights))
    self.assertEqual(_run(phase, num_examples=0), (1, 2))

  def test_optimizer_and_objective_of_a_phase(self):
    from tff_lg.compatibility import tff

    phase = learning.Phase(
      optimizer=tff.learning.optimizers.build_sgdm(0.5),
      objective=lambda model, weights, received, x, y: weights[0][0, 0] - weights[1][0, 0],
    )
    self.assertEqual(_run(phase), (0.5, 2.5))

  def test_statistics_are_set_and_not_moved(self):
    plain = learning.Phase((True, True, False))
    self.assertIs(phases.with_statistics(plain, (False,) * 3), plain)
    phase = phases.with_statistics(plain, (False, True, True))
    self.assertEqual(phase.select('abc'), ('a',))
    before = (np.float32([1]), np.float32([2]), np.float32([3]))
    self.assertEqual(phase.set_statistics(before, [(before[1], 5), (before[2], 6)])[1], 5)
    self.assertIs(phase.set_statistics(before, [(before[1], 5), (before[2], 6)])[2], before[2])
    with self.assertRaisesRegex(ValueError, 'batch normalisation, but what a phase trains'):
      phase.set_statistics(before, [(before[2], 6)])


if __name__ == '__main__':
  absltest.main()
